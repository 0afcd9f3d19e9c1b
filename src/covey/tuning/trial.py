"""One trial: a run on the validation part with the settings that Optuna proposes."""

import math
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from covey.datasets import Interactions
from covey.errors import ConfigError, DivergedError
from covey.runs import Run, open_run, read_run, start
from covey.runs.directory import CONFIG, DEVICES, MODEL, STATE, clear_errors
from covey.runs.source import stored_source
from covey.runs.train import OnRound, go_on
from covey.tuning.asked import Asked
from covey.tuning.found import Tried, used
from covey.tuning.optimizer import Optimizer


class _BehindError(Exception):
    """The trial is so far behind others that it may end."""


def ended(
    optimizer: Optimizer,
    trial: Any,
    asked: Asked,
    data: Interactions,
    path: Path,
    watch: Callable[[Run], AbstractContextManager[OnRound | None]],
) -> Tried:
    """Does a trial, or the rest of one that was stopped, and tells the optimizer how it ended."""
    try:
        value = _value(optimizer, trial, asked, data, path, watch)
    except _BehindError:
        optimizer.given_up(trial, "behind the median of the trials before it")
    except (DivergedError, ConfigError) as error:
        optimizer.given_up(trial, str(error))
    else:
        if math.isfinite(value):
            optimizer.done(trial, value)
        else:
            optimizer.given_up(trial, f"{asked.metric} was {value}")
    _thin(path)
    return used(asked, optimizer.trials()[-1])


def _value(
    optimizer: Optimizer,
    trial: Any,
    asked: Asked,
    data: Interactions,
    path: Path,
    watch: Callable[[Run], AbstractContextManager[OnRound | None]],
) -> float:
    """The metric at the end of the trial's run."""
    if not ((path / CONFIG).exists() and read_run(path).summary.get("finished")):
        run = _run(asked, used(asked, trial).settings, data, path)
        with watch(run) as shown:

            def on_round(run: Run) -> None:
                if shown is not None:
                    shown(run)
                if asked.prune and run.latest.get("round") == run.session.round < run.session.rounds:
                    passes = round(run.latest["global_round"])
                    if optimizer.report(trial, passes, run.latest[asked.metric]):
                        raise _BehindError

            go_on(run, on_round)
    return float(read_run(path).summary["metrics"][asked.metric])


def _run(asked: Asked, settings: dict[str, Any], data: Interactions, path: Path) -> Run:
    if (path / CONFIG).exists():
        return open_run(path, data)
    keys: dict[str, Any] = {**asked.run_settings, **asked.fixed, **settings}
    return start(asked.algorithm, data, out=path, source=stored_source(asked.source), **keys)


def _thin(path: Path) -> None:
    """Lets go of what no report needs: a study of many trials would hold as many models."""
    with clear_errors(path):
        for folder in (STATE, DEVICES):
            shutil.rmtree(path / folder, ignore_errors=True)
        (path / MODEL).unlink(missing_ok=True)
