"""Datasets by name: find the files or fetch them, read them, and say what is known of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from covey.datasets.download import Fetch, download, fetch_over_http
from covey.datasets.interactions import Interactions
from covey.datasets.places import cache_root, places
from covey.datasets.sources import SOURCES, Source
from covey.datasets.tables import is_table, read
from covey.datasets.views import ITEMS, NAME, PEOPLE, VIEWS, views
from covey.errors import ConfigError, DataError, unknown

if TYPE_CHECKING:
    from covey.datasets.synthetic import Town

_SYNTHETIC = "synthetic:"
_NOBODYS = "none: nobody's data"


@dataclass(frozen=True)
class Info:
    """What is known of a dataset without reading it."""

    name: str
    about: str
    licence: str
    people: int
    items: int
    rows: int
    found: Path | None  # the folder that `load` would read; None where it would have to be fetched or made
    urls: tuple[str, ...]


def load(
    name: str,
    path: str | Path | None = None,
    *,
    seed: int = 0,
    fetch: Fetch = fetch_over_http,
) -> Interactions:
    """A dataset by its name, or a CSV, TSV or Parquet file by its path.

    A named source is looked for in `path` if that is given; otherwise in $COVEY_DATA/<name>/, in the user's
    cache, and at its publisher. What starts with `synthetic:` is made on the spot from `seed`, which nothing else uses.
    """
    if name == NAME:
        return views(seed)
    if name.startswith(_SYNTHETIC):
        return _town(name, seed)
    if name not in SOURCES:
        if is_table(name):
            return read(name)
        raise unknown("dataset", name, [*SOURCES, *_towns(), NAME])
    source = SOURCES[name]
    looked = places(source, path)
    for place in looked:
        if place.folder is not None and place.complete:
            return _as_published(source, place.folder)
    if path is not None:
        raise DataError(f"{name}: expected {', '.join(source.files)}, but {looked[0]}; check the path")
    return _fetched(source, fetch)


def get(name: str, *, fetch: Fetch = fetch_over_http) -> Path:
    """The folder of a named source, fetched into the user's cache where it is nowhere yet."""
    if name.startswith(_SYNTHETIC):
        raise ConfigError(
            f"expected a dataset that has files, got {name!r}, which is made on the spot; just load it"
        )
    if name not in SOURCES:
        raise unknown("dataset", name, SOURCES)
    found = _found(SOURCES[name])
    if found is None:
        _fetched(SOURCES[name], fetch)
    return found or cache_root() / name


def info(name: str) -> Info:
    """What is known of a dataset: what it is, its licence, its size, and where it lies."""
    if name in SOURCES:
        source = SOURCES[name]
        counts = (source.people, source.items, source.rows)
        return Info(name, source.about, source.licence, *counts, _found(source), source.urls)
    if name == NAME:
        about = (
            f"made up by Covey: {VIEWS} views a person at random, as the FCF paper simulates them; for checks"
        )
        return Info(name, about, _NOBODYS, PEOPLE, ITEMS, PEOPLE * VIEWS, None, ())
    towns = _towns()
    if name not in towns:
        raise unknown("dataset", name, [*SOURCES, *towns, NAME])
    town = towns[name]
    about = f"made up by Covey: {town.tastes} tastes, {town.genres} genres, {town.years} years"
    return Info(name, about, _NOBODYS, town.people, town.items, town.rows, None, ())


def listing() -> list[Info]:
    """Every dataset that has a name: the sources, then what is made up."""
    return [info(name) for name in (*SOURCES, *_towns(), NAME)]


def _found(source: Source) -> Path | None:
    return next((place.folder for place in places(source) if place.complete), None)


def _as_published(source: Source, folder: Path) -> Interactions:
    """The data of a folder, with a note where it is not all of what was published."""
    data = source.read(folder)
    if (data.people_count, data.item_count, len(data)) == (source.people, source.items, source.rows):
        return data
    published = f"{source.people:,} people, {source.items:,} items and {source.rows:,} rows"
    return data.with_notes(f"This is not {source.name} as published, which has {published}.")


def _fetched(source: Source, fetch: Fetch) -> Interactions:
    looked = "; ".join(str(place) for place in places(source))
    files = ", ".join(source.files)
    remedy = f"put {files} into one of these folders, or pass the path of theirs"
    if not source.urls:
        raise DataError(f"{source.name} was not found ({looked}), and it has no public download; {remedy}")
    try:
        return download(source, cache_root() / source.name, fetch)
    except OSError as error:
        failed = f"the download from {source.urls[0]} failed: {error}"
        raise DataError(
            f"{source.name} was not found (no path was given; {looked}; {failed}); {remedy}"
        ) from None


def _town(name: str, seed: int) -> Interactions:
    from covey.datasets.synthetic import town  # late: it brings in the compiler

    return town(name, seed)


def _towns() -> Mapping[str, "Town"]:
    from covey.datasets.synthetic import TOWNS  # late: it brings in the compiler

    return TOWNS
