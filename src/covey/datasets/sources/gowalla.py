"""gowalla: check-ins as the LightGCN authors publish them, one line a person: `user item item item ...`.

There are no times (`has_time` is false); rows keep the order of the files. Their train.txt and test.txt are read
as one dataset, since a split is Covey's to make; a folder with train.txt alone is read as it is.
"""

from itertools import repeat
from pathlib import Path

import polars as pl

from covey.datasets.build import build
from covey.datasets.interactions import Interactions
from covey.datasets.sources.source import Source
from covey.datasets.text import Table, require_content
from covey.errors import DataError


def read_gowalla(folder: Path) -> Interactions:
    """Each (person, place) of train.txt and, where it is there, test.txt."""
    parts = [folder / "train.txt"]
    if (folder / "test.txt").exists():
        parts.append(folder / "test.txt")
    people: list[int] = []
    items: list[int] = []
    for path in parts:
        _read_lines(path, people, items)
    frame = pl.DataFrame({"person": people, "item": items}, schema={"person": pl.Int64, "item": pl.Int64})
    data = build("gowalla", Table(str(folder), frame, lambda row: f"{folder}, pair {row + 1}"))
    return data if len(parts) == 1 else data.with_notes("train.txt and test.txt are read as one dataset.")


def _read_lines(path: Path, people: list[int], items: list[int]) -> None:
    """Adds the pairs of a file; a person whose line holds no item (there are some in test.txt) adds none."""
    require_content(path)
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for line, text in enumerate(lines, 1):
            try:
                person, *found = map(int, text.split())
            except ValueError:
                if not text.strip():
                    continue
                expected = "expected whole numbers (a person, then their items)"
                raise DataError(
                    f"{path}, line {line}: {expected}, got {text.strip()[:40]!r}; mend the line"
                ) from None
            people.extend(repeat(person, len(found)))
            items.extend(found)


_FILES = "https://raw.githubusercontent.com/gusye1234/LightGCN-PyTorch/master/data/gowalla"

SOURCE = Source(
    name="gowalla",
    about="check-ins of people with 10 places or more (the LightGCN files); no times",
    licence="from the Gowalla crawl of E. Cho et al. (SNAP); cite it, no licence is stated",
    people=29_858,
    items=40_981,
    rows=1_027_370,
    files=("train.txt",),
    read=read_gowalla,
    urls=(f"{_FILES}/train.txt", f"{_FILES}/test.txt"),
)
