"""Draws items that a person has nowhere: the sampled rivals of a held-out item."""

import numba as nb
import numpy as np

from covey.evaluation.candidates import Rows, group_offsets, row_of, rows_of
from covey.models.draws import below, restart
from covey.random import key
from covey.splits import Split
from covey.types import Ints, ItemIndex, PersonIndex


def draw_unseen(split: Split, people: PersonIndex, negatives: int, seed: int) -> tuple[Ints, ItemIndex]:
    """For each of `people` up to `negatives` different items that are in no part of the person's data.

    Every set of unseen items is equally likely. The draw is named by the seed and the person, so who else is
    evaluated, in which order or on which part changes nothing. Someone with fewer unseen items gets them all.
    Returns how many each person got [people], and their items, person after person.
    """
    parts = (split.train, split.valid, split.test)
    seen_count = sum((part.counts[people] for part in parts), start=np.zeros(len(people), np.int64))
    wanted = np.clip(split.item_count - seen_count, 0, negatives)
    offsets = group_offsets(wanted)
    items = np.empty(offsets[-1], np.int32)
    train, valid, test = (rows_of(part) for part in parts)
    _draw(np.uint64(key(seed, "candidates")), people, train, valid, test, offsets, items, split.item_count)
    return wanted, items


@nb.njit(cache=True, nogil=True)
def _draw(
    named: np.uint64,
    people: PersonIndex,
    train: Rows,
    valid: Rows,
    test: Rows,
    offsets: Ints,
    items: ItemIndex,
    item_count: int,
) -> None:
    """Fills `items` by Floyd's algorithm: as many draws as items, however much of the catalogue is seen."""
    taken_by = np.full(item_count, -1, np.int64)  # stamped with the row, so that it never needs clearing
    generator = np.empty(1, np.uint64)
    for row in range(len(people)):
        person = people[row]
        seen = np.concatenate((row_of(train, person), row_of(valid, person), row_of(test, person)))
        seen.sort()
        restart(generator, named, person, np.int64(0))
        wanted = offsets[row + 1] - offsets[row]
        for draw in range(wanted):
            last = item_count - len(seen) - wanted + draw
            place = below(generator, last + 1)
            if taken_by[place] == row:
                place = last
            taken_by[place] = row
            items[offsets[row] + draw] = _nth_unseen(seen, place)


@nb.njit(cache=True, nogil=True)
def _nth_unseen(seen: ItemIndex, place: int | np.int64) -> int | np.int64:
    """The item at `place` among those not in `seen`, which is sorted."""
    low, high = 0, len(seen)
    while low < high:  # how many seen items come before it
        middle = (low + high) // 2
        if seen[middle] - middle <= place:
            low = middle + 1
        else:
            high = middle
    return place + low
