"""Optuna behind one door: what to try next, what came of it, and what mattered.

Each proposal comes from a sampler that is seeded by the study's seed and the number of proposals before it. So it
depends on what was tried, not on which process asks: a study that was stopped goes on as if it had not been.
"""

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.errors import ConfigError
from covey.random import key
from covey.tuning.space import Choices, Range

JOURNAL = "study.journal"
_NAME = "covey"
_WHOLE = "whole"  # marks a trial whose every key has been proposed
_BEFORE_PRUNING = 5  # trials that come to their end, whatever they show


class Optimizer:
    """The study that Optuna keeps in a folder. One process at a time."""

    def __init__(self, folder: Path, seed: int, ranges: Mapping[str, Range], lower: bool) -> None:
        self.optuna = library()
        self.seed, self.ranges = seed, dict(ranges)
        _mend(folder / JOURNAL)
        journal = self.optuna.storages.journal
        self.storage = self.optuna.storages.JournalStorage(journal.JournalFileBackend(str(folder / JOURNAL)))
        pruner = self.optuna.pruners.MedianPruner(n_startup_trials=_BEFORE_PRUNING, n_warmup_steps=0)
        self.study = self.optuna.create_study(
            storage=self.storage,
            study_name=_NAME,
            direction="minimize" if lower else "maximize",
            pruner=pruner,
            load_if_exists=True,
        )

    def next(self) -> Any:
        """The trial that was under way when the study stopped, or else a new one."""
        states = self.optuna.trial.TrialState
        for left in self.study.get_trials(deepcopy=False, states=(states.RUNNING,)):
            if left.user_attrs.get(_WHOLE):
                return self._again(left.number)
            # Stopped while it was proposed: nothing was trained, and another is proposed in its place.
            self.study.tell(left.number, state=states.FAIL)
        before = len([t for t in self.study.get_trials(deepcopy=False) if t.user_attrs.get(_WHOLE)])
        self.study.sampler = self.optuna.samplers.TPESampler(seed=key(self.seed, "tune", before) % 2**32)
        trial = self.study.ask()
        for name, range_ in self.ranges.items():
            _suggest(trial, name, range_)
        trial.set_user_attr(_WHOLE, True)
        return trial

    def _again(self, number: int) -> Any:
        study_id = self.storage.get_study_id_from_name(_NAME)
        return self.optuna.trial.Trial(
            self.study, self.storage.get_trial_id_from_study_id_trial_number(study_id, number)
        )

    def report(self, trial: Any, step: int, value: float) -> bool:
        """Keeps a value on the way; whether the trial is so much worse than others there that it may end."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a step that was reported before the study stopped
            trial.report(value, step)
        return bool(trial.should_prune())

    def done(self, trial: Any, value: float) -> None:
        """A trial that came to its end."""
        self.study.tell(trial, value)

    def given_up(self, trial: Any, why: str) -> None:
        """A trial that ended early, because it was behind or because it diverged: as bad as any."""
        trial.set_user_attr("why", why)
        self.study.tell(trial, state=self.optuna.trial.TrialState.PRUNED)

    def trials(self) -> list[Any]:
        """Every trial that ended, in the order in which they were proposed."""
        states = self.optuna.trial.TrialState
        return self.study.get_trials(deepcopy=False, states=(states.COMPLETE, states.PRUNED))

    def importance(self) -> dict[str, float]:
        """Each key's share of what made values differ, the largest first; empty where too little was tried."""
        values = [trial.value for trial in self.trials() if trial.value is not None]
        if len(set(values)) < 3:
            return {}
        try:
            return dict(self.optuna.importance.get_param_importances(self.study))
        except (ValueError, RuntimeError):  # for example where all ended trials had the same settings
            return {}


def library() -> Any:
    """Optuna; ConfigError that names the extra where it is missing."""
    try:
        import optuna
    except ImportError:
        raise ConfigError("tuning needs optuna, which is not installed; pip install 'covey[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def _suggest(trial: Any, name: str, range_: Range) -> None:
    if isinstance(range_, Choices):
        trial.suggest_categorical(name, list(range_.options))
    elif range_.whole:
        trial.suggest_int(name, int(range_.low), int(range_.high), log=range_.log)
    else:
        trial.suggest_float(name, range_.low, range_.high, log=range_.log)


def _mend(journal: Path) -> None:
    """Cuts off a last line that was not written to its end: Optuna would go on after it and could read no more."""
    if not journal.exists():
        return
    data = journal.read_bytes()
    if data and not data.endswith(b"\n"):
        with journal.open("r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)
            os.fsync(file.fileno())
