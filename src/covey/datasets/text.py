"""Text files of rows, read with polars; a file that does not fit is scanned again for the line at fault."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from covey.datasets.faults import first_fault, line_of
from covey.datasets.layout import DTYPES, Layout
from covey.errors import DataError

_BLANK_LINE = re.compile(rb"^[ \t]*\r?(\n|\Z)", re.MULTILINE)
_REAL_TIME = 10**8  # seconds; 1973. Times below it are somebody's own count, which may begin anywhere.


@dataclass(frozen=True, eq=False)
class Table:
    """Rows that fit their layout, and a way to say where one of them stands."""

    source: str  # what to call the whole of it in a message
    frame: pl.DataFrame
    place: Callable[[int], str]  # row from 0 -> "ratings.dat, line 17"


def read_text(path: Path, layout: Layout) -> Table:
    """The wanted columns of a text file; raises a DataError that names the line which does not fit."""
    require_content(path)
    frame = _parse(path, layout)
    if frame is None or _has_gaps(frame):
        fault = first_fault(path, layout)
        if fault:
            raise fault
        if frame is None or frame.select(pl.all_horizontal(pl.all().is_null()).any()).item():
            frame = _without_blank_lines(path, layout)
    table = Table(str(path), frame.select(list(layout.kinds)), lambda row: line_of(path, layout, row))
    if layout.kinds.get("time") == "whole":
        require_whole_end(path, table)
    return table


def require_content(path: Path) -> None:
    """Raises a DataError unless there is a readable file with something in it."""
    if not path.is_file():
        got = "a folder" if path.is_dir() else "nothing"
        raise DataError(f"{path}: expected a file, got {got}; check the path")
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise DataError(f"{path}: expected a readable file, got {error.strerror}; check its rights") from None
    if empty:
        raise DataError(f"{path}: expected rows, got an empty file; fetch or export it again")


def require_whole_end(path: Path, table: Table) -> None:
    """Raises a DataError where a file stops within the last line's time, whatever column that is.

    A line that is cut inside a number still looks like a line. But a time in seconds that lost a digit is a tenth
    of what it was, long before every other time in the file.
    """
    times = table.frame["time"]
    with path.open("rb") as file:
        file.seek(-1, 2)
        if file.read(1) in (b"\n", b"\r") or len(times) < 2:
            return
    last, earliest = times[-1], times[:-1].min()
    if isinstance(earliest, int) and earliest > _REAL_TIME and last * 5 < earliest:
        where = table.place(len(times) - 1)
        expected = "expected a whole line, got a time long before all others and no line end"
        raise DataError(f"{where}: {expected}; the file seems cut short: fetch it again")


def decoded(raw: bytes) -> str:
    """The text of a file of unknown encoding: UTF-8, or Latin-1 where it is not (which accepts every byte)."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def check_header(path: Path, layout: Layout) -> None:
    """Raises a DataError unless the first line names the layout's columns."""
    require_content(path)
    with path.open("rb") as file:
        names = decoded(file.readline()).rstrip("\r\n").split(layout.separator)
    if tuple(name.strip().strip('"') for name in names) != layout.columns:
        expected = layout.separator.join(layout.columns)
        got = layout.separator.join(names)[:80]
        raise DataError(f"{path}, line 1: expected the header {expected!r}, got {got!r}; is it another file?")


def _parse(path: Path, layout: Layout) -> pl.DataFrame | None:
    if len(layout.separator) > 1:  # polars wants one byte, so "::" becomes a tab on the way
        raw = path.read_bytes().replace(layout.separator.encode(), b"\t")
        return _parse_utf8(io.BytesIO(raw), layout, "\t")
    frame = _parse_utf8(path, layout, layout.separator)
    if frame is None and any(kind in ("text", "optional") for kind in layout.kinds.values()):
        latin = decoded(path.read_bytes()).encode()
        frame = _parse_utf8(io.BytesIO(latin), layout, layout.separator)
    return frame


def _without_blank_lines(path: Path, layout: Layout) -> pl.DataFrame:
    separator = layout.separator if len(layout.separator) == 1 else "\t"
    text = decoded(path.read_bytes()).replace(layout.separator, separator)
    frame = _parse_utf8(io.BytesIO(_BLANK_LINE.sub(b"", text.encode())), layout, separator)
    if frame is None:
        expected = f"expected lines with the fields {', '.join(layout.columns)}"
        raise DataError(f"{path}: {expected}, got none that can be read; is it another file?")
    return frame


def _parse_utf8(source: Path | io.BytesIO, layout: Layout, separator: str) -> pl.DataFrame | None:
    # The last column is always parsed, wanted or not: only so are lines of too few or too many fields noticed.
    wanted = [column for column in layout.columns if column in layout.kinds or column == layout.columns[-1]]
    try:
        lazy = pl.scan_csv(
            source,
            has_header=False,
            skip_rows=int(layout.header),
            separator=separator,
            quote_char='"' if layout.quoted else None,
            schema={name: DTYPES[layout.kinds.get(name, "optional")] for name in layout.columns},
            glob=False,
        )
        return lazy.select(wanted).collect().rechunk()
    except (pl.exceptions.PolarsError, UnicodeDecodeError):
        return None


def _has_gaps(frame: pl.DataFrame) -> bool:
    """Whether a field may be missing; an empty optional field costs a scan and then passes."""
    return frame.is_empty() or any(column.has_nulls() for column in frame)
