"""What is ranked for whom: each person's held-out items among their rivals, prepared once for a whole run."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numba as nb
import numpy as np

from covey.splits import Histories
from covey.types import Ints, ItemIndex, PersonIndex

# Scorers may build [people, candidates, factors]: a million cells of 64 factors are 256 MB.
LIST_CELLS = 1 << 20
# Scores of every item are one matrix product; 8 million cells are 32 MB.
EVERYTHING_CELLS = 1 << 23


@dataclass(frozen=True, eq=False)
class Block:
    """Candidate lists of some people, as one rectangle that a scorer can take at once."""

    rows: Ints  # [block] places of these people in Candidates.people
    items: (
        ItemIndex  # [block, width] held-out items, then rivals, then the first held-out item again as padding
    )


@dataclass(frozen=True, eq=False)
class Candidates:
    """The held-out items of everybody evaluated, and the rivals that they are ranked among.

    Holds lists (sampled or given rivals), or for a ranking of all items the histories that are left out of it.
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
        0  # people who hold something out but have nothing to rank it against; not evaluated
    )

    def __len__(self) -> int:
        return len(self.people)


def group_offsets(counts: Ints) -> Ints:
    """Where each group starts, and where the last one ends."""  # [groups + 1]
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)))


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
    """Given negatives [people, negatives] without padding and without those that are held out for the same person.

    Returns how many each person has [people], and their items, person after person.
    """
    kept = given >= 0
    _drop_held_out(given, held_out.offsets, held_out.item, kept)
    return kept.sum(axis=1), given[kept]


def pack(held_out: Histories, rival_counts: Ints, rivals: ItemIndex) -> Iterator[Block]:
    """Blocks of at most LIST_CELLS cells (one person at least) that hold every list once.

    People with lists of similar length share a block: one long list must not widen everybody's.
    """
    widths = held_out.counts + rival_counts
    rival_offsets = group_offsets(rival_counts)
    order = np.argsort(widths, kind="stable")
    start = 0
    while start < len(order):
        # Widths ascend, so the last list of a block is its widest: cells grow with every list added.
        cells = widths[order[start:]] * np.arange(1, len(order) - start + 1)
        end = start + max(1, int(np.searchsorted(cells, LIST_CELLS, side="right")))
        rows = order[start:end]
        items = np.empty((len(rows), int(widths[rows[-1]])), np.int32)
        _fill(items, rows, held_out.offsets, held_out.item, rival_offsets, rivals)
        yield Block(rows, items)
        start = end


@nb.njit(cache=True, nogil=True)
def _fill(
    items: ItemIndex, rows: Ints, held_at: Ints, held: ItemIndex, rival_at: Ints, rivals: ItemIndex
) -> None:
    """Writes the list of rows[b] into items[b]."""
    for b in range(len(rows)):
        row = rows[b]
        own = held[held_at[row] : held_at[row + 1]]
        others = rivals[rival_at[row] : rival_at[row + 1]]
        items[b, : len(own)] = own
        items[b, len(own) : len(own) + len(others)] = others
        # A real item, so that a scorer may look it up; the ranking stops before it.
        items[b, len(own) + len(others) :] = own[0]


@nb.njit(cache=True, nogil=True)
def _drop_held_out(given: ItemIndex, held_at: Ints, held: ItemIndex, kept: np.ndarray) -> None:  # pyright: ignore[reportMissingTypeArgument]
    """Clears kept[p, n] where given[p, n] is held out for person p."""
    for p in range(given.shape[0]):
        for row in range(held_at[p], held_at[p + 1]):
            for n in range(given.shape[1]):
                if given[p, n] == held[row]:
                    kept[p, n] = False
