"""What every reader returns: who had what, when, and how much, with contiguous numbers for people and items."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from covey.errors import ConfigError, DataError
from covey.types import ItemIndex, PersonIndex


@dataclass(frozen=True, eq=False)
class Catalog:
    """What is known of the items, aligned with the item numbers; a missing year is 0, a missing title the id."""

    titles: list[str]  # [items]
    genres: list[tuple[str, ...]]  # [items]
    years: npt.NDArray[np.int32]  # [items]

    def only(self, items: ItemIndex) -> "Catalog":
        """The catalogue of these items, in this order."""
        return Catalog([self.titles[i] for i in items], [self.genres[i] for i in items], self.years[items])


@dataclass(frozen=True, eq=False)
class GivenTest:
    """Held-out items and candidate negatives that came with the files (ml-1m-ncf)."""

    item: ItemIndex  # [people] the held-out item, -1 where a person has none
    value: npt.NDArray[np.float32]  # [people]
    time: npt.NDArray[np.int64]  # [people]
    negatives: ItemIndex  # [people, negatives], -1 where a row is shorter

    def only(self, people: PersonIndex, new_number: ItemIndex) -> "GivenTest":
        """These people's rows, with the items numbered anew: old number -> new_number[old]."""
        padded = np.append(new_number, np.int32(-1))  # an index of -1 finds the -1 at the end
        item, negatives = padded[self.item[people]], padded[self.negatives[people]]
        return GivenTest(item, self.value[people], self.time[people], negatives)


