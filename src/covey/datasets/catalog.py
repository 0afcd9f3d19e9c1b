"""Titles, genres and years, aligned with the item numbers of a dataset."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from covey.datasets.interactions import Catalog

_YEAR = re.compile(r"\((\d{4})(?:[-–]\d{0,4})?\)\s*$")


class Entry(NamedTuple):
    """What a source says of one item."""

    title: str
    genres: tuple[str, ...] = ()
    year: int = 0


def aligned(item_ids: pl.Series, known: Mapping[Any, Entry]) -> Catalog:
    """The catalogue of these items; one that the source does not name gets its id as a title."""
    entries = [known.get(original) or Entry(str(original)) for original in item_ids]
    return Catalog(
        titles=[entry.title for entry in entries],
        genres=[entry.genres for entry in entries],
        years=np.array([entry.year for entry in entries], np.int32),
    )


def year_of(title: str) -> int:
    """The year that a title ends with, as in 'Heat (1995)'; of a span its first; 0 where there is none."""
    match = _YEAR.search(title)
    return int(match[1]) if match else 0
