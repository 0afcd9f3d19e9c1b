"""The section on what left the devices: every field of every message, in words and in bytes."""

from collections.abc import Sequence
from typing import Any

from covey.reports import units, wording
from covey.reports.facts import RunFiles
from covey.reports.markup import Safe, element, joined
from covey.reports.parts import scrolling

Entry = dict[str, Any]

_DIRECTIONS = {"up": "Leaves the device", "down": "Comes to the device"}


def leaving(runs: Sequence[RunFiles]) -> Safe:
    """The ledgers of the runs; says so where a run kept none, and why a central run has none."""
    central = [run.title for run in runs if not run.federated]
    parts = [_one(run) for run in runs if run.federated]
    if central:
        text = f"Every history was in one place already: {wording.short_list(central)}."
        parts.append(joined(element("h3", "Central runs"), element("p", text)))
    return element("section", element("h2", "What left the devices"), *parts)


def _one(run: RunFiles) -> Safe:
    entries = _entries(run)
    title = element("h3", wording.short(run.title))
    if not entries:
        missing = "This run kept no ledger, so this page cannot say what left the devices."
        return joined(title, element("p", missing, class_="nothing"))
    clips = any(units.finite(entry.get("clipped")) for entry in entries)
    numeric = ["messages", "values", *(["clipped"] if clips else []), "bytes", "share"]
    head = [element("th", text, scope="col") for text in ("message and field", "what it reveals")]
    head += [element("th", text, scope="col", class_="number") for text in numeric]
    groups = [_group(direction, entries, clips, len(head)) for direction in _directions(entries)]
    table = element("table", element("thead", element("tr", *head)), *groups)
    note = (
        f"Totals over all people and rounds; shares are of the bytes in one direction. {_clipping(entries)}"
    )
    scroll = scrolling(table, f"What left the devices: {run.title}")
    return joined(title, scroll, element("p", note, class_="note"))


def _clipping(entries: Sequence[Entry]) -> str:
    """What the ledger counted as out of range; silent where it did not count."""
    counts = [units.finite(entry.get("clipped")) for entry in entries]
    if any(counts):
        return "Clipped values lay outside the range that their field declares."
    return "No value lay outside the range that its field declares." if None not in counts else ""


def _entries(run: RunFiles) -> list[Entry]:
    return [] if run.ledger is None else run.ledger.to_dicts()


def _directions(entries: Sequence[Entry]) -> list[str]:
    """The directions that occur, what leaves first."""
    found = dict.fromkeys(str(entry.get("direction")) for entry in entries)
    return sorted(found, key=lambda direction: direction != "up")


def _group(direction: str, entries: Sequence[Entry], clips: bool, columns: int) -> Safe:
    inside = [entry for entry in entries if str(entry.get("direction")) == direction]
    inside.sort(key=lambda entry: -_bytes(entry))
    total = sum(_bytes(entry) for entry in inside)
    said = f"{_DIRECTIONS.get(direction, direction)}: {units.bytes_(total)} in all"
    title = element("tr", element("th", said, colspan=columns, scope="rowgroup"), class_="group")
    return element("tbody", title, *(_row(entry, total, clips) for entry in inside))


def _bytes(entry: Entry) -> float:
    return units.finite(entry.get("bytes")) or 0.0


def _row(entry: Entry, total: float, clips: bool) -> Safe:
    part = units.share(_bytes(entry), total)
    width = 100 * _bytes(entry) / total if total > 0 else 0.0
    bar = element("span", element("span", style=f"width:{width:.1f}%"), class_="bar", aria_hidden="true")
    numbers = ["messages", "values", *(["clipped"] if clips else [])]
    # On a phone the field goes on a line of its own.
    field = element("span", str(entry.get("field")), class_="field")
    return element(
        "tr",
        element("th", element("code", f"{entry.get('message')}.", field), scope="row"),
        element("td", str(entry.get("reveals") or units.MISSING), class_="sentence"),
        *(element("td", units.count(entry.get(key)), class_="number") for key in numbers),
        element("td", units.bytes_(entry.get("bytes")), class_="number"),
        element("td", part, bar, class_="number"),
    )
