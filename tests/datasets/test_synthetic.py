"""Towns: what is planted in them can be found, and nothing but seed and name decides what they hold."""

import subprocess
import sys

import numpy as np
import pytest

from covey.datasets import synthetic
from covey.datasets.interactions import Interactions
from covey.datasets.synthetic import TOWNS, town
from covey.errors import ConfigError
from covey.random import stream
from covey.splits import Split, split

COLUMNS = ("person", "item", "value", "time")

small_towns = pytest.mark.parametrize("name", ["synthetic:village", "synthetic:town", "synthetic:ml-100k"])


def same_rows(left: Interactions, right: Interactions) -> bool:
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in COLUMNS)


@pytest.fixture(scope="module")
def made() -> Interactions:
    return town("synthetic:town", seed=3)


@small_towns
def test_a_town_is_as_large_as_it_says(name):
    data, spec = town(name), TOWNS[name]
    counts = np.bincount(data.person, minlength=data.people_count)
    assert (data.people_count, data.item_count, len(data)) == (spec.people, spec.items, spec.rows)
    assert (counts.min(), counts.max()) == (spec.fewest, spec.most)
    assert abs(np.median(counts) - spec.median) <= 1
    assert [getattr(data, column).dtype for column in COLUMNS] == [np.int32, np.int32, np.float32, np.int64]


@small_towns
def test_nobody_has_a_film_twice(name):
    data = town(name)
    pairs = data.person.astype(np.int64) * data.item_count + data.item
    assert len(np.unique(pairs)) == len(data)


@small_towns
def test_rows_lie_by_person_and_each_persons_times_rise(name):
    data = town(name)
    steps = np.diff(data.person)
    assert steps.min() >= 0
    assert np.diff(data.time)[steps == 0].min() > 0


@small_towns
def test_nobody_sees_a_film_before_it_is_out_and_all_rows_lie_in_the_towns_years(name):
    data, spec = town(name), TOWNS[name]
    assert data.catalog is not None
    seen_in = data.time.astype("datetime64[s]").astype("datetime64[Y]").astype(int) + 1970
    assert np.all(data.catalog.years[data.item] <= seen_in)
    assert seen_in.min() >= spec.first_year
    assert seen_in.max() < spec.first_year + spec.years


@pytest.mark.parametrize("people_at_once", [1, 7, 60])
def test_a_persons_rows_do_not_depend_on_how_many_are_made_at_once(people_at_once):
    assert same_rows(town("synthetic:village"), town("synthetic:village", people_at_once=people_at_once))


def test_the_seed_alone_decides_and_another_seed_makes_another_town():
    assert same_rows(town("synthetic:village", seed=1), town("synthetic:village", seed=1))
    first, second = town("synthetic:village", seed=1), town("synthetic:village", seed=2)
    assert not np.array_equal(first.item, second.item)
    assert first.catalog is not None
    assert second.catalog is not None
    assert first.catalog.genres != second.catalog.genres


def test_a_village_stays_the_village_that_it_was():
    # Stored results name a town and a seed; should these rows change, those results mean another town.
    data = town("synthetic:village", seed=0)
    assert data.item[:6].tolist() == [4, 20, 114, 26, 33, 67]
    assert data.value[:6].tolist() == [3.0, 3.0, 1.0, 4.0, 3.0, 1.0]
    assert data.time[:3].tolist() == [1525914153, 1525923524, 1525925816]


def test_the_largest_town_has_names_enough_and_classics_enough_for_its_busiest_person():
    spec = TOWNS["synthetic:ml-25m"]
    names = len(synthetic.FIRST_WORDS) * len(synthetic.SECOND_WORDS) * len(synthetic.PLACES)
    assert names >= spec.items
    for spec in TOWNS.values():
        # Somebody who comes on the first day must find as many films as anybody has rows.
        assert synthetic.CLASSICS_SHARE * spec.items > spec.most
        assert spec.most * synthetic.SECONDS_A_ROW < spec.years * 365 * 86_400
        assert spec.genres <= len(synthetic.GENRES)


@small_towns
def test_titles_are_distinct_and_every_film_has_a_genre_and_a_year(name):
    catalog = town(name).catalog
    assert catalog is not None
    assert len(set(catalog.titles)) == len(catalog.titles)
    assert all(1 <= len(genres) <= 2 for genres in catalog.genres)
    assert all(title.endswith(f"({year})") for title, year in zip(catalog.titles, catalog.years, strict=True))


