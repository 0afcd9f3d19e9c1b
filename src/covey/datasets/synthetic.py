"""Towns that Covey makes up: nobody's data, with what a recommender has to find planted in it.

A town plants fame (a few films that half the town has seen, a long tail that hardly anybody has), tastes
(each film belongs to a main and a second taste; each person follows a main, a second and a later one), drift
(the later taste takes over from the main one along a person's history), release years (nobody sees a film
before it is out, and new films are seen more), and values that follow taste, quality and generosity.

Each person's draws are integers from a stream that starts from (seed, town, person), so a person's rows do
not depend on how many people are made at once. Importing this module imports numba; do it when a town is
wanted.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numba
import numpy as np
import numpy.typing as npt
import polars as pl

from covey import random
from covey.datasets.interactions import Catalog, Interactions
from covey.errors import unknown
from covey.types import Floats, Ints, ItemIndex


@dataclass(frozen=True)
class Town:
    """What a town is made to. `fame` are knots of a curve that is straight between them on logarithmic axes.

    The weights of the larger towns are fitted: drawn with them, films get as many people as MovieLens films
    of the same rank. They are steeper than those counts, since a person who has a film cannot draw it again.
    """

    people: int
    items: int
    rows: int
    fewest: int  # rows a person
    median: int
    most: int
    next_most: int  # what everybody but the busiest stays under
    tastes: int
    genres: int
    first_year: int  # of the rows; most films are older
    years: int  # that the rows span
    fame: tuple[tuple[int, float], ...]  # (rank of a film, how much more it is drawn than the last)


TOWNS: dict[str, Town] = {
    "synthetic:village": Town(
        60, 120, 1_200, 8, 18, 40, 40, 4, 4, 2015, 4,
        ((1, 6), (10, 3), (20, 1.6), (120, 1)),
    ),
    "synthetic:town": Town(
        1_000, 800, 60_000, 15, 45, 300, 300, 10, 8, 2010, 6,
        ((1, 273), (20, 99), (200, 25), (400, 8.4), (800, 1)),
    ),
    "synthetic:ml-100k": Town(
        943, 1_682, 100_000, 20, 65, 737, 737, 12, 18, 1997, 2,
        ((1, 800), (10, 346), (100, 137), (400, 38), (841, 8.7), (1_300, 1.1), (1_682, 1)),
    ),
    "synthetic:ml-1m": Town(
        6_040, 3_706, 1_000_209, 20, 96, 2_314, 2_314, 24, 18, 2000, 3,
        ((1, 129_000), (10, 83_400), (100, 30_900), (500, 10_800), (1_000, 4_020),
         (1_853, 1_210), (2_800, 150), (3_706, 1)),
    ),
    "synthetic:ml-25m": Town(
        162_541, 59_047, 25_000_095, 20, 71, 32_202, 9_200, 48, 19, 1995, 25,
        ((1, 3_300_000), (10, 2_300_000), (100, 890_000), (1_000, 93_000), (3_800, 7_700),
         (10_000, 384), (29_500, 2.7), (59_047, 1)),
    ),
}  # fmt: skip

GENRES = (
    "Drama", "Comedy", "Thriller", "Romance", "Action", "Crime", "Adventure", "Horror", "Fantasy",
    "Science Fiction", "Children", "Animation", "Mystery", "Documentary", "War", "Musical", "Western", "Noir",
    "Sport",
)  # fmt: skip
# 41 x 41 x 37 names are distinct for up to 62,197 films.
FIRST_WORDS = (  # noqa: SIM905 - the words are easier read without quotes
    "Amber Silent Broken Northern Hidden Golden Restless Paper Winter Borrowed Crooked Distant "
    "Electric Faded Gentle Hollow Iron Jaded Kindled Lonely Midnight Narrow Open Painted Quiet Rising "
    "Scarlet Tidal Unwritten Velvet Wild Young Forgotten Burning Lucky Second Blue Final Marble "
    "Wandering Seventh"
).split()
SECOND_WORDS = (  # noqa: SIM905 - as above
    "Harbour Garden Letter Orchard Station Mirror River Lantern Kingdom Summer Bridge Circus Daughter "
    "Engine Forest Game Hotel Island Journey Key Lighthouse Machine Neighbour Ocean Promise Quarry "
    "Road Secret Theatre Umbrella Village Window Year Zoo Captain Dream Voyage Clock Sparrow Winter "
    "Stranger"
).split()
PLACES = (  # noqa: SIM905 - as above
    "Arden Belmora Corvo Dunmere Elsby Farrow Galen Hesket Ilmar Jorvik Kelso Larne Morrow Nevin Ostra "
    "Perrin Quill Rosten Selby Tarn Ulster Varga Wexley Yarrow Zelen Ashby Brook Calder Dorne Eskel "
    "Fenn Gower Holm Inver Keld Lorne Mere"
).split()

CLASSICS_SHARE = 0.7  # of the films are out before the first row
SECONDS_A_YEAR = 366 * 86_400  # rounded up, so that a counted year is never ahead of the calendar
SECONDS_A_ROW = 60  # the least time between two rows of a person, on average
TRIES = 400  # draws that may fail before the next free film is taken
GOLDEN, MIX_1, MIX_2 = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


State: TypeAlias = npt.NDArray[np.uint64]  # [1] where a person's stream stands


class Films(NamedTuple):
    """All that drawing needs to know of a town; pool 0 is fame alone, pool 1 + k is taste k."""

    key: np.uint64  # of the seed and the town
    begin_s: int  # first second of the town's rows
    span_s: int
    pool_starts: Ints  # [pools + 1]
    pool_items: ItemIndex  # [entries]
    pool_edges: Ints  # [entries] running sums of weights inside a pool
    taste_edges: Ints  # [tastes] running sums of how common a taste is
    main_taste: ItemIndex  # [items]
    second_taste: ItemIndex  # [items]
    quality: ItemIndex  # [items] in thousandths of a star
    year: ItemIndex  # [items] counted from the first year of the rows; classics are below 0


def town(name: str, seed: int = 0, *, people_at_once: int = 8_192) -> Interactions:
    """The town of that name, its rows by person and then by time; a seed always makes the same one."""
    if name not in TOWNS:
        raise unknown("town", name, TOWNS)
    spec = TOWNS[name]
    films = _films(name, spec, seed)
    counts = _row_counts(name, spec, seed)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    item, value = np.empty(spec.rows, np.int32), np.empty(spec.rows, np.float32)
    time = np.empty(spec.rows, np.int64)
    # In parts, so that Ctrl-C is heard between them: a compiled loop does not listen.
    for first in range(0, spec.people, people_at_once):
        _fill(films, offsets, first, min(first + people_at_once, spec.people), item, value, time)
    return Interactions(
        name=name,
        person=np.repeat(np.arange(spec.people, dtype=np.int32), counts),
        item=item,
        value=value,
        time=time,
        person_ids=pl.Series("person", np.arange(1, spec.people + 1)),
        item_ids=pl.Series("item", np.arange(1, spec.items + 1)),
        catalog=_catalog(spec, films),
        notes=(f"made up by Covey from seed {seed}: no row belongs to anybody",),
    )


def _row_counts(name: str, spec: Town, seed: int) -> Ints:
    """Rows of each person: a log-normal tail above the fewest, with the spec's median, most and total."""
    normal = NormalDist()
    deviations = np.array([normal.inv_cdf((rank + 0.5) / spec.people) for rank in range(spec.people)])

    def with_spread(spread: float) -> Ints:
        above = np.minimum(
            (spec.median - spec.fewest) * np.exp(spread * deviations), spec.next_most - spec.fewest
        )
        counts = spec.fewest + np.floor(above).astype(np.int64)
        counts[0], counts[-1] = spec.fewest, spec.most
        return counts

    low, high = 0.0, 8.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if with_spread(middle).sum() <= spec.rows else (low, middle)
    counts = with_spread(low)
    # Flooring leaves fewer than one row a person; the people of the middle take one each.
    missing = spec.rows - int(counts.sum())
    start = (spec.people - missing) // 2
    counts[start : start + missing] += 1
    return random.stream(seed, "town", name, "rows a person").permutation(counts)


