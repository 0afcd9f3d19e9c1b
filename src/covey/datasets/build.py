"""Rows of any source -> Interactions: the one place that validates, numbers people and items, drops repeats."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl

from covey.datasets.interactions import Catalog, Interactions
from covey.datasets.text import Table
from covey.errors import DataError
from covey.types import Ints

CatalogOf = Callable[[pl.Series], Catalog]  # original item ids -> what is known of them, aligned

_SPAN_PER_ROW = 4  # ids that lie closer than this are numbered by a table
_EXPECTED = {
    "person": "a person",
    "item": "an item",
    "value": "a finite number that is not negative",
    "time": "a time",
}


def build(name: str, table: Table, *, catalog_of: CatalogOf | None = None) -> Interactions:
    """Interactions from the columns person, item and, where the source has them, value and time.

    People and items are numbered in the sorted order of their original ids, numerically where the ids are
    numbers. Of the rows that repeat a (person, item) the earliest is kept (the first in the file where times
    tie or there are none); a note says how many were dropped. Without a value column every value is 1.
    """
    check(table)
    frame = table.frame
    person_ids, person = number(frame["person"])
    item_ids, item = number(frame["item"])
    rows = len(frame)
    value = frame["value"].to_numpy(writable=True) if "value" in frame.columns else np.ones(rows, np.float32)
    time = frame["time"].to_numpy(writable=True) if "time" in frame.columns else np.zeros(rows, np.int64)
    kept = first_of_each(person.astype(np.int64) * len(item_ids) + item, time)
    data = Interactions(
        name=name,
        person=person[kept],
        item=item[kept],
        value=value[kept].astype(np.float32, copy=False),
        time=time[kept].astype(np.int64, copy=False),
        person_ids=person_ids,
        item_ids=item_ids,
        has_time="time" in frame.columns,
        catalog=catalog_of(item_ids) if catalog_of else None,
    )
    dropped = rows - len(data)
    if not dropped:
        return data
    which = "earliest" if data.has_time else "first"
    return data.with_notes(
        f"Rows that repeat a (person, item): {dropped:,}, dropped; the {which} of each is kept."
    )


def check(table: Table) -> None:
    """Raises a DataError at the first row that is not finite, negative, or lacks a person, an item or a time."""
    frame = table.frame
    if frame.is_empty():
        raise DataError(f"{table.source}: expected rows, got none; fetch or export it again")
    for column in frame.columns:
        bad = frame[column].is_null()
        if column == "value":
            bad = bad | ~(frame[column].is_finite() & (frame[column] >= 0)).fill_null(False)
        row = bad.arg_max() if bad.any() else None
        if row is not None:
            expected = _EXPECTED[column]
            got = frame[column][row]
            got = "an empty field" if got is None else repr(got)
            raise DataError(
                f"{table.place(row)}: expected {expected}, got {got} in {column!r}; mend or remove it"
            )


def number(original: pl.Series) -> tuple[pl.Series, npt.NDArray[np.int32]]:
    """The sorted distinct ids, and for each row the place of its id among them."""
    ids = original.unique().sort()
    if ids.dtype == pl.String:
        ids = _numerically(ids)
        place = pl.DataFrame({"id": ids, "place": np.arange(len(ids), dtype=np.int32)})
        rows = pl.DataFrame({"id": original}).join(place, on="id", how="left", maintain_order="left")
        return ids, rows["place"].to_numpy(writable=True)
    known, row_ids = ids.to_numpy(), original.to_numpy()
    span = int(known[-1]) - int(known[0]) + 1
    if span > _SPAN_PER_ROW * len(row_ids):
        return ids, np.searchsorted(known, row_ids).astype(np.int32)
    # A table of the whole span is some ten times faster than a search for each row.
    place_of = np.zeros(span, np.int32)
    place_of[known - known[0]] = np.arange(len(known), dtype=np.int32)
    return ids, place_of[row_ids - known[0]]


def _numerically(ids: pl.Series) -> pl.Series:
    """Text ids in the order of their numbers where all of them are numbers ("9" before "10")."""
    numbers = ids.cast(pl.Int64, strict=False)
    if numbers.has_nulls():
        return ids
    return ids.gather(np.argsort(numbers.to_numpy(), kind="stable"))  # "07" and "7" keep their order


def first_of_each(key: Ints, time: Ints) -> slice | Ints:
    """The rows to keep so that each key occurs once, at its earliest time; in the order of the rows."""
    ordered = np.sort(key)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return slice(None)  # the usual case; it copies nothing
    repeated = np.isin(key, twice)
    rows = np.flatnonzero(repeated)
    order = rows[np.lexsort((time[rows], key[rows]))]  # stable: of equal times the earlier row comes first
    is_first = np.diff(key[order], prepend=key[order[0]] - 1) != 0
    return np.sort(np.concatenate([np.flatnonzero(~repeated), order[is_first]]))
