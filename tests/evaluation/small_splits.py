"""Splits and scorers that fit on a page."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from covey.evaluation import Candidates
from covey.splits import Histories, Split
from covey.types import ItemIndex, PersonIndex, Scores

Lists = Sequence[Sequence[int]]  # items of person 0, of person 1, ...


def histories(lists: Lists, item_count: int, values: Sequence[Sequence[float]] | None = None) -> Histories:
    offsets = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    item = np.array([i for row in lists for i in row], np.int32)
    value = np.ones(len(item)) if values is None else np.array([v for row in values for v in row])
    return Histories(offsets, item, value.astype(np.float32), np.zeros(len(item), np.int64), item_count)


def small_split(
    train: Lists,
    test: Lists,
    item_count: int,
    valid: Lists | None = None,
    negatives: Lists | None = None,
    test_values: Sequence[Sequence[float]] | None = None,
) -> Split:
    """A split with these items of each person; short rows of negatives are padded with -1."""
    padded = None
    if negatives is not None:
        padded = np.full((len(negatives), max(map(len, negatives))), -1, np.int32)
        for person, row in enumerate(negatives):
            padded[person, : len(row)] = row
    return Split(
        rule="by hand",
        train=histories(train, item_count),
        valid=histories(valid or [[] for _ in train], item_count),
        test=histories(test, item_count, test_values),
        negatives=padded,
    )


class Table:
    """Scores that stand in a table, and a note of every request."""

    def __init__(self, scores: npt.ArrayLike, dtype: npt.DTypeLike = np.float32) -> None:
        self.scores = np.asarray(scores, dtype)  # [people, items]
        self.item_count = self.scores.shape[1]
        self.asked: list[tuple[int, int]] = []

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        self.asked.append(items.shape)
        assert items.min() >= 0, "a scorer is never asked for padding"
        return self.scores[people[:, None], items]

    def everything(self, people: PersonIndex) -> Scores:
        self.asked.append((len(people), self.item_count))
        return self.scores[people]


class RatingTable(Table):
    """A Table whose scores are ratings."""

    def values(self, people: PersonIndex, items: ItemIndex) -> Scores:
        return self.candidates(people, items)


def perfect(split: Split) -> Table:
    """Knows the test items."""
    scores = np.zeros((split.people_count, split.item_count))
    scores[split.test.person, split.test.item] = 1
    return Table(scores)


def rivals_of(candidates: Candidates) -> dict[int, list[int]]:
    """The listed rivals of each person, read out of the blocks."""
    found: dict[int, list[int]] = {}
    for block in candidates.blocks:
        for place, row in zip(block.places, block.items, strict=True):
            own = int(candidates.held_out.counts[place])
            end = own + int(candidates.rival_counts[place])
            assert row[:own].tolist() == candidates.held_out.of(place).item.tolist()
            found[int(candidates.people[place])] = row[own:end].tolist()
    return found
