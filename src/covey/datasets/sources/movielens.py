"""MovieLens in its three formats: ml-100k, ml-1m, and the comma-separated one of ml-latest-small and ml-25m.

All four are from https://grouplens.org/datasets/movielens; ratings run from 0.5 or 1 to 5 stars, times are in
seconds. Only rated films are numbered, so ml-1m has 3,706 items although its movies.dat names 3,883.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from covey.datasets.build import build
from covey.datasets.catalog import Entry, aligned, year_of
from covey.datasets.faults import records
from covey.datasets.interactions import Interactions
from covey.datasets.layout import Kind, Layout
from covey.datasets.sources.source import Source
from covey.datasets.text import check_header, read_text, require_content
from covey.errors import DataError

_RESEARCH = "research only, no redistribution, no commercial use without permission (GroupLens)"
_LATEST = "no commercial use without permission (GroupLens)"
_FILES = "https://files.grouplens.org/datasets/movielens"

_KINDS: dict[str, Kind] = {"person": "whole", "item": "whole", "value": "number", "time": "whole"}
_NAMES = ("person", "item", "value", "time")

# The order of the 0/1 columns of u.item, as the dataset's own u.genre lists it.
_GENRES_100K = (
    *("unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama"),
    *(
        "Fantasy",
        "Film-Noir",
        "Horror",
        "Musical",
        "Mystery",
        "Romance",
        "Sci-Fi",
        "Thriller",
        "War",
        "Western",
    ),
)
_ITEM_100K = ("id", "title", "released", "video", "url", *_GENRES_100K)


def read_100k(folder: Path) -> Interactions:
    """u.data and u.item: 100,000 ratings of 1682 films by 943 people."""
    table = read_text(folder / "u.data", Layout(_NAMES, _KINDS))
    films = _entries(folder / "u.item", Layout(_ITEM_100K, {}, "|", encoding="latin-1"), _film_100k)
    return build("ml-100k", table, catalog_of=partial(aligned, known=films))


def read_1m(folder: Path) -> Interactions:
    """ratings.dat and movies.dat: 1,000,209 ratings of 3,706 films by 6,040 people."""
    table = read_text(folder / "ratings.dat", Layout(_NAMES, _KINDS, "::"))
    layout = Layout(("id", "title", "genres"), {}, "::", encoding="latin-1")
    films = _entries(folder / "movies.dat", layout, _film)
    return build("ml-1m", table, catalog_of=partial(aligned, known=films))


def read_csv(folder: Path, name: str) -> Interactions:
    """ratings.csv and movies.csv, as in ml-latest-small and ml-25m."""
    published = Layout(("userId", "movieId", "rating", "timestamp"), {}, ",", header=True)
    check_header(folder / "ratings.csv", published)
    table = read_text(folder / "ratings.csv", Layout(_NAMES, _KINDS, ",", header=True))
    layout = Layout(("movieId", "title", "genres"), {}, ",", header=True, quoted=True)
    check_header(folder / "movies.csv", layout)
    films = _entries(folder / "movies.csv", layout, _film)
    return build(name, table, catalog_of=partial(aligned, known=films))


def _entries(path: Path, layout: Layout, entry: Callable[[list[str]], Entry]) -> dict[int, Entry]:
    """The films of a catalogue file by their original id."""
    require_content(path)
    films: dict[int, Entry] = {}
    for line, fields in records(path, layout):
        if len(fields) != len(layout.columns) or not fields[0].isdecimal():
            expected = f"expected a film's number and {len(layout.columns) - 1} more fields"
            raise DataError(
                f"{path}, line {line}: {expected}, got {len(fields)} fields; fetch the file again"
            )
        films[int(fields[0])] = entry(fields)
    return films


def _film_100k(fields: list[str]) -> Entry:
    _, title, released, _, _, *flags = fields
    genres = tuple(name for name, flag in zip(_GENRES_100K, flags, strict=True) if flag == "1")
    year = year_of(title) or (int(released[-4:]) if released[-4:].isdecimal() else 0)
    return Entry(title, tuple(name for name in genres if name != "unknown"), year)


def _film(fields: list[str]) -> Entry:
    _, title, genres = fields
    named = () if genres == "(no genres listed)" else tuple(filter(None, genres.split("|")))
    return Entry(title, named, year_of(title))


SOURCES = (
    Source(
        name="ml-100k",
        about="100,000 film ratings (1-5) of 943 people, 1997-98",
        licence=_RESEARCH,
        people=943,
        items=1682,
        rows=100_000,
        files=("u.data", "u.item"),
        read=read_100k,
        urls=(f"{_FILES}/ml-100k.zip",),
        checksum="md5:0e33842e24a9c977be4e0107933c0723",
    ),
    Source(
        name="ml-1m",
        about="a million film ratings (1-5) of 6,040 people, 2000-03",
        licence=_RESEARCH,
        people=6040,
        items=3706,
        rows=1_000_209,
        files=("ratings.dat", "movies.dat"),
        read=read_1m,
        urls=(f"{_FILES}/ml-1m.zip",),
        checksum="md5:c4d9eecfca2ab87c1945afe126590906",
    ),
    Source(
        name="ml-latest-small",
        about="100,836 film ratings (0.5-5) of 610 people, 1996-2018",
        licence=_LATEST,
        people=610,
        items=9724,
        rows=100_836,
        files=("ratings.csv", "movies.csv"),
        read=partial(read_csv, name="ml-latest-small"),
        urls=(f"{_FILES}/ml-latest-small.zip",),
    ),
    Source(
        name="ml-25m",
        about="25 million film ratings (0.5-5) of 162,541 people, 1995-2019",
        licence=_LATEST,
        people=162_541,
        items=59_047,
        rows=25_000_095,
        files=("ratings.csv", "movies.csv"),
        read=partial(read_csv, name="ml-25m"),
        urls=(f"{_FILES}/ml-25m.zip",),
        checksum="md5:6b51fb2759a8657d3bfcbfc42b592ada",
    ),
)
