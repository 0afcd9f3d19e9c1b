"""What a study found: every trial, the best one, what mattered, and the command that trains with the best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.reports import facts
from covey.runs import read_run
from covey.runs.command import rebuilding
from covey.runs.directory import CONFIG
from covey.runs.settings import parse
from covey.tuning.asked import TRIALS, Asked

AT_THE_END = 1_000_000  # global rounds between evaluations: the last round alone is evaluated
_DIGITS = 4  # of a proposed number: more would look like knowledge


@dataclass(frozen=True)
class Tried:
    """One trial."""

    number: int  # from 1
    settings: dict[str, Any]  # the tuned keys
    value: float | None  # of the metric on the validation part; None where it did not come to its end
    why: str  # it did not


@dataclass(frozen=True)
class Found:
    """Everything that a report shows."""

    asked: Asked
    tried: list[Tried]  # in order
    best: Tried
    importance: dict[str, float]  # key -> share, the largest first; empty where too little was tried
    command: str  # trains with the best settings and looks at the test part
    split: str
    protocol: str


def used(asked: Asked, trial: Any) -> Tried:
    """A trial of Optuna's with the settings that its run gets."""
    value = getattr(trial, "value", None)
    proposed = {key: _rounded(trial.params[key]) for key in asked.space if key in trial.params}
    _, config = parse(asked.algorithm, {**asked.fixed, **proposed})
    settings = {key: getattr(config, key) for key in proposed}
    return Tried(trial.number + 1, settings, value, trial.user_attrs.get("why", ""))


def found(asked: Asked, tried: Sequence[Tried], importance: Mapping[str, float], path: Path) -> Found:
    """The study's result; of trials with equal values the earliest is the best."""
    sign = 1 if facts.lower_is_better(asked.metric) else -1
    ended = [(sign * each.value, each.number, each) for each in tried if each.value is not None]
    best = min(ended, key=lambda one: one[:2])[2]
    folder = path / TRIALS / f"{best.number:04d}"
    summary = read_run(folder).summary if (folder / CONFIG).exists() else {}
    return Found(
        asked=asked,
        tried=list(tried),
        best=best,
        importance=dict(importance),
        command=_command(asked, best.settings),
        split=str(summary.get("split", "")),
        protocol=str(summary.get("protocol", "")),
    )


def _command(asked: Asked, settings: Mapping[str, Any]) -> str:
    """`covey train` with the best settings, judged on the test part."""
    _, config = parse(asked.algorithm, {**asked.fixed, **settings})
    every = asked.run_settings["evaluate_every"]
    told = {
        **asked.source,
        **asked.run_settings,
        "part": "test",
        "evaluate_every": 0 if every == AT_THE_END else every,
        **{key: getattr(config, key) for key in config.__struct_fields__},
        "algorithm": asked.algorithm,
    }
    return rebuilding(told)


def _rounded(value: Any) -> Any:
    """A number with few digits: 0.01235."""
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
