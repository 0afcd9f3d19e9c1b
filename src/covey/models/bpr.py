"""Bayesian personalized ranking: the step for one triple, one person's visit of a few triples, a central epoch.

A triple is a person, an item that the person has (liked) and one that the person does not have (other). A row of the
item table holds the item's factors and, last, its bias. Both the federation and the central yardstick take `step`.
No sum is fused or reordered, so the bits are the same on every machine that follows IEEE 754.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import draws, numerics
from covey.types import Floats, Ints, ItemIndex

LARGEST_BITS = 2**26  # bytes of a bit for every person and item, above which a search takes their place


class Recipe(NamedTuple):
    """What a training plan says about the work at home."""

    triples: int  # T: drawn in one visit
    learning_rate: float  # alpha
    regularization: float  # of a person's vector and of liked items
    negative_regularization: float  # of the other items
    bias_regularization: float  # of every bias
    slope_levels: int  # steps to which a sent slope is rounded at random; 0: exact


class Keys(NamedTuple):
    """Where a device's streams start."""

    triples: np.uint64
    coins: np.uint64


class Desk(NamedTuple):
    """Room for one visit, used again for the next person."""

    slot: npt.NDArray[np.int32]  # [items] local row of an item, -1 where it has none
    rows: ItemIndex  # [touched] item of each local row
    liked: npt.NDArray[np.bool_]  # [touched] whether the person has it
    table: Floats  # [touched, factors + 1] local copy of the touched item rows
    changes: Floats  # [touched, factors + 1] sums of the changes, before they are multiplied by alpha
    change: Floats  # [2, factors + 1] those of one triple
    generator: draws.Generator


def desk(recipe: Recipe, item_count: int, width: int) -> Desk:
    """Room for anybody's visit; width is that of an item row."""
    touched = min(2 * recipe.triples, item_count)
    return Desk(
        slot=np.full(item_count, -1, np.int32),
        rows=np.zeros(touched, np.int32),
        liked=np.zeros(touched, np.bool_),
        table=np.zeros((touched, width), np.float32),
        changes=np.zeros((touched, width), np.float32),
        change=np.zeros((2, width), np.float32),
        generator=np.zeros(1, np.uint64),
    )


