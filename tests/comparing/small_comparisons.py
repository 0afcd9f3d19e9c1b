"""A comparison over the village that takes a moment."""

from pathlib import Path
from typing import Any

import covey
from covey.comparing import Comparison
from covey.datasets import load

VILLAGE = load("synthetic:village")
NAMES = ["fedncf", "fedncf:wide", "most-popular"]
SETTINGS: dict[str, Any] = {
    "people_per_round": 20, "global_rounds": 2, "factors": 2, "own": {"wide": {"factors": 5}}, "workers": 1, "seed": 3,
}  # fmt: skip


def compared(path: Path, **settings: Any) -> Comparison:
    return covey.compare(NAMES, VILLAGE, out=path, **{**SETTINGS, "repeats": 2, **settings})
