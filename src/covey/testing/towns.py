"""A town of nine for contracts: few enough to follow by hand, odd enough to be in the way."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from covey.random import stream
from covey.splits.histories import Histories, Split

ITEMS = 29
ONE_ROW, EVERYTHING, ALL_BUT_ONE = 0, 1, 2  # the people who are in the way
LEFT_OUT = 7  # the one item that ALL_BUT_ONE does not have in training


class Trap:
    """Stands where no training step may look; reading anything of it fails the test."""

    def __getattribute__(self, name: str) -> NoReturn:
        raise AssertionError(f"a training step read {name!r} of the rows that were held out")


def histories(lists: Sequence[Sequence[int]], item_count: int = ITEMS) -> Histories:
    """Histories of these items, person by person, all with value 1 at time 0."""
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    item = np.array([item for row in lists for item in row], np.int32)
    return Histories(offsets, item, np.ones(len(item), np.float32), np.zeros(len(item), np.int64), item_count)


def town() -> Histories:
    """Training rows of somebody with one row, somebody with every item, somebody with all but one, and six more."""
    lists = [[3], list(range(ITEMS)), [item for item in range(ITEMS) if item != LEFT_OUT]]
    lists += [stream(0, "town", person).permutation(ITEMS)[: 3 + person].tolist() for person in range(6)]
    return histories(lists)


def split_town(held_out_place: int) -> Split:
    """The town with a test row a person, the one at this place among the items that they do not have in training."""
    train = town()
    rest = [
        [item for item in range(ITEMS) if item not in train.of(person).item]
        for person in range(train.people_count)
    ]
    test = histories([[left[held_out_place % len(left)]] if left else [] for left in rest])
    return Split("by hand", train, histories([[] for _ in rest]), test)


def trapped(train: Histories) -> Split:
    """A split whose held-out rows fail the test when anybody looks at them."""
    trap: Any = Trap()
    return Split("by hand", train, trap, trap)
