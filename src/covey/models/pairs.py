"""Pairs of people and items seen from one side, as kernels take them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from covey.types import Floats, Ints


class Pairs(NamedTuple):
    """People with their items, or items with their people."""

    offsets: Ints  # [rows + 1]
    other: npt.NDArray[np.int32]  # [pairs] numbers of the other side
    weight: Floats  # [pairs]


def transposed(pairs: Pairs, other_count: int) -> Pairs:
    """The same pairs by the other side, in the order of this one."""
    order = np.argsort(pairs.other, kind="stable")
    counts = np.bincount(pairs.other, minlength=other_count)
    row = np.repeat(np.arange(len(pairs.offsets) - 1, dtype=np.int32), np.diff(pairs.offsets))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    return Pairs(offsets, row[order], pairs.weight[order])
