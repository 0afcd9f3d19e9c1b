"""Items alike in how they are rated, and ratings read off them: the kernels of rating-kNN.

What is compared is what is left of a rating beyond the biases. Memory is a few rows of the catalogue a thread.
"""

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models.neighbours import keep_nearest
from covey.models.pairs import Pairs
from covey.types import Floats, Ints, ItemIndex, PersonIndex, Scores


@nb.njit(cache=True, nogil=True, error_model="numpy")
def nearest(
    begin: int, end: int, by_person: Pairs, by_item: Pairs, shrinkage: float,
    neighbours: npt.NDArray[np.int32], similarity: Floats,
) -> None:  # fmt: skip
    """Fills neighbours[begin:end] and their similarity, most similar first; only what is above 0 counts.

    similarity of i and j = sum r_i r_j / sqrt(sum r_i^2 sum r_j^2) * (n - 1) / (n - 1 + shrinkage)
    with sums over the n people who rated both, and r what is left of their ratings: the weights of the pairs.
    """
    item_count = len(by_item.offsets) - 1
    sums = np.zeros((item_count, 4), np.float64)  # of r_i r_j, r_i^2, r_j^2 and 1, by j
    for item in range(begin, end):
        for at in range(by_item.offsets[item], by_item.offsets[item + 1]):
            person, own = by_item.other[at], np.float64(by_item.weight[at])
            for place in range(by_person.offsets[person], by_person.offsets[person + 1]):
                row, its = sums[by_person.other[place]], np.float64(by_person.weight[place])
                row[0] += own * its
                row[1] += own * own
                row[2] += its * its
                row[3] += 1
        sums[item] = 0
        met = np.flatnonzero(sums[:, 3])
        alike = np.empty(len(met), np.float32)
        for n in range(len(met)):
            alike[n] = _similarity(sums[met[n]], shrinkage)
            sums[met[n]] = 0
        keep_nearest(item, met[alike > 0], alike[alike > 0], neighbours, similarity)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _similarity(sums: npt.NDArray[np.float64], shrinkage: float) -> float:
    """The correlation that sums of r_i r_j, r_i^2, r_j^2 and 1 stand for, shrunk; 0 where they are not above 0."""
    if not sums[0] > 0:
        return 0.0
    # Less one: of a single person the formula knows nothing, and says 1.
    others = sums[3] - 1
    return sums[0] / np.sqrt(sums[1] * sums[2]) * others / (others + shrinkage) if others > 0 else 0.0


@nb.njit(cache=True, nogil=True, error_model="numpy")
def expected_left(
    offsets: Ints, history_items: ItemIndex, left: Floats, neighbours: npt.NDArray[np.int32], similarity: Floats,
    most: int, people: PersonIndex, items: npt.NDArray[np.int32],
) -> Scores:  # fmt: skip
    """What each person's rating of each item should be beyond the biases: the mean over the nearest that they rated.

    Weighted by similarity, over `most` of them at most; 0 where the person rated none of the item's neighbours.
    """
    expected = np.zeros(items.shape, np.float32)
    has, own = np.zeros(len(neighbours), np.bool_), np.zeros(len(neighbours), np.float32)
    for p in range(len(people)):
        begin, end = offsets[people[p]], offsets[people[p] + 1]
        mine = history_items[begin:end]
        has[mine] = True
        own[mine] = left[begin:end]
        for c in range(items.shape[1]):
            total, weight, counted = np.float32(0), np.float32(0), 0
            for n in range(neighbours.shape[1]):
                neighbour = neighbours[items[p, c], n]
                if neighbour < 0 or counted == most:
                    break
                if has[neighbour]:
                    alike = similarity[items[p, c], n]
                    total += alike * own[neighbour]
                    weight += alike
                    counted += 1
            if counted > 0:
                expected[p, c] = total / weight
        has[mine] = False
    return expected
