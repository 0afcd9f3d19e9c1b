"""What a finished run says: its metrics, what it asked of a person, and the way there."""

from collections.abc import Sequence
from typing import Any

from covey.runs import RunFiles

_POINTS = 60  # of a curve; more than a figure's width can show


def summary_of(run: RunFiles) -> dict[str, Any]:
    """The run's summary, with what a round asked of a person among the metrics."""
    return {
        **run.summary,
        "metrics": {**run.summary["metrics"], **costs(run.summary)},
        "created": run.config["created"],
    }


def costs(summary: dict[str, Any]) -> dict[str, float]:
    """A person's round in thousands of operations and of bytes, by the names that tables use; empty if central."""
    found: dict[str, float] = {}
    for name, key in (
        ("forward_kflops", "forward_operations_per_person_round"),
        ("training_kflops", "flops_per_person_round"),
    ):
        for which, value in (summary.get(key) or {}).items():
            found[f"{name}_{which}"] = value / 1000
    for direction in ("upload", "download"):
        sent = summary.get(f"{direction}_bytes_per_person_round")
        if sent is not None:
            found[f"{direction}_kb_a_round"] = sent / 1000
    return found


def curve_of(run: RunFiles, metrics: Sequence[str], seed: int) -> dict[str, Any]:
    """Metrics by global round and by bytes sent, thinned evenly, with the first and the last round."""
    names = ["global_round", "upload_bytes", *(name for name in metrics if name in run.metrics.columns)]
    count = len(run.metrics)
    step = max(1, -(-count // _POINTS))
    chosen = sorted({*range(0, count, step), count - 1})
    return {"seed": seed, **{name: run.metrics[chosen][name].to_list() for name in names}}