def _films(name: str, spec: Town, seed: int) -> Films:
    """The town's films: fame, tastes, quality and years, all drawn from the town's own stream."""
    draw = random.stream(seed, "town", name, "films")
    rank = draw.permutation(spec.items)
    ranks, weights = np.log(np.array(spec.fame)).T
    # Whole numbers, so that the running sums are exact.
    weight = np.rint(1024 * np.exp(np.interp(np.log(rank + 1), ranks, weights))).astype(np.int64)
    taste_edges = np.cumsum(1000 // (np.arange(spec.tastes) + 10))
    main = np.searchsorted(taste_edges, draw.integers(0, taste_edges[-1], spec.items), side="right")
    second = (main + draw.integers(1, spec.tastes, spec.items)) % spec.tastes
    pool = np.concatenate([np.zeros(spec.items, np.int64), 1 + main, 1 + second])
    # The pool of fame is steeper: a blockbuster is seen by half the town, not by its own taste alone.
    steep = np.rint(weight * np.sqrt(weight / 1024)).astype(np.int64)
    in_pool = np.concatenate([steep, 6 * weight, weight])
    order = np.argsort(pool, kind="stable")
    starts = np.searchsorted(pool[order], np.arange(spec.tastes + 2))
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(in_pool[order])])
    return Films(
        key=np.uint64(random.key(seed, "town", name, "people")),
        begin_s=int(np.datetime64(f"{spec.first_year}-01-01", "s").astype(np.int64)),
        span_s=spec.years * 365 * 86_400,
        pool_starts=starts,
        pool_items=(order % spec.items).astype(np.int32),
        pool_edges=sums[1:] - np.repeat(sums[starts[:-1]], np.diff(starts)),
        taste_edges=taste_edges,
        main_taste=main.astype(np.int32),
        second_taste=second.astype(np.int32),
        quality=(draw.integers(-700, 701, spec.items) + 500 - 800 * rank // spec.items).astype(np.int32),
        year=_years(spec, draw),
    )


def _years(spec: Town, draw: np.random.Generator) -> ItemIndex:
    """Release years, counted from the first year of the rows: the newer, the more films."""
    classics = round(CLASSICS_SHARE * spec.items)
    age = draw.integers(0, 8, classics) * draw.integers(0, 8, classics)
    return draw.permutation(
        np.concatenate([-1 - age, draw.integers(0, spec.years, spec.items - classics)])
    ).astype(np.int32)


def _catalog(spec: Town, films: Films) -> Catalog:
    """Titles, genres and years; a taste's genre is its number modulo the genres, so genres tell of tastes."""
    years = films.year + np.int32(spec.first_year)
    firsts, seconds, places = len(FIRST_WORDS), len(SECOND_WORDS), len(PLACES)
    titles: list[str] = []
    for item, year in enumerate(years.tolist()):
        # A stride without a common divisor visits every name once and keeps neighbours apart.
        name = item * 10_007 % (firsts * seconds * places)
        first, second, place = name % firsts, name // firsts % seconds, name // firsts // seconds
        titles.append(f"The {FIRST_WORDS[first]} {SECOND_WORDS[second]} of {PLACES[place]} ({year})")
    pairs = zip(films.main_taste.tolist(), films.second_taste.tolist(), strict=True)
    genres = [tuple(dict.fromkeys(GENRES[taste % spec.genres] for taste in pair)) for pair in pairs]
    return Catalog(titles, genres, years)


@numba.njit(cache=True, nogil=True)
def _below(state: State, bound: int) -> int:
    """A number from 0 to bound - 1 by splitmix64; moves the state on."""
    state[0] += GOLDEN
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * MIX_1
    mixed = (mixed ^ (mixed >> np.uint64(27))) * MIX_2
    mixed ^= mixed >> np.uint64(31)
    return int(mixed >> np.uint64(1)) % bound


@numba.njit(cache=True, nogil=True)
def _draw_film(state: State, films: Films, pool: int) -> int:
    """A film of the pool, by weight."""
    low, high = int(films.pool_starts[pool]), int(films.pool_starts[pool + 1]) - 1
    target = _below(state, int(films.pool_edges[high]))
    while low < high:
        middle = (low + high) // 2
        if films.pool_edges[middle] > target:
            high = middle
        else:
            low = middle + 1
    return int(films.pool_items[low])


@numba.njit(cache=True, nogil=True)
def _new_film(state: State, films: Films, likes: Ints, moved: int, now: int, seen: Ints, mark: int) -> int:
    """A film that is out and unseen by the person; `moved` is how far taste has drifted, in thousandths."""
    for _ in range(TRIES):
        wish = _below(state, 1000)
        if wish < 200:
            pool = 0
        elif wish < 800 - 450 * moved // 1000:
            pool = 1 + int(likes[0])
        elif wish < 920 - 450 * moved // 1000:
            pool = 1 + int(likes[1])
        else:
            pool = 1 + int(likes[2])
        film = _draw_film(state, films, pool)
        year = films.year[film]
        # An older film is passed over now and then, which makes new ones popular while they are new.
        if seen[film] != mark and year <= now and (year >= now - 2 or _below(state, 4) > 0):
            return film
    film = _below(state, len(seen))
    while seen[film] == mark or films.year[film] > now:
        film = (film + 1) % len(seen)
    return film


@numba.njit(cache=True, nogil=True)
def _stars(state: State, films: Films, likes: Ints, moved: int, generosity: int, film: int) -> int:
    """1 to 5, by the person's taste of now, the film's quality, the person's generosity, and chance."""
    thousandths = 2_950 + int(films.quality[film]) + generosity
    if films.main_taste[film] == likes[0]:
        thousandths += 900 - moved * 600 // 1000
    elif films.main_taste[film] == likes[2]:
        thousandths += 300 + moved * 600 // 1000
    elif films.main_taste[film] == likes[1]:
        thousandths += 500
    # The sum of two even draws: mostly small, seldom a star and a half.
    thousandths += _below(state, 2_301) + _below(state, 2_301) - 2_300
    return min(5, max(1, (thousandths + 500) // 1000))


@numba.njit(cache=True, nogil=True)
def _taste(state: State, films: Films) -> int:
    """A taste, by how common it is."""
    target = _below(state, int(films.taste_edges[-1]))
    taste = 0
    while films.taste_edges[taste] <= target:
        taste += 1
    return taste


@numba.njit(cache=True, nogil=True)
def _fill(
    films: Films, offsets: Ints, first: int, end: int, item: ItemIndex, value: Floats, time: Ints
) -> None:
    """Writes the rows of people first to end - 1 into the columns."""
    seen = np.full(len(films.year), -1, np.int64)
    state = np.zeros(1, np.uint64)
    likes = np.zeros(3, np.int64)
    for person in range(first, end):
        # Mixed twice: streams that start a counter's step apart would repeat each other's draws.
        state[0] = films.key ^ (np.uint64(person + 1) * MIX_2)
        _below(state, 2)
        state[0] ^= np.uint64(_below(state, 2**62))
        for place in range(3):
            likes[place] = _taste(state, films)
        generosity = _below(state, 901) + _below(state, 901) - 900
        rows = int(offsets[person + 1] - offsets[person])
        least_s = rows * SECONDS_A_ROW
        starts_s = _below(state, films.span_s - least_s)
        # The third power makes most histories short and some as long as the town's.
        share = _below(state, 1_024)
        span_s = least_s + (films.span_s - least_s - starts_s) * share * share * share // 2**30
        for row in range(rows):
            at = int(offsets[person]) + row
            moved = 1000 * row // rows
            # Each row has its own slot of the span, so times rise strictly.
            since_s = starts_s + span_s * row // rows + _below(state, span_s // rows)
            film = _new_film(state, films, likes, moved, since_s // SECONDS_A_YEAR, seen, person)
            seen[film] = person
            item[at] = film
            value[at] = _stars(state, films, likes, moved, generosity, film)
            time[at] = films.begin_s + since_s
