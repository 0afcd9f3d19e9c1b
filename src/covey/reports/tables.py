"""Runs side by side, as rows for programs and as tables for people."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from covey.reports import facts, units
from covey.reports.facts import RunFiles

Row = dict[str, Any]

_ERROR = "_se"
_HIDDEN = frozenset({"federated", "status"})
_COLUMNS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "title": ("run", str),
    "rounds": ("rounds", units.count),
    "global_rounds": ("global rounds", units.amount),
    "upload_bytes": ("sent a person", units.bytes_),
    "download_bytes": ("received a person", units.bytes_),
    "seconds": ("time", units.seconds),
}
_COMPARED = frozenset({"ours", "theirs", "people", "note"})


def comparison(runs: Sequence[RunFiles]) -> list[Row]:
    """One row a run, in the order given: numbers as they are, None where there is none.

    Keys: title, federated, status, each headline metric (and its standard error under `<metric>_se` where
    known), rounds, global_rounds, upload_bytes and download_bytes (mean a person), seconds.
    """
    names = facts.headlines(runs)
    return [_row(run, names) for run in runs]


def _row(run: RunFiles, names: Sequence[str]) -> Row:
    row: Row = {"title": run.title, "federated": run.federated, "status": facts.status(run)}
    for name in names:
        row[name] = facts.final(run, name)
        row[name + _ERROR] = facts.standard_error(run, name)
    rounds = facts.last(run, "round")
    row["rounds"] = None if rounds is None else int(rounds)
    row["global_rounds"] = facts.last(run, "global_round")
    for name in ("upload_bytes", "download_bytes", "seconds"):
        row[name] = facts.cost(run, name)
    return row


def presentable(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The headers and the cells of a comparison, as text to be read."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    shown = [key for key in keys if key not in _HIDDEN and not key.endswith(_ERROR)]
    headers = [_COLUMNS[key][0] if key in _COLUMNS else facts.label(key) for key in shown]
    return headers, [[_cell(row, key) for key in shown] for row in rows]


def _cell(row: Mapping[str, Any], key: str) -> str:
    if key == "title":
        ended = row.get("status", "finished") == "finished"
        return str(row[key]) if ended else f"{row[key]} ({row['status']})"
    if key in _COLUMNS:
        return _COLUMNS[key][1](row.get(key))
    return units.metric(row.get(key), row.get(key + _ERROR))


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """A comparison as a Markdown table, with a line below it on what is not a federation."""
    headers, cells = presentable(rows)
    central = [str(row["title"]) for row in rows if not row.get("federated", True)]
    note = (
        f"\nCentral, with every history in one place: {escaped(units.listed(central))}.\n" if central else ""
    )
    return markdown_table(headers, cells) + note


def to_json(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as JSON, indented; whatever is not a finite number is null."""
    return msgspec.json.format(msgspec.json.encode(list(rows)), indent=2).decode() + "\n"


def summary_text(runs: Sequence[RunFiles]) -> str:
    """The comparison as aligned plain text, for a terminal or a log."""
    headers, cells = presentable(comparison(runs))
    lines = [headers, *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]
    return "".join(_aligned(line, widths) + "\n" for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (" ".join(text.split()) for text in line)
    return "  ".join(
        [first.ljust(widths[0]), *(text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))]
    )


def ours_and_theirs(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of our numbers beside published ones.

    A row holds `ours` and `theirs` (numbers, or None; `theirs` may be text, as its paper prints it) and may
    hold `people` (how many were evaluated, for the error of a hit rate) and `note`; each other key is a
    column that says what the numbers are, such as dataset, model and metric.
    """
    what = list(dict.fromkeys(key for row in rows for key in row if key not in _COMPARED))
    headers = [*what, "ours", "theirs", "difference", "note"]
    cells = [[*(_plain(row.get(key)) for key in what), *_beside(row)] for row in rows]
    return markdown_table(headers, cells, left={*what, "note"})


def _beside(row: Mapping[str, Any]) -> list[str]:
    ours, theirs = row.get("ours"), row.get("theirs")
    error = facts.binomial_error(ours, row.get("people")) if _is_hit_rate(row) else None
    published = units.MISSING if theirs is None else units.value(theirs)
    mine, other = units.finite(ours), _number(theirs)
    difference = units.MISSING if mine is None or other is None else f"{mine - other:+.3f}"
    return [units.metric(ours, error), published, difference, str(row.get("note") or "")]


def _is_hit_rate(row: Mapping[str, Any]) -> bool:
    return str(row.get("metric", "")).lower().startswith("hr@")


def _number(published: Any) -> float | None:
    """A published number as a float; papers print .61 and 0.61, and now and then n/a."""
    if isinstance(published, str):
        try:
            return units.finite(float(published))
        except ValueError:
            return None
    return units.finite(published)


def _plain(thing: Any) -> str:
    return units.MISSING if thing is None else units.value(thing)


def markdown_table(
    headers: Sequence[str], cells: Sequence[Sequence[str]], left: set[str] | None = None
) -> str:
    """A Markdown table; columns named in `left` (else the first) are set left, the others right."""
    flush = left if left is not None else set(headers[:1])
    rule = ["---" if header in flush else "---:" for header in headers]
    lines = [[escaped(text) for text in headers], rule, *([escaped(text) for text in line] for line in cells)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def escaped(text: str) -> str:
    """Text that stays in its cell and starts no markup."""
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{sign}" if sign in "\\|`*_[]" else sign for sign in flat)