@dataclass(frozen=True, eq=False)
class Interactions:
    """Rows of (person, item, value, time); each (person, item) once; row order is the files' order.

    `time` is in seconds since 1970, all zero where the source has none (`has_time` says which). Groups are whom
    the source puts together, such as a hospital's patients; a group that nobody is in does not exist.
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
    group: npt.NDArray[np.int32] | None = None  # [people] -1: in no group; None: the source names no groups
    group_ids: pl.Series | None = None  # [groups] original id of each group number
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

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Rows of each person."""  # [people]
        return np.bincount(self.person, minlength=self.people_count)

    def only_people(self, people: npt.ArrayLike) -> "Interactions":
        """The data of these people alone, numbered anew in their old order; items that nobody is left with go.

        An item stays where it is in a row, is held out, or is a given negative, so that the candidates of the
        people who stay are what they were.
        """
        chosen = np.unique(np.asarray(people))
        if not len(chosen):
            raise DataError(
                f"{self.name}: expected at least one person to keep, got none; ask for fewer removals"
            )
        if chosen.dtype.kind not in "iu" or chosen[0] < 0 or chosen[-1] >= self.people_count:
            expected = f"expected person numbers from 0 to {self.people_count - 1}"
            raise ConfigError(f"{self.name}: {expected}, got {chosen[0]} to {chosen[-1]}; see person_ids")
        stays = np.isin(np.arange(self.people_count), chosen)
        return self._only(np.flatnonzero(stays), stays[self.person])

    def at_least(self, rows_per_person: int) -> "Interactions":
        """The data without the people who have fewer rows than this; a note says how many those were."""
        enough = self.counts >= rows_per_person
        if enough.all():
            return self
        self._refuse_nothing_left("somebody", rows_per_person, self.counts)
        removed = f"People with under {rows_per_person} rows: {np.count_nonzero(~enough):,}, removed."
        return self.only_people(np.flatnonzero(enough)).with_notes(removed)

    def items_at_least(self, rows_per_item: int) -> "Interactions":
        """The data without the items that have fewer rows than this, and without whoever has none of the others.

        Notes say how many those were. People are not counted again: who keeps one row stays.
        """
        if self.given is not None:
            # Each person's given candidates were drawn from the whole catalogue: with holes they are another test.
            expected = "expected data without test items and negatives of its own"
            raise ConfigError(f"{self.name}: {expected} to leave items out, got some; leave out people alone")
        counts = np.bincount(self.item, minlength=self.item_count)
        enough = counts >= rows_per_item
        if enough.all():
            return self
        self._refuse_nothing_left("an item", rows_per_item, counts)
        rows = enough[self.item]
        stays = np.bincount(self.person[rows], minlength=self.people_count) > 0
        removed = [f"Items with under {rows_per_item} rows: {np.count_nonzero(~enough):,}, removed."]
        if not stays.all():
            removed.append(f"People with none of the other items: {np.count_nonzero(~stays):,}, removed.")
        return self._only(np.flatnonzero(stays), rows).with_notes(*removed)

    def raised_to(self, lowest_value: float) -> "Interactions":
        """The data with lower values raised to this one; a note says how many those were."""
        lower = self.value < lowest_value
        if not lower.any():
            return self
        value = np.where(lower, np.float32(lowest_value), self.value)
        raised = f"Values under {lowest_value:g}: {np.count_nonzero(lower):,}, raised to it."
        return replace(self, value=value).with_notes(raised)

    def _refuse_nothing_left(self, what: str, wanted: int, counts: npt.NDArray[np.int64]) -> None:
        if counts.max(initial=0) < wanted:
            most = f"expected {what} with {wanted} rows or more, got {counts.max(initial=0)} at most"
            raise DataError(f"{self.name}: {most}; lower the number or take a larger dataset")

    def _only(self, people: npt.NDArray[np.int64], rows: npt.NDArray[np.bool_]) -> "Interactions":
        used = np.zeros(self.item_count + 1, bool)  # one more, for the -1 that stands for no item
        used[self.item[rows]] = True
        if self.given:
            used[self.given.item[people]] = True
            used[self.given.negatives[people]] = True
        items = np.flatnonzero(used[:-1]).astype(np.int32)
        new_item = np.full(self.item_count, -1, np.int32)
        new_item[items] = np.arange(len(items), dtype=np.int32)
        new_person = np.full(self.people_count, -1, np.int32)
        new_person[people] = np.arange(len(people), dtype=np.int32)
        group, group_ids = self._groups_of(people)
        return replace(
            self,
            person=new_person[self.person[rows]],
            item=new_item[self.item[rows]],
            value=self.value[rows],
            time=self.time[rows],
            person_ids=self.person_ids.gather(people),
            item_ids=self.item_ids.gather(items),
            catalog=self.catalog.only(items) if self.catalog else None,
            given=self.given.only(people.astype(np.int32), new_item) if self.given else None,
            group=group,
            group_ids=group_ids,
        )

    def _groups_of(
        self, people: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int32] | None, pl.Series | None]:
        """These people's groups, numbered anew in their old order, and the ids of those that are not empty."""
        if self.group is None or self.group_ids is None:
            return None, None
        old = self.group[people]
        left = np.unique(old[old >= 0])
        new = np.full(len(self.group_ids) + 1, -1, np.int32)  # one more, for the -1 that stands for no group
        new[left] = np.arange(len(left), dtype=np.int32)
        return new[old], self.group_ids.gather(left)

    def describe(self) -> dict[str, int | float]:
        """People, items, rows, sparsity (the share of empty cells), and the rows of a person: min, max, mean."""
        cells = self.people_count * self.item_count
        return {
            "people": self.people_count,
            "items": self.item_count,
            "rows": len(self),
            "sparsity": 1 - len(self) / cells if cells else 1.0,
            "min_rows_a_person": int(self.counts.min(initial=len(self))),
            "max_rows_a_person": int(self.counts.max(initial=0)),
            "mean_rows_a_person": len(self) / self.people_count if self.people_count else 0.0,
        }

    def __repr__(self) -> str:
        return (
            f"Interactions({self.name!r}: {len(self):,} rows, {self.people_count:,} people, "
            f"{self.item_count:,} items)"
        )
