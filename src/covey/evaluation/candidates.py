"""What is ranked for whom: each person's held-out items among their rivals, prepared once for a whole run."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.splits import Histories
from covey.types import Ints, ItemIndex, PersonIndex

Rows: TypeAlias = tuple[Ints, ItemIndex]  # offsets and items of Histories, as kernels take them

# Scorers may build [people, candidates, factors]: a million cells of 64 factors are 256 MB.
LIST_CELLS = 1 << 20
# Scores of every item are one matrix product; 8 million cells are 32 MB.
EVERYTHING_CELLS = 1 << 23


@dataclass(frozen=True, eq=False)
class Block:
    """Candidate lists of some people, as one rectangle that a scorer can take at once."""

    places: Ints  # [block] where these people are in Candidates.people
    # [block, width] held-out items, then rivals, then the first held-out item again as padding
    items: ItemIndex


@dataclass(frozen=True, eq=False)
class Candidates:
    """The held-out items of everybody evaluated, and the rivals that they are ranked among.

    Holds lists (sampled or given rivals) or, for a ranking of all items, the histories that are left out.
    """

    protocol: str
    part: str
    item_count: int
    people: PersonIndex  # [evaluated] ascending
    held_out: Histories  # of the evaluated people, in their order
    rival_counts: Ints  # [evaluated]
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    known: tuple[Histories, Histories] | None = field(default=None, repr=False)  # of the whole population
    without_rivals: int = (
        0  # people who held something out, but have nothing to rank it against: not evaluated
    )

    def __len__(self) -> int:
        return len(self.people)


def group_offsets(counts: Ints) -> Ints:
    """Where each group starts, and where the last one ends."""  # [groups + 1]
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))


def rows_of(histories: Histories) -> Rows:
    """The offsets and items of histories."""
    return histories.offsets, histories.item


@nb.njit(cache=True, nogil=True)
def row_of(rows: Rows, person: int) -> ItemIndex:
    """The items of one person (a view)."""
    offsets, item = rows
    return item[offsets[person] : offsets[person + 1]]


def take(histories: Histories, people: PersonIndex) -> Histories:
    """The rows of `people` alone; row p of the result is people[p]."""
    counts = histories.counts[people]
    offsets = group_offsets(counts)
    rows = np.arange(offsets[-1]) + np.repeat(histories.offsets[people] - offsets[:-1], counts)
    columns = (histories.item[rows], histories.value[rows], histories.time[rows])
    return Histories(offsets, *columns, item_count=histories.item_count)


def nobody(people_count: int, item_count: int) -> Histories:
    """Histories without a row."""
    no_rows = (np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int64))
    return Histories(np.zeros(people_count + 1, np.int64), *no_rows, item_count=item_count)


def usable(given: ItemIndex, held_out: Histories) -> tuple[Ints, ItemIndex]:
    """Given negatives [people, negatives] without padding and without what the same person holds out.

    Returns how many each person has [people], and their items, person after person.
    """
    kept = given >= 0
    _drop_held_out(given, rows_of(held_out), kept)
    return kept.sum(axis=1), given[kept]


def pack(held_out: Histories, rival_counts: Ints, rivals: ItemIndex) -> Iterator[Block]:
    """Blocks of at most LIST_CELLS cells (one person at least) that hold every list once.

    People with lists of similar length share a block: one long list must not widen everybody's.
    """
    widths = held_out.counts + rival_counts
    rival_rows = (group_offsets(rival_counts), rivals)
    order = np.argsort(widths, kind="stable")
    start = 0
    while start < len(order):
        # Widths ascend, so the last list of a block is its widest: cells grow with every list added.
        cells = widths[order[start:]] * np.arange(1, len(order) - start + 1)
        end = start + max(1, int(np.searchsorted(cells, LIST_CELLS, side="right")))
        places = order[start:end]
        items = np.empty((len(places), int(widths[places[-1]])), np.int32)
        _fill(items, places, rows_of(held_out), rival_rows)
        yield Block(places, items)
        start = end


@nb.njit(cache=True, nogil=True)
def _fill(items: ItemIndex, places: Ints, held_out: Rows, rivals: Rows) -> None:
    """Writes the list of places[b] into items[b]."""
    for b in range(len(places)):
        own, others = row_of(held_out, places[b]), row_of(rivals, places[b])
        items[b, : len(own)] = own
        items[b, len(own) : len(own) + len(others)] = others
        # A real item, so that a scorer may look it up; the ranking stops before it.
        items[b, len(own) + len(others) :] = own[0]


@nb.njit(cache=True, nogil=True)
def _drop_held_out(given: ItemIndex, held_out: Rows, kept: npt.NDArray[np.bool_]) -> None:
    """Clears kept[p, n] where given[p, n] is held out for person p."""
    for p in range(given.shape[0]):
        for item in row_of(held_out, p):
            for n in range(given.shape[1]):
                if given[p, n] == item:
                    kept[p, n] = False
