"""lastfm-2k: who tagged which artist on Last.fm, and on which day (HetRec 2011).

The source has 186,479 tag events. Which of them count as interactions is a choice:

    each event, people with 5 events or more             185,650 rows   1,600 people   12,454 artists
    each (person, artist) once, the same people           70,508 rows   1,600 people   12,454 artists
    each (person, artist) once, people with 5 of these    69,595 rows   1,222 people   12,274 artists

The first is table 3 of the FedNCF paper; it has the same artist many times in one history, so that a held-out
event is often one that was trained on. Covey takes the last: a (person, artist) is one interaction, dated by the
day of its first tag, and people with under 5 of them are removed.

Five events have a day before Last.fm began (1956, 1957, 1979). A day outside 2002-2011, or one that no calendar
has, counts only where the pair has no other; the pair is then dated 2002-01-01, so that it is nobody's latest row.
"""

from functools import partial
from pathlib import Path

import polars as pl

from covey.datasets.build import build
from covey.datasets.catalog import Entry, aligned
from covey.datasets.faults import records
from covey.datasets.interactions import Interactions
from covey.datasets.layout import Kind, Layout
from covey.datasets.sources.source import Source
from covey.datasets.text import Table, check_header, read_text, require_content

_FIRST_YEAR, _LAST_YEAR = 2002, 2011  # Last.fm began in 2002; the files were published in May 2011
_UNKNOWN_DAY = 1_009_843_200  # 2002-01-01, in seconds
_ROWS_PER_PERSON = 5

_EVENTS = ("userID", "artistID", "tagID", "day", "month", "year")
_WHOLE: dict[str, Kind] = dict.fromkeys(_EVENTS, "whole")


def read_lastfm(folder: Path) -> Interactions:
    """Each (person, artist) once, at the day of the first tag; people with under 5 artists are removed."""
    layout = Layout(_EVENTS, _WHOLE, header=True)
    check_header(folder / "user_taggedartists.dat", layout)
    events = read_text(folder / "user_taggedartists.dat", layout)
    titles = _titles(folder / "artists.dat")
    day, undated = _days(events.frame)
    frame = pl.DataFrame({"person": events.frame["userID"], "item": events.frame["artistID"], "time": day})
    data = build(
        "lastfm-2k", Table(events.source, frame, events.place), catalog_of=partial(aligned, known=titles)
    )
    if undated:
        ruled_out = f"Tag events with a day outside {_FIRST_YEAR}-{_LAST_YEAR}: {undated:,}"
        data = data.with_notes(f"{ruled_out}; the pair takes its next day, or 2002-01-01 where it has none.")
    return data.at_least(rows_per_person=_ROWS_PER_PERSON)


def _days(events: pl.DataFrame) -> tuple[pl.Series, int]:
    """The day of each event in seconds, with unlikely days moved to where they lose; and how many those are."""
    text = pl.format(
        "{}-{}-{}",
        pl.col("year").cast(pl.String).str.zfill(4),
        pl.col("month").cast(pl.String).str.zfill(2),
        pl.col("day").cast(pl.String).str.zfill(2),
    )
    day = text.str.to_date("%Y-%m-%d", strict=False)
    likely = pl.col("day").dt.year().is_between(_FIRST_YEAR, _LAST_YEAR)
    seconds = pl.col("day").cast(pl.Datetime("ms")).dt.epoch("s")
    dated = events.select("userID", "artistID", day=day).select(
        "userID", "artistID", time=pl.when(likely).then(seconds)
    )
    # A pair's day is that of its earliest likely event; where it has none, the stand-in.
    first = pl.col("time").min().over("userID", "artistID").fill_null(_UNKNOWN_DAY)
    return dated.select(first.alias("time"))["time"], dated["time"].null_count()


def _titles(path: Path) -> dict[int, Entry]:
    """Artist names by id; a few tagged artists have none, and lines that are not as they should be are passed by."""
    require_content(path)
    layout = Layout(("id", "name", "url", "pictureURL"), {}, header=True)
    rows = (fields for _, fields in records(path, layout))
    return {int(row[0]): Entry(row[1]) for row in rows if len(row) > 1 and row[0].isdecimal() and row[1]}


SOURCE = Source(
    name="lastfm-2k",
    about="which artists people tagged on Last.fm, by day, 2005-11; people with 5 artists or more",
    licence="non-commercial use (Last.fm, HetRec 2011)",
    people=1222,
    items=12_274,
    rows=69_595,
    files=("user_taggedartists.dat", "artists.dat"),
    read=read_lastfm,
    urls=("https://files.grouplens.org/datasets/hetrec2011/hetrec2011-lastfm-2k.zip",),
    checksum="sha256:6738f48195667ff03caaab4d32ca9a3133d8cc026b7c3cdaf6ce1010e913c59c",
)
