"""Histories of a population as columns, and the three parts that a split makes of them."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from covey.types import Ints, ItemIndex, PersonIndex


@dataclass(frozen=True, eq=False)
class History:
    """One person's rows, in time order. It stays where the person is."""

    item: ItemIndex  # [rows]
    value: npt.NDArray[np.float32]  # [rows]
    time: npt.NDArray[np.int64]  # [rows]

    def __len__(self) -> int:
        return len(self.item)

    def __repr__(self) -> str:
        return "History(kept at home)"


@dataclass(frozen=True, eq=False)
class Histories:
    """Everybody's rows in one part of a split: person p has rows offsets[p] to offsets[p + 1], in time order."""

    offsets: Ints  # [people + 1]
    item: ItemIndex  # [rows]
    value: npt.NDArray[np.float32]  # [rows]
    time: npt.NDArray[np.int64]  # [rows]
    item_count: int

    def __len__(self) -> int:
        return len(self.item)

    @property
    def people_count(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> Ints:
        """Rows of each person."""  # [people]
        return np.diff(self.offsets)

    def of(self, person: int) -> History:
        """One person's rows (views, not copies)."""
        rows = slice(int(self.offsets[person]), int(self.offsets[person + 1]))
        return History(self.item[rows], self.value[rows], self.time[rows])

    @property
    def person(self) -> PersonIndex:
        """The person of each row."""  # [rows]
        return np.repeat(np.arange(self.people_count, dtype=np.int32), self.counts)

    def __repr__(self) -> str:
        return f"Histories({self.people_count:,} people, {len(self):,} rows)"


@dataclass(frozen=True, eq=False)
class Split:
    """A population's data in three parts that share no row."""

    rule: str  # one sentence that says how the parts were made, ties included
    train: Histories
    valid: Histories
    test: Histories
    negatives: ItemIndex | None = (
        None  # [people, negatives] candidates that came with the files, -1 pads a row
    )
    cold_people: PersonIndex = field(default_factory=lambda: np.zeros(0, np.int32))  # have no training row
    cold_items: ItemIndex = field(
        default_factory=lambda: np.zeros(0, np.int32)
    )  # held out, trained by nobody
    groups: npt.NDArray[np.int32] | None = None  # [people] whom the source puts together, -1: in no group

    @property
    def people_count(self) -> int:
        return self.train.people_count

    @property
    def item_count(self) -> int:
        return self.train.item_count
