"""Every table and figure of the papers, and how far each is built again: `experiments/papers.toml` lists them.

reproduced   every published number that could be measured is as published
built        every row was run, and the paper prints no number beside it
differs      some are not; with how many are, and why where that is known
not yet      no experiment, or rows of it that were not run
no number    a drawing, a list of symbols
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from covey.errors import ConfigError
from covey.reports import facts, units
from covey.reproduce import places
from covey.reproduce.results import DONE, NEEDS_DATA, read_stored, state_of, stored_rows

LIST = "papers.toml"
_SHARE = 0.05  # of the published number that ours may be away from it
_ERRORS = 2  # standard errors that a hit rate may be away


class Item(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table or a figure."""

    id: str
    title: str
    by: str = ""  # the experiment that holds it, if that is not paper/id
    needs: str = ""  # what is missing before it can be built
    differs: str = ""  # why our numbers are others
    nothing: str = ""  # why there is nothing to build


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A paper with all of its tables and figures."""

    paper: str
    items: list[Item]


def papers(root: Path | None = None) -> dict[str, Paper]:
    """The papers by the names of their folders; none where there is no list."""
    path = (root or places.experiments_root()) / LIST
    if not path.exists():
        return {}
    try:
        return msgspec.toml.decode(path.read_bytes(), type=dict[str, Paper])
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: expected a list of papers, got trouble: {error}; mend the file") from None


def experiment_of(folder: str, item: Item) -> str:
    """The name of the experiment that builds an item, whether it exists or not."""
    return item.by or f"{folder}/{item.id}"


def standing(folder: str, item: Item, root: Path | None = None) -> str:
    """How far an item is, in a few words."""
    if item.nothing:
        return f"no number: {item.nothing}"
    name = experiment_of(folder, item)
    if name not in places.all_experiments(root):
        return f"not yet: needs {item.needs}" if item.needs else "not yet: no experiment"
    stored = read_stored(places.stored_path(name))
    state = state_of(places.experiment_named(name, root), stored)
    rows = stored_rows(stored)
    lacking = [row for row in rows.values() if row.get("state") == NEEDS_DATA]
    if state.done + len(lacking) < state.to_do or not state.done:
        return f"not yet: {state.done} of {state.to_do} rows"
    as_published, compared = agreement([row for row in rows.values() if row.get("state") == DONE])
    without = f"; {units.listed(sorted({str(row['why']) for row in lacking}))}" if lacking else ""
    if not compared:
        return f"built: the paper prints no number to hold it against{without}"
    if as_published == compared:
        return f"reproduced{without}"
    why = f"; {item.differs}" if item.differs else ""
    return f"differs: {as_published} of {compared} numbers as published{why}{without}"


def agreement(rows: list[dict[str, Any]]) -> tuple[int, int]:
    """How many numbers are as published, of how many that were both published and measured."""
    judged = [
        _close(row, name, ours["mean"], theirs)
        for row in rows
        for name, ours in row["ours"].items()
        if (theirs := published(row, name)) is not None
    ]
    return sum(judged), len(judged)


def published(row: Mapping[str, Any], metric: str) -> float | None:
    """A published number; papers print .61 and 0.61, and now and then n/a."""
    theirs = row["theirs"].get(metric)
    try:
        return None if theirs is None else units.finite(float(theirs))
    except ValueError:
        return None


def _close(row: Mapping[str, Any], metric: str, ours: float, theirs: float) -> bool:
    """Within a twentieth of the published number, or within what other people would have changed."""
    error = facts.binomial_error(ours, row.get("people_evaluated")) if metric.startswith("hr@") else None
    return abs(ours - theirs) <= max(_SHARE * abs(theirs), _ERRORS * (error or 0.0))
