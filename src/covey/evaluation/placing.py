"""The compiled part of ranking: places held-out items among their rivals, and keeps each person's top list.

Ties count against the model: a held-out item comes after every rival with an equal score, so a model that
gives everything one score hits nothing. Within a top list, equal scores order rivals before held-out items,
and then by item number.
"""

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.evaluation.candidates import Rows, row_of
from covey.types import Ints, ItemIndex, PersonIndex

Numbers = npt.NDArray[Any]  # scores as the model gave them: a narrower type would make ties


@nb.njit(cache=True, nogil=True)
def place_lists(
    scores: Numbers,
    items: ItemIndex,
    places: Ints,
    offsets: Ints,
    rival_counts: Ints,
    ranks: Ints,
    top: ItemIndex,
) -> int:
    """Places the held-out items of each list; returns the first list with a NaN, or -1."""
    for b in range(len(places)):
        at = places[b]
        own_ranks = ranks[offsets[at] : offsets[at + 1]]
        width = len(own_ranks) + rival_counts[at]
        if not _place(scores[b, :width], items[b, :width], own_ranks, top[at]):
            return b
    return -1


@nb.njit(cache=True, nogil=True)
def place_everything(
    scores: Numbers,
    people: PersonIndex,
    start: int,
    held_out: Rows,
    train: Rows,
    before: Rows,
    ranks: Ints,
    top: ItemIndex,
) -> int:
    """Places held-out items among all items that the person does not know; returns as `place_lists`."""
    item_count = scores.shape[1]
    stamp = np.full(item_count, -1, np.int64)  # the last person for whom an item is no rival
    items = np.empty(item_count, np.int32)
    numbers = np.empty(item_count, scores.dtype)
    for b in range(len(people)):
        for item in row_of(train, people[b]):
            stamp[item] = b
        for item in row_of(before, people[b]):
            stamp[item] = b
        own = row_of(held_out, start + b)
        width = len(own)
        for place in range(width):
            stamp[own[place]] = b
            items[place] = own[place]
            numbers[place] = scores[b, own[place]]
        for item in range(item_count):
            if stamp[item] != b:
                items[width] = item
                numbers[width] = scores[b, item]
                width += 1
        first = held_out[0][start + b]
        if not _place(numbers[:width], items[:width], ranks[first : first + len(own)], top[start + b]):
            return b
    return -1


@nb.njit(cache=True, nogil=True)
def _place(scores: Numbers, items: ItemIndex, ranks: Ints, top: ItemIndex) -> bool:
    """Fills one person's ranks and top list; scores of held-out items come first. False where one is NaN."""
    held_count = len(ranks)
    own = np.sort(scores[:held_count])
    if np.isnan(own[-1]):
        return False
    # ahead[j]: rivals that beat exactly the j + 1 weakest held-out items. One search a rival, not one
    # comparison with every held-out item.
    ahead = np.zeros(held_count, np.int64)
    weakest = own[0]
    best = np.empty(len(top), scores.dtype)
    is_held = np.zeros(len(top), np.bool_)
    filled = 0
    for c in range(held_count, len(scores)):
        score = scores[c]
        if score >= weakest:
            ahead[_beaten(own, score) - 1] += 1
        elif np.isnan(score):
            return False
        # Most rivals are not in the top list: find out here, without a call.
        if filled < len(top) or score >= best[filled - 1]:
            filled = _insert(top, best, is_held, filled, items[c], score, False)
    for c in range(held_count):
        filled = _insert(top, best, is_held, filled, items[c], scores[c], True)
    rivals_ahead = 0
    for place in range(held_count):
        rivals_ahead += ahead[held_count - 1 - place]
        ranks[place] = 1 + place + rivals_ahead
    return True


@nb.njit(cache=True, nogil=True)
def _beaten(own: Numbers, score: float) -> int:
    """How many of the ascending scores in `own`, the first included, are not above `score`."""
    low, high = 1, len(own)
    while low < high:
        middle = (low + high) // 2
        if own[middle] <= score:
            low = middle + 1
        else:
            high = middle
    return low


@nb.njit(cache=True, nogil=True)
def _insert(
    top: ItemIndex, best: Numbers, is_held: Numbers, filled: int, item: int, score: float, held: bool
) -> int:
    """Puts an item where it belongs in the sorted top list; returns how many items the list has now."""
    place = filled
    while place > 0:
        before = place - 1
        if best[before] > score:
            break
        if best[before] == score and (
            is_held[before] < held or (is_held[before] == held and top[before] < item)
        ):
            break
        place -= 1
    end = min(filled + 1, len(top))
    for at in range(end - 1, place, -1):
        top[at], best[at], is_held[at] = top[at - 1], best[at - 1], is_held[at - 1]
    if place < len(top):
        top[place], best[place], is_held[place] = item, score, held
    return end
