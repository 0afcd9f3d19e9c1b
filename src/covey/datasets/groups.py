"""Whom a file puts together: a column that names a group, such as a hospital, for each row's person."""

from dataclasses import replace

import numpy as np
import polars as pl

from covey.datasets.build import number
from covey.datasets.interactions import Interactions
from covey.datasets.text import Table
from covey.errors import DataError


def grouped(data: Interactions, table: Table) -> Interactions:
    """The data with everybody's group, from the columns person and group of the table that the data was built from.

    An empty field says nothing: who has no other is in no group. Groups are numbered as people are, in the sorted order
    of their ids. Raises a DataError where somebody is in two groups, or nobody in any.
    """
    rows = pl.DataFrame(
        {"row": np.arange(len(table.frame)), "person": table.frame["person"], "group": _told(table)}
    ).drop_nulls("group")
    if rows.is_empty():
        expected = "expected somebody's group, got nothing but empty fields"
        raise DataError(f"{table.source}: {expected} in 'group'; name another column")
    first = rows.unique("person", keep="first", maintain_order=True)
    _refuse_two_groups(table, rows.join(first, on="person", suffix=" before", maintain_order="left"))
    group_ids, group = number(first["group"])
    known = pl.DataFrame({"person": first["person"], "number": group})
    everybody = pl.DataFrame({"person": data.person_ids}).join(
        known, on="person", how="left", maintain_order="left"
    )
    group = everybody["number"].fill_null(-1).to_numpy(writable=True)
    return replace(data, group=group, group_ids=group_ids)


def _told(table: Table) -> pl.Series:
    """The groups as they are told; null where the field is empty."""
    group = table.frame["group"]
    if group.dtype != pl.String:
        return group
    group = group.str.strip_chars()
    return group.set(group == "", None)


def _refuse_two_groups(table: Table, rows: pl.DataFrame) -> None:
    """Raises for the first row whose group is not the one that its person had in the row before."""
    other = rows.filter(pl.col("group") != pl.col("group before"))
    if other.is_empty():
        return
    found = other.row(0, named=True)
    expected = f"expected person {found['person']!r} in the group {found['group before']!r} of an earlier row"
    raise DataError(
        f"{table.place(found['row'])}: {expected}, got {found['group']!r}; mend one of the two rows"
    )
