"""Runs over the village that take a moment, and everything of them that must not depend on how they came about."""

from pathlib import Path
from typing import Any

import numpy as np

import covey
from covey.datasets import Interactions, load
from covey.runs import Run
from covey.testing.looking import bits

VILLAGE = load("synthetic:village")

# Three rounds a pass, two passes but for the last round; evaluated after each pass and at the end.
FEDERATED: dict[str, Any] = {
    "factors": 4, "people_per_round": 20, "rounds": 5, "evaluate_every": 1, "learning_rate": 0.01, "seed": 3,
    "workers": 1,
}  # fmt: skip
CENTRAL: dict[str, Any] = {"factors": 4, "rounds": 4, "evaluate_every": 1, "seed": 3}
CHOICES: dict[str, dict[str, Any]] = {"fedncf": FEDERATED, "central-ncf": CENTRAL}


def trained(path: Path, algorithm: str = "fedncf", data: Interactions = VILLAGE, **settings: Any) -> Run:
    return covey.train(algorithm, data, out=path, **{**CHOICES.get(algorithm, {}), **settings})


def started(path: Path, algorithm: str = "fedncf", **settings: Any) -> Run:
    return covey.runs.start(algorithm, VILLAGE, out=path, **{**CHOICES[algorithm], **settings})


def everything_of(run: Run) -> list[bytes]:
    """Model, everybody's scores, evaluated rounds and the ledger; the seconds are the machine's."""
    everybody = np.arange(run.data.people_count, dtype=np.int32)
    return bits(
        dict(sorted(run.model.items())),
        run.session.scorer().everything(everybody),
        run.metrics.drop("seconds").to_dicts(),
        run.session.ledger.entries(),
    )
