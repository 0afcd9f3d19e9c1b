"""Neighbours of items by the people they share, and sums over a history: the kernels of item-kNN and EASE.

Memory is a row of the catalogue a thread: no people x items and no items x items table is ever made here.
"""

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models.pairs import Pairs
from covey.types import Floats, Ints, ItemIndex, PersonIndex, Scores

NOBODY = np.int32(-1)  # pads the neighbours of an item that has fewer


@nb.njit(cache=True, nogil=True, error_model="numpy")
def nearest(
    begin: int, end: int, by_person: Pairs, by_item: Pairs, own_share: float, shrinkage: float,
    neighbours: npt.NDArray[np.int32], similarity: Floats,
) -> None:  # fmt: skip
    """Fills neighbours[begin:end] and their similarity, most similar first; among equals the lower number.

    similarity of i and its neighbour j = sum of the weights of the people who have both
                                          / (size_i^own_share size_j^(1 - own_share) + shrinkage)
    where an item's size is the sum of the weights of the people who have it.
    """
    item_count = len(by_item.offsets) - 1
    size, shared = np.zeros(item_count, np.float64), np.zeros(item_count, np.float64)
    for item in range(item_count):
        for at in range(by_item.offsets[item], by_item.offsets[item + 1]):
            size[item] += by_item.weight[at]
    for item in range(begin, end):
        for at in range(by_item.offsets[item], by_item.offsets[item + 1]):
            person, weight = by_item.other[at], by_item.weight[at]
            for place in range(by_person.offsets[person], by_person.offsets[person + 1]):
                shared[by_person.other[place]] += weight
        shared[item] = 0
        met = np.flatnonzero(shared)
        alike = np.empty(len(met), np.float32)
        for n in range(len(met)):
            other = met[n]
            scale = size[item] ** own_share * size[other] ** (1 - own_share) + shrinkage
            alike[n] = shared[other] / scale
            shared[other] = 0
        keep_nearest(item, met, alike, neighbours, similarity)


@nb.njit(cache=True, nogil=True)
def keep_nearest(
    item: int, met: Ints, alike: Floats, neighbours: npt.NDArray[np.int32], similarity: Floats
) -> None:
    """Fills the item's row with those of `met` that are most alike, as many as there is room for."""
    order = np.argsort(-alike, kind="mergesort")[: neighbours.shape[1]]
    neighbours[item, : len(order)] = met[order]
    neighbours[item, len(order) :] = NOBODY
    similarity[item, : len(order)] = alike[order]
    similarity[item, len(order) :] = 0


@nb.njit(cache=True, nogil=True)
def neighbour_sums(
    offsets: Ints, history_items: ItemIndex, neighbours: npt.NDArray[np.int32], similarity: Floats,
    people: PersonIndex, items: npt.NDArray[np.int32],
) -> Scores:  # fmt: skip
    """For each person and item, the similarity of those of its neighbours that the person has, summed."""
    scores = np.zeros(items.shape, np.float32)
    has = np.zeros(len(neighbours), np.bool_)
    for p in range(len(people)):
        mine = history_items[offsets[people[p]] : offsets[people[p] + 1]]
        has[mine] = True
        for c in range(items.shape[1]):
            total = np.float32(0)
            for n in range(neighbours.shape[1]):
                neighbour = neighbours[items[p, c], n]
                if neighbour < 0:
                    break
                if has[neighbour]:
                    total += similarity[items[p, c], n]
            scores[p, c] = total
        has[mine] = False
    return scores


@nb.njit(cache=True, nogil=True)
def row_sums(
    offsets: Ints, history_items: ItemIndex, table: Floats, people: PersonIndex, items: npt.NDArray[np.int32]
) -> Scores:
    """For each person and item, the sum of table[own, item] over the items that the person has."""
    scores = np.zeros(items.shape, np.float32)
    for p in range(len(people)):
        for at in range(offsets[people[p]], offsets[people[p] + 1]):
            row = table[history_items[at]]
            for c in range(items.shape[1]):
                scores[p, c] += row[items[p, c]]
    return scores


@nb.njit(cache=True, nogil=True)
def whole_row_sums(offsets: Ints, history_items: ItemIndex, table: Floats, people: PersonIndex) -> Scores:
    """As row_sums, for every item."""
    scores = np.zeros((len(people), table.shape[1]), np.float32)
    for p in range(len(people)):
        for at in range(offsets[people[p]], offsets[people[p] + 1]):
            row = table[history_items[at]]
            for c in range(table.shape[1]):
                scores[p, c] += row[c]
    return scores


@nb.njit(cache=True, nogil=True)
def count_together(offsets: Ints, history_items: ItemIndex, system: npt.NDArray[np.float64]) -> None:
    """Adds to the lower triangle how many people have both items; items of one history must all differ."""
    for p in range(len(offsets) - 1):
        mine = np.sort(history_items[offsets[p] : offsets[p + 1]])
        for i in range(len(mine)):
            line = system[mine[i]]
            for j in range(i + 1):
                line[mine[j]] += 1
