"""What every reader returns: who had what, when, and how much, with contiguous numbers for people and items."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from covey.types import ItemIndex, PersonIndex


@dataclass(frozen=True, eq=False)
class Catalog:
    """What is known of the items, aligned with the item numbers; a missing year is 0, a missing title the id."""

    titles: list[str]  # [items]
    genres: list[tuple[str, ...]]  # [items]
    years: npt.NDArray[np.int32]  # [items]


@dataclass(frozen=True, eq=False)
class GivenTest:
    """Held-out items and candidate negatives that came with the files (ml-1m-ncf)."""

    item: ItemIndex  # [people] the held-out item, -1 where a person has none
    value: npt.NDArray[np.float32]  # [people]
    time: npt.NDArray[np.int64]  # [people]
    negatives: ItemIndex  # [people, negatives], -1 where a row is shorter


@dataclass(frozen=True, eq=False)
class Interactions:
    """Rows of (person, item, value, time); each (person, item) once; row order is the files' order.

    `time` is in seconds since 1970, all zero where the source has none (`has_time` says which).
    """

    name: str
    person: PersonIndex  # [rows]
    item: ItemIndex  # [rows]
    value: npt.NDArray[np.float32]  # [rows]
    time: npt.NDArray[np.int64]  # [rows]
    person_ids: pl.Series  # [people] original id of each person number
    item_ids: pl.Series  # [items] original id of each item number
    has_time: bool = True
    catalog: Catalog | None = None
    given: GivenTest | None = None
    notes: tuple[str, ...] = field(default=())  # what reading changed, in sentences

    def __len__(self) -> int:
        return len(self.person)

    @property
    def people_count(self) -> int:
        return len(self.person_ids)

    @property
    def item_count(self) -> int:
        return len(self.item_ids)

    @cached_property
    def titles(self) -> list[str]:
        """A title for every item; its original id where the catalogue has none."""
        return self.catalog.titles if self.catalog else [str(original) for original in self.item_ids]

    def with_notes(self, *notes: str) -> "Interactions":
        return replace(self, notes=(*self.notes, *notes))

    def __repr__(self) -> str:
        return (
            f"Interactions({self.name!r}: {len(self):,} rows, {self.people_count:,} people, "
            f"{self.item_count:,} items)"
        )