def test_films_have_a_head_and_a_long_tail():
    data = town("synthetic:ml-100k")
    people = np.sort(np.bincount(data.item, minlength=data.item_count))[::-1]
    # MovieLens-100K: 583 people for the first film, 27 for the middle one, most films below the mean of 59.
    assert 480 <= people[0] <= 690
    assert 18 <= np.median(people) <= 40
    assert np.mean(people < 59) > 0.6


def test_values_are_whole_stars_and_higher_for_films_of_ones_own_taste(made):
    assert set(np.unique(made.value).tolist()) == {1.0, 2.0, 3.0, 4.0, 5.0}
    own = own_genre(made)
    assert made.value[own].mean() > made.value[~own].mean() + 0.15


def own_genre(data: Interactions) -> np.ndarray:
    """Whether each row's first genre is the one that its person has most of."""
    assert data.catalog is not None
    names = sorted({genres[0] for genres in data.catalog.genres})
    genre = np.array([names.index(genres[0]) for genres in data.catalog.genres])[data.item]
    table = np.zeros((data.people_count, len(names)), np.int64)
    np.add.at(table, (data.person, genre), 1)
    return table.argmax(axis=1)[data.person] == genre


def test_taste_moves_along_a_history(made):
    halves = split(made, "temporal", share=0.5)
    early, late = (genre_shares(made, part) for part in (halves.train, halves.test))
    still = split(made, "random-person", share=0.5)
    left, right = (genre_shares(made, part) for part in (still.train, still.test))
    busy = np.bincount(made.person) >= 100
    # Halves by chance differ by chance; halves by time must differ by more than that.
    by_time, by_chance = (np.abs(a - b)[busy].sum(axis=1).mean() for a, b in ((early, late), (left, right)))
    assert by_time > 1.25 * by_chance


def genre_shares(data: Interactions, part) -> np.ndarray:
    assert data.catalog is not None
    names = sorted({genres[0] for genres in data.catalog.genres})
    genre = np.array([names.index(genres[0]) for genres in data.catalog.genres])
    table = np.zeros((part.people_count, len(names)))
    np.add.at(table, (part.person, genre[part.item]), 1)
    return table / table.sum(axis=1, keepdims=True)


def test_new_films_are_seen_more_while_they_are_new(made):
    assert made.catalog is not None
    seen_in = made.time.astype("datetime64[s]").astype("datetime64[Y]").astype(int) + 1970
    spec = TOWNS["synthetic:town"]
    last_year = seen_in == spec.first_year + spec.years - 1
    out_late = made.catalog.years >= spec.first_year + spec.years - 3
    share_of_rows = out_late[made.item[last_year]].mean()
    assert share_of_rows > out_late.mean()


def hit_rate(done: Split, scores: np.ndarray, k: int = 10) -> float:
    """The share of people whose test item is among the k best of all that they lack; [people, items]."""
    scores = scores.copy()
    scores[done.train.person, done.train.item] = -np.inf
    mine = scores[done.test.person, done.test.item]
    better = (scores[done.test.person] >= mine[:, None]).sum(axis=1) - 1
    return float((better < k).mean())


@pytest.mark.parametrize(("name", "times_better"), [("synthetic:town", 1.5), ("synthetic:ml-100k", 1.5)])
def test_a_model_that_learns_taste_beats_most_popular(name, times_better):
    done = split(town(name))
    had = np.zeros((done.people_count, done.item_count), np.float32)
    had[done.train.person, done.train.item] = 1
    popular = np.broadcast_to(had.sum(axis=0), had.shape)
    # Rows and columns divided by the roots of their sums: otherwise the first factors only tell who is busy.
    seldom = np.sqrt(np.maximum(had.sum(axis=0), 1))
    even = had / seldom / np.sqrt(had.sum(axis=1, keepdims=True))
    factors = stream(0, "start").standard_normal((done.item_count, 16))
    for _ in range(4):
        factors = np.linalg.qr(even.T @ (even @ factors)).Q
    learned = (even @ factors) @ factors.T * seldom
    assert hit_rate(done, learned) > times_better * hit_rate(done, popular)


def test_an_unknown_town_offers_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'synthetic:ml-25m'"):
        town("synthetic:ml-26m")


def test_a_town_says_that_it_is_made_up():
    assert "seed 5" in " ".join(town("synthetic:village", seed=5).notes)


def test_numba_is_not_imported_before_a_town_is_wanted():
    code = "import sys, covey.datasets; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
