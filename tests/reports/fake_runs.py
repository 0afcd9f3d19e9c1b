"""Small runs made up for these tests: a federation, its central twin, and most popular."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars

from covey.runs.audited import Audit

PROTOCOL = (
    "The held-out item is ranked among 100 sampled items that the person never had; ties count against it."
)
SPLIT = (
    "Each person's last item by time is the test, the one before it the validation; ties go by item number."
)


@dataclass
class FakeRun:
    """A run's files, as reports read them."""

    title: str = "FedGMF"
    federated: bool = True
    config: dict[str, Any] = field(default_factory=dict)
    metrics: polars.DataFrame = field(default_factory=polars.DataFrame)
    ledger: polars.DataFrame | None = None
    summary: dict[str, Any] = field(default_factory=dict)
    path: Path = Path("runs/fake")
    audit: Audit | None = None


def ledger() -> polars.DataFrame:
    """A ledger with one field down and two up."""
    columns = ("direction", "message", "field", "reveals", "messages", "bytes", "values", "clipped")
    rows = [
        (
            "down",
            "Plan",
            "item_profile",
            "Nothing about anybody: the same model goes to all.",
            6000,
            9_000_000,
            99,
            0,
        ),
        (
            "up",
            "ItemUpdate",
            "item_deltas",
            "How a person's items moved; with its negatives.",
            6000,
            7_100_000,
            88,
            3,
        ),
        ("up", "ItemUpdate", "instances", "How many examples a person trained on.", 6000, 48_000, 6000, 0),
    ]
    return polars.DataFrame(rows, schema=columns, orient="row")


def federated(rounds: int = 12, title: str = "FedGMF", top: float = 0.613, **summary: Any) -> FakeRun:
    """A federated run that learns towards a hit rate."""
    done = [step + 1 for step in range(rounds)]
    hits = [top - 0.5 / (step + 1) ** 1.5 for step in done]
    metrics = polars.DataFrame(
        {
            "round": [step * 20 for step in done],
            "global_round": [float(step) for step in done],
            "hr@10": hits,
            "ndcg@10": [0.57 * value for value in hits],
            "upload_bytes": [8_000.0 * step for step in done],
            "download_bytes": [90_000.0 * step for step in done],
            "seconds": [1.5 * step for step in done],
        }
    )
    config = {
        "algorithm": "fedncf",
        "model": "gmf",
        "data": "ml-100k",
        "seed": 7,
        "split": "leave-last-one-out",
        "people": 943,
        "items": 1682,
        "rows": 100_000,
        "factors": 12,
        "learning_rate": 0.01,
        "rounds": rounds * 20,
        "secure": False,
    }
    said = {
        "metrics": {name: metrics.get_column(name)[-1] for name in ("hr@10", "ndcg@10")} if rounds else {},
        "people_evaluated": 943,
        "protocol": PROTOCOL,
        "split": SPLIT,
        "upload_bytes_per_person_round": 400.0,
        "download_bytes_per_person_round": 4500.0,
        "flops_per_person_round": {"mean": 2.1e6, "min": 3.0e5, "max": 1.4e7},
        "version": "0.1.0",
        "finished": True,
    }
    return FakeRun(title, True, config, metrics, ledger(), {**said, **summary})


def central(rounds: int = 8, title: str = "central GMF", top: float = 0.642) -> FakeRun:
    """The same model with every history in one place: no bytes, no ledger."""
    run = federated(rounds, title, top)
    columns = ["round", "global_round", "hr@10", "ndcg@10", "seconds"]
    costs = ("upload_bytes_per_person_round", "download_bytes_per_person_round", "flops_per_person_round")
    summary = {key: value for key, value in run.summary.items() if key not in costs}
    return FakeRun(
        title, False, {**run.config, "algorithm": "central"}, run.metrics.select(columns), None, summary
    )


def most_popular() -> FakeRun:
    """The yardstick that learns nothing about anybody: evaluated once."""
    return central(1, "most popular", 0.44 + 0.5 / 2**1.5)
