"""What a report needs to know of a run, read from its files; whatever is missing is None, never a guess."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import polars

from covey.reports import units

if TYPE_CHECKING:
    from covey.runs.audited import Audit

# Columns of the metrics frame that say when and at what cost, not how well.
_NOT_METRICS = frozenset({"round", "global_round", "upload_bytes", "download_bytes", "seconds"})
# The metrics that a reader looks for, the first one first.
_HEADLINES = (
    "hr@10",
    "ndcg@10",
    "recall@10",
    "precision@10",
    "f1@10",
    "map@10",
    "mrr",
    "auc",
    "top100",
    "rmse",
)
_LOWER_IS_BETTER = ("rmse", "mse", "mae", "loss")
_WORDS = {
    "coverage": "Coverage",
    "gini": "Gini",
    "recall": "Recall",
    "precision": "Precision",
    "loss": "Loss",
}


class RunFiles(Protocol):
    """The files of one run, as `covey.runs` reads them; a report needs nothing else."""

    @property
    def path(self) -> Path: ...
    @property
    def config(self) -> dict[str, Any]: ...
    @property
    def title(self) -> str: ...
    @property
    def federated(self) -> bool: ...
    @property
    def metrics(self) -> polars.DataFrame: ...
    @property
    def ledger(self) -> polars.DataFrame | None: ...
    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def audit(self) -> "Audit | None": ...


def final(run: RunFiles, name: str) -> float | None:
    """The run's final value of a metric: from its summary, or from its last round if it never ended."""
    said = run.summary.get("metrics")
    stored = said.get(name) if isinstance(said, dict) else run.summary.get(name)
    return units.finite(stored) if stored is not None else last(run, name)


def last(run: RunFiles, column: str) -> float | None:
    """The last evaluated value of a column that is a number."""
    values = column_values(run, column)
    return next((value for value in reversed(values) if value is not None), None)


def column_values(run: RunFiles, column: str) -> list[float | None]:
    """A column of the metrics frame, None where it holds no number; empty if there is no such column."""
    if column not in run.metrics.columns:
        return []
    return [units.finite(value) for value in run.metrics.get_column(column).to_list()]


def metric_names(runs: Sequence[RunFiles]) -> list[str]:
    """Every metric that any run has, the usual headlines first, then in the order of the runs."""
    seen: dict[str, None] = {}
    for run in runs:
        said = run.summary.get("metrics")
        if isinstance(said, dict):
            seen.update(dict.fromkeys(str(name) for name in said))
        numeric = [name for name, kind in run.metrics.schema.items() if kind.is_numeric()]
        seen.update(dict.fromkeys(name for name in numeric if name not in _NOT_METRICS))
    return [
        *(name for name in _HEADLINES if name in seen),
        *(name for name in seen if name not in _HEADLINES),
    ]


def headlines(runs: Sequence[RunFiles], at_most: int = 2) -> list[str]:
    """The metrics that a comparison shows: the first ones that are numbers in some run.

    Where the first run predicts ratings, how far off it is comes before how it ranks.
    """
    shown = [name for name in metric_names(runs) if any(final(run, name) is not None for run in runs)]
    if runs and final(runs[0], "rmse") is not None:
        shown = ["rmse", *(name for name in shown if name != "rmse")]
    return shown[:at_most]


def label(name: str) -> str:
    """A metric's name as papers write it: HR@10, NDCG@10, Recall@20."""
    base, at, cutoff = name.partition("@")
    return _WORDS.get(base, base.upper()) + at + cutoff


def standard_error(run: RunFiles, name: str) -> float | None:
    """The standard error of a run's hit rate; None for a metric that is no share of people."""
    if not name.startswith("hr@"):
        return None
    return binomial_error(final(run, name), run.summary.get("people_evaluated"))


def binomial_error(rate: Any, people: Any) -> float | None:
    """The standard error of a share of people, sqrt(p (1 - p) / n); None if it cannot be known."""
    p, n = units.finite(rate), units.finite(people)
    return math.sqrt(p * (1 - p) / n) if p is not None and n is not None and 0 <= p <= 1 and n >= 1 else None


def cost(run: RunFiles, name: str) -> float | None:
    """A cost of the whole run (`upload_bytes`, `download_bytes`: mean a person; `seconds`), or None."""
    if name != "seconds" and not run.federated:
        # A central yardstick sends nothing only because it has every history already: that is no zero.
        return None
    key = name if name == "seconds" else f"{name}_per_person"
    stored = units.finite(run.summary.get(key))
    return stored if stored is not None else last(run, name)


def status(run: RunFiles) -> str:
    """ "finished", "interrupted" or "unfinished"."""
    if run.summary.get("finished"):
        return "finished"
    return "interrupted" if run.summary.get("interrupted") else "unfinished"


def best(runs: Sequence[RunFiles], name: str) -> RunFiles | None:
    """The run with the best final value of a metric, the first of equals; None if none has one."""
    scored = [(value, run) for run in runs if (value := final(run, name)) is not None]
    if not scored:
        return None
    pick = min if lower_is_better(name) else max
    return pick(scored, key=lambda pair: pair[0])[1]


def usual_metric(ks: Sequence[int]) -> str:
    """What to go by where nobody says: the hit rate of the usual length, or of the first one."""
    return f"hr@{10 if 10 in ks else ks[0]}"


def lower_is_better(name: str) -> bool:
    """Whether a metric is an error. (Gini is reported as evenness: higher is more even.)"""
    return name.partition("@")[0] in _LOWER_IS_BETTER


def sentences(runs: Sequence[RunFiles], key: str) -> dict[str, list[str]]:
    """What the summaries say under a key (`protocol`, `split`), each with the runs that say it."""
    # A run without an end has no sentence yet; one with the same setting says it for both.
    known = {run.config.get(key): run.summary[key] for run in runs if run.summary.get(key)}
    said: dict[str, list[str]] = {}
    for run in runs:
        asked = run.config.get(key)
        text = run.summary.get(key) or (asked and known.get(asked, asked))
        if text:
            said.setdefault(str(text), []).append(run.title)
    return said
