"""The slow look at a text file, taken only after the fast one failed: which line is at fault, and how."""

import csv
import math
import re
from collections.abc import Iterator
from itertools import chain, islice, pairwise
from pathlib import Path

from covey.datasets.layout import Kind, Layout
from covey.errors import DataError

_WHOLE = re.compile(r"[+-]?[0-9]+")
_REMEDY = "mend or remove the line"
_CUT_SHORT = "the file ends here, as if it were cut short: fetch it again"


def records(path: Path, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Every line that is not blank, header left out, as (line number from 1, fields)."""
    # newline="" keeps the line ends, so that a quoted field may hold one and the count stays right.
    with path.open(encoding=layout.encoding, errors="replace", newline="") as lines:
        if layout.quoted:
            reader = csv.reader(lines, delimiter=layout.separator)
            numbered = ((reader.line_num, fields) for fields in reader)
        else:
            numbered = (
                (number, line.rstrip("\r\n").split(layout.separator)) for number, line in enumerate(lines, 1)
            )
        for number, fields in islice(numbered, int(layout.header), None):
            if any(field.strip() for field in fields):
                yield number, fields


def line_of(path: Path, layout: Layout, row: int) -> str:
    """Where a row (from 0) stands, ready for a message: 'ratings.dat, line 17'."""
    number, _ = next(islice(records(path, layout), row, None))
    return f"{path}, line {number}"


def cell_fault(kind: Kind, text: str) -> str | None:
    """What is wrong with one field, as 'expected ..., got ...', or None."""
    text = text.strip()
    if kind == "optional":
        return None
    if not text:
        return "expected a value, got an empty field"
    if kind == "whole":
        whole = _WHOLE.fullmatch(text) is not None and -(2**63) <= int(text) < 2**63
        return None if whole else f"expected a whole number, got {text!r}"
    return _value_fault(text) if kind == "number" else None


def _value_fault(text: str) -> str | None:
    try:
        value = math.nan if "_" in text else float(text)
    except ValueError:
        return f"expected a number, got {text!r}"
    fine = math.isfinite(value) and value >= 0
    return None if fine else f"expected a finite number that is not negative, got {text!r}"


def first_fault(path: Path, layout: Layout) -> DataError | None:
    """The first line that does not fit the layout, as the error to raise; None where every line fits."""
    end = (0, [""])
    for (number, fields), following in pairwise(chain(records(path, layout), [end])):
        if len(fields) != len(layout.columns):
            remedy = _CUT_SHORT if following is end and len(fields) < len(layout.columns) else _REMEDY
            expected = f"expected {len(layout.columns)} fields, got {len(fields)}"
            return DataError(f"{path}, line {number}: {expected}; {remedy}")
        for column, text in zip(layout.columns, fields, strict=True):
            fault = cell_fault(layout.kinds.get(column, "optional"), text)
            if fault:
                return DataError(f"{path}, line {number}: {fault} in {column!r}; {_REMEDY}")
    return None
