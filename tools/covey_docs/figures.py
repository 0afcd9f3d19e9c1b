"""Figures in pages, from the results that `covey reproduce` stored: no number of ours is typed by hand."""

import json
from pathlib import Path
from typing import Any

from covey.reports import units
from covey.reproduce.rendering import metric_name
from covey_docs.markers import table

RESULTS = Path(__file__).parents[2] / "experiments" / "results"
Stored = dict[str, Any]


def block(name: str, results: Path = RESULTS) -> str:
    """The table of one experiment, or a sentence where nothing has been measured."""
    path = results / f"{name}.json"
    if not path.exists():
        return f"Not measured yet; `covey reproduce {name}` does it."
    stored = json.loads(path.read_text("utf-8"))
    rows = [row for row in stored["rows"] if row["ours"] or row["theirs"]]
    if not rows:
        return f"Not measured yet; `covey reproduce {name}` does it."
    said = f"{stored['protocol']}\n\nRebuilt by `{stored['command']}`; published figures: {stored['paper']}"
    notes = "".join(f"\n- {_called(row)}: {row['note']}" for row in rows if row.get("note"))
    return f"**{stored['title']}**\n\n{_table(rows, stored['metrics'])}\n\n{said}" + (
        f"\n{notes}" if notes else ""
    )


def _table(rows: list[Stored], metrics: list[str]) -> str:
    shown = [name for name in metrics if any(name in row["ours"] or name in row["theirs"] for row in rows)]
    labels = list(dict.fromkeys(label for row in rows for label in row["labels"]))
    published = any(row["theirs"] for row in rows)  # a figure without numbers has no column for them
    head = [*labels, *(text for name in shown for text in (metric_name(name), "published")[: 1 + published])]
    cells = [
        [
            *(row["labels"].get(label, "") for label in labels),
            *(cell for name in shown for cell in (_ours(row, name), _theirs(row, name))[: 1 + published]),
            *_costs(row),
        ]
        for row in rows
    ]
    return table([*head, "global rounds", "sent a person"], cells)


def _ours(row: Stored, metric: str) -> str:
    """The mean over seeds, and how far the seeds lie apart where there are several."""
    found = row["ours"].get(metric)
    if found is None:
        return units.MISSING
    mean, seeds = units.metric(found["mean"]), len(found["seeds"])
    return mean if found["sd"] is None else f"{mean} (sd {found['sd']:.3f}, {seeds} seeds)"


def _theirs(row: Stored, metric: str) -> str:
    published = row["theirs"].get(metric)
    return units.MISSING if published is None else units.value(published)


def _costs(row: Stored) -> list[str]:
    passes = row.get("global_rounds")
    return [
        units.MISSING if passes is None else units.amount(passes),
        units.bytes_(row.get("upload_bytes_per_person")),
    ]


def _called(row: Stored) -> str:
    return ", ".join(row["labels"].values())
