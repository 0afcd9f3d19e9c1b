"""Foursquare check-ins: six Italian cities, and New York as published with TSMC 2014.

A (person, venue) is one interaction, at the person's first visit there. A venue has no name in either source: its
title and its only genre are its type ("Plaza", "Coffee Shop").
"""

import re
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from covey.datasets.build import build
from covey.datasets.catalog import Entry, aligned
from covey.datasets.interactions import Interactions
from covey.datasets.layout import Kind, Layout
from covey.datasets.sources.source import Source
from covey.datasets.text import Table, check_header, read_text
from covey.errors import DataError

_CITIES = ("Bologna", "Florence", "Milan", "Rome", "Turin", "Venice")
_ITALY = ("user_id", "venue_id", "type", "utc")
_NYC = ("person", "item", "category_id", "type", "latitude", "longitude", "offset_minutes", "utc")
_KINDS: dict[str, Kind] = {"person": "whole", "item": "text", "type": "text", "utc": "text"}
_UTC = "%a %b %d %H:%M:%S %z %Y"  # Tue Apr 03 18:00:09 +0000 2012


def read_italy(folder: Path) -> Interactions:
    """The check-ins of six cities as one dataset; a person seen in two cities is one person."""
    cities = [_read_city(folder / f"{city}.tsv") for city in _CITIES]
    frame = pl.concat([city.frame for city in cities])
    starts = np.cumsum([0, *(len(city.frame) for city in cities)])

    def place(row: int) -> str:
        city = int(np.searchsorted(starts, row, side="right")) - 1
        return cities[city].place(row - int(starts[city]))

    return _build("foursquare-italy", Table(str(folder), frame, place))


def read_nyc(folder: Path) -> Interactions:
    """227,428 check-ins in New York, of which 91,024 are a person's first at their venue."""
    table = read_text(folder / "dataset_TSMC2014_NYC.txt", Layout(_NYC, _KINDS, encoding="latin-1"))
    return _build("foursquare-nyc", table)


def _read_city(path: Path) -> Table:
    check_header(path, Layout(_ITALY, {}))
    return read_text(path, Layout(("person", "item", "type", "utc"), _KINDS, header=True))


def _build(name: str, table: Table) -> Interactions:
    frame = table.frame
    instant = frame["utc"].str.to_datetime(_UTC, strict=False)
    unread = instant.is_null().arg_true()
    if len(unread):
        row = int(unread[0])
        expected = "expected a time such as 'Tue Apr 03 18:00:09 +0000 2012'"
        raise DataError(f"{table.place(row)}: {expected}, got {frame['utc'][row]!r}; mend or remove the line")
    types = frame.unique("item", keep="first", maintain_order=True)
    venues = {
        venue: Entry(kind, (kind,))
        for venue, kind in zip(types["item"], map(_mended, types["type"]), strict=True)
    }
    rows = frame.select("person", "item").with_columns(time=instant.dt.epoch("s"))
    return build(name, Table(table.source, rows, table.place), catalog_of=partial(aligned, known=venues))


def _mended(kind: str) -> str:
    """A type without control characters: the Italian files hold 'Caf' and one or two of them for 'Café'."""
    return re.sub(r"[\x00-\x1f]+", "", re.sub("Caf\x1a+", "Café", kind))


SOURCES = (
    Source(
        name="foursquare-italy",
        about="check-ins in six Italian cities, 2012-13; each (person, venue) once",
        licence="from the Foursquare crawl of D. Yang et al.; research only, no redistribution",
        people=6596,
        items=34_332,
        rows=89_616,
        files=tuple(f"{city}.tsv" for city in _CITIES),
        read=read_italy,
    ),
    Source(
        name="foursquare-nyc",
        about="check-ins in New York, 2012-13 (TSMC 2014); each (person, venue) once",
        licence="from the Foursquare crawl of D. Yang et al.; research only, no redistribution",
        people=1083,
        items=38_333,
        rows=91_024,
        files=("dataset_TSMC2014_NYC.txt",),
        read=read_nyc,
        urls=("http://www-public.tem-tsp.eu/~zhang_da/pub/dataset_tsmc2014.zip",),
    ),
)
