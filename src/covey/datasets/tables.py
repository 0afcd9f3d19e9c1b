"""Anybody's table of interactions: CSV, TSV and the like, or Parquet."""

import csv
from functools import partial
from pathlib import Path

import polars as pl

from covey.datasets.build import build
from covey.datasets.catalog import Entry, aligned, year_of
from covey.datasets.columns import choose
from covey.datasets.groups import grouped
from covey.datasets.interactions import Interactions
from covey.datasets.layout import Kind, Layout
from covey.datasets.text import Table, decoded, read_text, require_content, require_whole_end
from covey.datasets.times import seconds
from covey.errors import ConfigError, DataError

_PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
_SEPARATORS = ("\t", ",", ";", "|")
_LOOK_AHEAD = 1000  # rows that say whether ids are whole numbers


def is_table(name: str) -> bool:
    """Whether a name is the path of a table rather than the name of a dataset."""
    return Path(name).suffix.lower() in (*_PARQUET, *_TEXT) or "/" in name or "\\" in name


def read(
    path: str | Path,
    *,
    person: str | None = None,
    user: str | None = None,
    item: str | None = None,
    value: str | None = None,
    time: str | None = None,
    title: str | None = None,
    group: str | None = None,
    separator: str | None = None,
    name: str | None = None,
) -> Interactions:
    """The interactions of a CSV, TSV or Parquet file, whose first line names its columns.

    `person` (or `user`, which means the same), `item`, `value`, `time` and `title` name columns; those that are
    not named are guessed from usual names, and only a person and an item must be there. Times may be numbers
    (seconds since 1970, or milli-, micro- or nanoseconds, told by their size) or ISO 8601 text. Without a value
    every value is 1; without a time `has_time` is false. A title becomes the catalogue. `group` names a column that
    puts people together, which is never guessed; an empty field there is in no group.
    """
    if person is not None and user is not None:
        raise ConfigError(
            f"expected person= or user=, which mean the same, got both ({person!r} and {user!r})"
        )
    path = Path(path)
    named = {
        "person": person or user, "item": item, "value": value, "time": time, "title": title, "group": group
    }  # fmt: skip
    parquet = path.suffix.lower() in _PARQUET
    table = _read_parquet(path, named) if parquet else _read_delimited(path, named, separator)
    if table.frame.is_empty():
        raise DataError(f"{path}: expected rows, got none below the names of the columns; export it again")
    table, notes = _with_seconds(table, None if parquet else path)
    titles = table.frame.select("item", "title") if "title" in table.frame.columns else None
    rows = Table(table.source, table.frame.drop("title", "group", strict=False), table.place)
    catalog_of = partial(aligned, known=_entries(titles)) if titles is not None else None
    data = build(name or path.stem, rows, catalog_of=catalog_of).with_notes(*notes)
    return grouped(data, table) if group is not None else data


def _with_seconds(table: Table, text: Path | None) -> tuple[Table, tuple[str, ...]]:
    """The table with its times in seconds, if it has any, and what to note about them."""
    if "time" not in table.frame.columns:
        return table, ()
    when, note = seconds(table)
    timed = Table(table.source, table.frame.with_columns(time=when), table.place)
    if text is not None:
        require_whole_end(text, timed)
    return timed, (note,) if note else ()


def _read_delimited(path: Path, named: dict[str, str | None], separator: str | None) -> Table:
    require_content(path)
    header, separator = _header(path, separator)
    roles = {column: role for role, column in choose(path, header, named).items()}
    columns = tuple(roles.get(column, f"column {place}") for place, column in enumerate(header, 1))
    kinds: dict[str, Kind] = {
        "person": "text",
        "item": "text",
        "value": "number",
        "time": "text",
        "title": "optional",
        "group": "optional",
    }
    wanted: dict[str, Kind] = {role: kind for role, kind in kinds.items() if role in columns}
    layout = Layout(columns, wanted, separator, header=True, quoted=True)
    whole = _whole_numbers(path, layout)
    if not whole:
        return read_text(path, layout)
    try:  # numbers take a fraction of the room of text
        return read_text(path, Layout(columns, {**wanted, **whole}, separator, header=True, quoted=True))
    except DataError:
        return read_text(path, layout)  # an id further down may be text; any real fault is found again


def _header(path: Path, separator: str | None) -> tuple[list[str], str]:
    """The names in the first line, and the separator: the usual one that occurs there most."""
    with path.open("rb") as file:
        line = decoded(file.readline(1_000_000)).rstrip("\r\n")
    if separator is None:
        separator = max(_SEPARATORS, key=line.count)
    names = [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
    if len(names) < 2 or len(set(names)) < len(names):
        expected = "expected a first line with at least two names of columns, each once"
        raise DataError(f"{path}, line 1: {expected}, got {line[:60]!r}; add them or pass separator=")
    return names, separator


def _whole_numbers(path: Path, layout: Layout) -> dict[str, Kind]:
    """The id columns that hold plain whole numbers, as far as the first rows show ("007" is not one)."""
    try:
        head = pl.read_csv(
            path,
            separator=layout.separator,
            n_rows=_LOOK_AHEAD,
            infer_schema=False,
            has_header=False,
            skip_rows=1,
            new_columns=list(layout.columns),
            glob=False,
        )
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        return {}
    ids = [role for role in ("person", "item") if role in head.columns]
    return {role: "whole" for role in ids if head[role].str.contains(r"^(0|-?[1-9][0-9]{0,17})$").all()}


def _read_parquet(path: Path, named: dict[str, str | None]) -> Table:
    require_content(path)
    try:
        lazy = pl.scan_parquet(path, glob=False)
        schema = lazy.collect_schema()
        roles = choose(path, schema.names(), named)
        frame = lazy.select(pl.col(column).alias(role) for role, column in roles.items()).collect()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{path}: expected a whole Parquet file, got {reason!r}; export it again") from None
    for role in [role for role in ("person", "item", "group") if role in frame.columns]:
        dtype = frame.schema[role]
        if not dtype.is_integer() and not isinstance(dtype, pl.String | pl.Categorical | pl.Enum):
            column = roles[role]
            expected = f"expected whole numbers or text in {column!r}"
            raise DataError(f"{path}: {expected}, got {dtype}; convert the column or name another {role}")
        frame = frame.with_columns(pl.col(role).cast(pl.Int64 if dtype.is_integer() else pl.String))
    if "value" in frame.columns:
        if not frame.schema["value"].is_numeric() and not isinstance(frame.schema["value"], pl.Boolean):
            expected = f"expected numbers in {roles['value']!r}"
            raise DataError(f"{path}: {expected}, got {frame.schema['value']}; name another value")
        frame = frame.with_columns(pl.col("value").cast(pl.Float32))
    return Table(str(path), frame, lambda row: f"{path}, row {row + 1}")


def _entries(titles: pl.DataFrame) -> dict[object, Entry]:
    """The first title of each item."""
    named = titles.drop_nulls().unique("item", keep="first", maintain_order=True)
    return {item: Entry(str(title), (), year_of(str(title))) for item, title in named.iter_rows()}
