"""ml-1m-ncf: MovieLens-1M as the authors of NCF divided it, with 99 negatives for each person's held-out film.

The published files number people 0-6039 and films 0-3705 without a gap, so that numbering them in sorted order
leaves them as they are. The rows are the training part; the held-out rows and the negatives are in `given`.
In 156 rows the held-out film is among its own negatives; they are kept as they are, and evaluation skips them.
"""

from pathlib import Path

import numpy as np
import polars as pl

from covey.datasets.build import build, check
from covey.datasets.interactions import GivenTest, Interactions
from covey.datasets.layout import Kind, Layout
from covey.datasets.sources.source import Source
from covey.datasets.text import Table, read_text, require_content
from covey.errors import DataError
from covey.types import Ints

_KINDS: dict[str, Kind] = {"person": "whole", "item": "whole", "value": "number", "time": "whole"}
_LAYOUT = Layout(("person", "item", "value", "time"), _KINDS)
_TRAIN, _TEST, _NEGATIVES = "ml-1m.train.rating", "ml-1m.test.rating", "ml-1m.test.negative"


def read_ncf(folder: Path) -> Interactions:
    """The training rows as Interactions, with `given` filled from the test and negative files."""
    train = read_text(folder / _TRAIN, _LAYOUT)
    test = read_text(folder / _TEST, _LAYOUT)
    check(test)
    repeats = test.frame["person"].is_duplicated()
    if repeats.any():
        where = test.place(int(repeats.arg_true()[1]))
        raise DataError(f"{where}: expected one held-out film a person, got a second; fetch the file again")
    negatives = _read_negatives(folder / _NEGATIVES, test)
    return _joined(train, test, negatives)


def _joined(train: Table, test: Table, negatives: list[list[int]]) -> Interactions:
    """One numbering over the three files: the held-out and negative films count although nobody trains on them."""
    rows = build("ml-1m-ncf", train)
    listed = np.array([item for row in negatives for item in row], np.int64)
    person_ids = pl.concat([rows.person_ids, test.frame["person"]]).unique().sort()
    item_ids = pl.concat([rows.item_ids, test.frame["item"], pl.Series(listed)]).unique().sort()
    people, items = person_ids.to_numpy(), item_ids.to_numpy()

    place = np.searchsorted(people, test.frame["person"].to_numpy())
    item, value = np.full(len(people), -1, np.int32), np.zeros(len(people), np.float32)
    time = np.zeros(len(people), np.int64)
    item[place] = np.searchsorted(items, test.frame["item"].to_numpy())
    value[place], time[place] = test.frame["value"].to_numpy(), test.frame["time"].to_numpy()
    candidates = np.full((len(people), max(map(len, negatives), default=0)), -1, np.int32)
    for row, person in zip(negatives, place, strict=True):
        candidates[person, : len(row)] = np.searchsorted(items, row)

    return Interactions(
        name=rows.name,
        person=np.searchsorted(people, rows.person_ids.to_numpy()).astype(np.int32)[rows.person],
        item=np.searchsorted(items, rows.item_ids.to_numpy()).astype(np.int32)[rows.item],
        value=rows.value,
        time=rows.time,
        person_ids=person_ids,
        item_ids=item_ids,
        given=GivenTest(item, value, time, candidates),
        notes=rows.notes,
    )


def _read_negatives(path: Path, test: Table) -> list[list[int]]:
    """The negatives of each test row; a line is '(person,item)' and the negatives, separated by tabs."""
    require_content(path)
    held: Ints = test.frame.select("person", "item").to_numpy()
    rows: list[list[int]] = []
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for line, text in enumerate(lines, 1):
            head, *fields = text.split() or ["an empty line"]
            expected = f"({held[line - 1, 0]},{held[line - 1, 1]})" if line <= len(held) else "no more lines"
            if head != expected:
                raise DataError(f"{path}, line {line}: expected {expected}, got {head[:40]}; fetch it again")
            try:
                rows.append([int(field) for field in fields])
            except ValueError:
                raise DataError(
                    f"{path}, line {line}: expected item numbers after {head}; fetch it again"
                ) from None
    if len(rows) != len(held):
        expected = f"expected {len(held):,} lines as in {_TEST}, got {len(rows):,}"
        raise DataError(f"{path}: {expected}; it seems cut short: fetch it again")
    return rows


_FILES = "https://raw.githubusercontent.com/hexiangnan/neural_collaborative_filtering/master/Data"

SOURCE = Source(
    name="ml-1m-ncf",
    about="ml-1m as the NCF authors divided it: one held-out film and 99 negatives a person",
    licence="ml-1m's: research only, no redistribution, no commercial use without permission (GroupLens)",
    people=6040,
    items=3706,
    rows=994_169,
    files=(_TRAIN, _TEST, _NEGATIVES),
    read=read_ncf,
    urls=tuple(f"{_FILES}/{name}" for name in (_TRAIN, _TEST, _NEGATIVES)),
)
