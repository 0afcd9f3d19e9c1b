"""Covey: recommendations learned together while every history stays at home.

ratings = covey.load("ml-1m")
run = covey.train("fedncf", ratings, global_rounds=50, seed=7)
run.evaluate()
run.recommend(person=42, k=10)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from covey.comparing import Comparison, compare, open_comparison
    from covey.datasets import Interactions, load, read
    from covey.runs import Run, open_run, resume, train
    from covey.splits import split
    from covey.tuning import Study, open_study, tune

__all__ = [
    "Comparison",
    "Interactions",
    "Run",
    "Study",
    "__version__",
    "compare",
    "load",
    "open_comparison",
    "open_run",
    "open_study",
    "read",
    "resume",
    "split",
    "train",
    "tune",
]

# Looked up when first asked for: importing covey costs nothing until something is done with it.
_HOMES = {
    "Comparison": "covey.comparing",
    "compare": "covey.comparing",
    "open_comparison": "covey.comparing",
    "Interactions": "covey.datasets",
    "load": "covey.datasets",
    "read": "covey.datasets",
    "Run": "covey.runs",
    "open_run": "covey.runs",
    "resume": "covey.runs",
    "train": "covey.runs",
    "split": "covey.splits",
    "Study": "covey.tuning",
    "open_study": "covey.tuning",
    "tune": "covey.tuning",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