def liked_items(offsets: Ints, item: ItemIndex, item_count: int) -> tuple[Ints, ItemIndex]:
    """Everybody's items, each once and ascending: person p has items offsets[p] to offsets[p + 1]."""
    # In an order of its own, so that nothing that leaves can depend on when something was liked.
    person = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    distinct = np.unique(person * np.int64(item_count) + item)
    counts = np.bincount(distinct // item_count, minlength=len(offsets) - 1)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    return starts, (distinct % item_count).astype(np.int32)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def slope_of(user: Floats, liked: Floats, other: Floats) -> np.float32:
    """1 - sigmoid(lead of liked over other): how far the person's ranking of the two is from certain."""
    width = len(user)
    # Four sums in a fixed order: a single one would wait for itself at every addition.
    a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    whole = width - width % 4
    for f in range(0, whole, 4):
        a += user[f] * (liked[f] - other[f])
        b += user[f + 1] * (liked[f + 1] - other[f + 1])
        c += user[f + 2] * (liked[f + 2] - other[f + 2])
        d += user[f + 3] * (liked[f + 3] - other[f + 3])
    for f in range(whole, width):
        a += user[f] * (liked[f] - other[f])
    return numerics.sigmoid(-((a + b) + (c + d) + (liked[width] - other[width])))


@nb.njit(cache=True, nogil=True, error_model="numpy")
def told_slope(slope: np.float32, levels: int, generator: draws.Generator) -> np.float32:
    """The slope as it may leave: exact, or one of the two nearest levels, drawn so that the mean is exact."""
    if levels == 0:
        return slope
    return np.float32(np.floor(np.float64(slope) * levels + draws.unit(generator)) / levels)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def step(
    recipe: Recipe, slope: np.float32, told: np.float32, user: Floats, liked: Floats, other: Floats,
    liked_change: Floats, other_change: Floats,
) -> None:  # fmt: skip
    """Moves the three rows by alpha times their change (fpl.txt, section 3); leaves the items' changes beside."""
    rate, bias_decay = np.float32(recipe.learning_rate), np.float32(recipe.bias_regularization)
    decay, other_decay = np.float32(recipe.regularization), np.float32(recipe.negative_regularization)
    width = len(user)
    for f in range(width):
        p, q, r = user[f], liked[f], other[f]
        liked_change[f] = told * p - decay * q
        other_change[f] = -told * p - other_decay * r
        user[f] = p + rate * (slope * (q - r) - decay * p)
    liked_change[width] = told - bias_decay * liked[width]
    other_change[width] = -told - bias_decay * other[width]
    for f in range(width + 1):
        liked[f] += rate * liked_change[f]
        other[f] += rate * other_change[f]


@nb.njit(cache=True, nogil=True)
def has(positives: ItemIndex, item: int | np.int64) -> bool:
    """Whether an ascending list holds the item."""
    low, high = 0, len(positives)
    while low < high:
        middle = (low + high) // 2
        if positives[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low < len(positives) and positives[low] == item


@nb.njit(cache=True, nogil=True)
def draw_other(positives: ItemIndex, item_count: int, generator: draws.Generator) -> np.int64:
    """An item that is no positive, each as likely; there must be one."""
    drawn = draws.below(generator, item_count)
    while has(positives, drawn):
        drawn = draws.below(generator, item_count)
    return drawn


@nb.njit(cache=True, nogil=True)
def _local_row(item: int | np.int64, is_liked: bool, items: Floats, used: int, desk: Desk) -> tuple[int, int]:
    """The item's row at the desk, copied there on first touch; and how many rows are in use."""
    row = desk.slot[item]
    if row >= 0:
        return row, used
    desk.slot[item], desk.rows[used], desk.liked[used] = np.int32(used), np.int32(item), is_liked
    for j in range(items.shape[1]):
        desk.table[used, j] = items[item, j]
        desk.changes[used, j] = np.float32(0)
    return used, used + 1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def train_person(
    recipe: Recipe, keys: Keys, share: float, person: int, visit: int, positives: ItemIndex,
    user: Floats, items: Floats, desk: Desk,
) -> int:  # fmt: skip
    """One visit; how many rows may leave: desk.changes[:rows] of items desk.rows[:rows], in the order of touch.

    user is changed in place. positives are ascending, each once. share is pi: a liked item's row is among those that
    may leave with this probability, whatever the number of triples that it was in. Who has nothing or everything can
    form no triple, and sends no row.
    """
    if len(positives) == 0 or len(positives) >= len(items):
        return 0
    draws.restart(desk.generator, keys.triples, person, visit)
    used = 0
    for _ in range(recipe.triples):
        liked = positives[draws.below(desk.generator, len(positives))]
        other = draw_other(positives, len(items), desk.generator)
        at_liked, used = _local_row(liked, True, items, used, desk)
        at_other, used = _local_row(other, False, items, used, desk)
        slope = slope_of(user, desk.table[at_liked], desk.table[at_other])
        told = told_slope(slope, recipe.slope_levels, desk.generator)
        step(
            recipe, slope, told, user, desk.table[at_liked], desk.table[at_other], desk.change[0], desk.change[1]
        )  # fmt: skip
        for j in range(items.shape[1]):
            desk.changes[at_liked, j] += desk.change[0, j]
            desk.changes[at_other, j] += desk.change[1, j]
    return _keep_disclosed(keys, share, person, visit, used, desk)


@nb.njit(cache=True, nogil=True)
def _keep_disclosed(keys: Keys, share: float, person: int, visit: int, used: int, desk: Desk) -> int:
    """Throws a coin for each liked row and drops those that stay at home; leaves slot clean for the next."""
    draws.restart(desk.generator, keys.coins, person, visit)
    kept = 0
    for row in range(used):
        desk.slot[desk.rows[row]] = np.int32(-1)
        if desk.liked[row] and draws.unit(desk.generator) >= share:
            continue
        if kept < row:
            desk.rows[kept] = desk.rows[row]
            for j in range(desk.changes.shape[1]):
                desk.changes[kept, j] = desk.changes[row, j]
        kept += 1
    return kept


def own_bits(
    person: npt.NDArray[np.int32], positives: ItemIndex, people: int, items: int, largest: int = LARGEST_BITS
) -> npt.NDArray[np.uint8]:
    """A bit for every person and item, set where the person has it; no rows where it would take over `largest` bytes."""
    width = -(-items // 8)
    bits = np.zeros((people if people * width <= largest else 0, width), np.uint8)
    if len(bits):
        np.bitwise_or.at(bits, (person, positives >> 3), np.uint8(1) << (positives & 7).astype(np.uint8))
    return bits


@nb.njit(cache=True, nogil=True, error_model="numpy")
def train_epoch(
    recipe: Recipe, key: np.uint64, epoch: int, person: npt.NDArray[np.int32], offsets: Ints, positives: ItemIndex,
    bits: npt.NDArray[np.uint8], users: Floats, items: Floats,
) -> None:  # fmt: skip
    """As many central steps as there are positives, each for one drawn anew from all of them; changes both tables.

    bits are own_bits; they save the search through somebody's items, and change nothing else.
    """
    generator, change = np.zeros(1, np.uint64), np.empty((2, items.shape[1]), np.float32)
    draws.restart(generator, key, 0, epoch)
    for _ in range(len(positives)):
        row = draws.below(generator, len(positives))
        p, liked = person[row], positives[row]
        mine = positives[offsets[p] : offsets[p + 1]]
        if len(mine) >= len(items):
            continue
        if len(bits):
            other = draws.below(generator, len(items))
            while bits[p, other >> 3] >> (other & 7) & 1:
                other = draws.below(generator, len(items))
        else:
            other = draw_other(mine, len(items), generator)
        slope = slope_of(users[p], items[liked], items[other])
        step(recipe, slope, slope, users[p], items[liked], items[other], change[0], change[1])
