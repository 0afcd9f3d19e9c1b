"""Start a study, go on with one, and read what it found.

<out>/study.json              what was asked
<out>/study.journal           Optuna's own record
<out>/trials/<number>/        a run each, without its model and its people's files
<out>/best.json               the best settings and the command that trains with them
<out>/report.html, .md, .json what was found
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

import covey
from covey.algorithms.registry import algorithm_class
from covey.datasets import Interactions
from covey.errors import ConfigError, RunError, unknown
from covey.reports import facts
from covey.runs import DataSource, Run, source_of
from covey.runs.directory import new_path
from covey.runs.settings import RunSettings, parse, read_config
from covey.runs.source import stored_source
from covey.runs.train import OnRound, fingerprint
from covey.tuning import space
from covey.tuning.asked import BEST, FILE, REPORT, TRIALS, Asked, refuse_trials
from covey.tuning.found import AT_THE_END, Found, Tried, found, used
from covey.tuning.optimizer import Optimizer, library
from covey.tuning.trial import ended

Watch = Callable[[Run], AbstractContextManager[OnRound | None]]
OnTrial = Callable[[Tried], None]


class Study:
    """A study and its data. Made by `covey.tune` and `open_study`."""

    def __init__(self, path: Path, asked: Asked, data: Interactions) -> None:
        self.path, self.asked, self.data = path, asked, data

    def go_on(self, watch: Watch | None = None, on_trial: OnTrial | None = None) -> None:
        """Does the trials that are left; each is saved as it goes."""
        optimizer = self._optimizer()
        while len(optimizer.trials()) < self.asked.trials:
            trial = optimizer.next()
            tried = ended(
                optimizer, trial, self.asked, self.data, self.path / TRIALS / f"{trial.number + 1:04d}",
                watch if watch is not None else lambda run: nullcontext(),
            )  # fmt: skip
            if on_trial is not None:
                on_trial(tried)

    def found(self) -> Found:
        """What the trials so far say; RunError where none came to its end."""
        optimizer = self._optimizer()
        tried = [used(self.asked, trial) for trial in optimizer.trials()]
        if not any(each.value is not None for each in tried):
            why = tried[0].why if tried else "none was made"
            raise RunError(
                f"no trial of {self.path} came to its end ({why}); choose other ranges in another folder"
            )
        return found(self.asked, tried, optimizer.importance(), self.path)

    def write(self) -> Path:
        """Writes the best settings and the report; returns the page's path."""
        from covey.tuning.page import write_report

        return write_report(self.found(), self.path / BEST, self.path / REPORT)

    def _optimizer(self) -> Optimizer:
        asked = self.asked
        ranges = {key: space.read(asked.algorithm, key, text) for key, text in asked.space.items()}
        lower = facts.lower_is_better(asked.metric)
        return Optimizer(self.path, asked.run_settings["seed"], ranges, lower)


def tune(
    algorithm: str,
    data: str | Interactions,
    *,
    trials: int = 30,
    over: Mapping[str, str] | None = None,
    metric: str = "",
    prune: bool = False,
    out: str | Path | None = None,
    config: str | Path | None = None,
    watch: Watch | None = None,
    **settings: Any,
) -> Study:
    """Tries settings on the validation part, writes the report, and returns the study.

    `over` are the ranges (`{"factors": "8..64:log", "model": "gmf|mlp"}`); without it, the algorithm's own.
    `settings` are keys of every trial's run and of the algorithm that stay as they are.
    """
    made = start_study(
        algorithm,
        data,
        trials=trials,
        over=over,
        metric=metric,
        prune=prune,
        out=out,
        config=config,
        **settings,
    )
    made.go_on(watch)
    made.write()
    return made


def start_study(
    algorithm: str,
    data: str | Interactions,
    *,
    trials: int = 30,
    over: Mapping[str, str] | None = None,
    metric: str = "",
    prune: bool = False,
    out: str | Path | None = None,
    config: str | Path | None = None,
    source: DataSource | None = None,
    **settings: Any,
) -> Study:
    """A study at its beginning, with its folder made; nothing is written where anything is wrong."""
    algorithm_class(algorithm)
    refuse_trials(trials)
    given = {**(read_config(Path(config)) if config else {}), **settings}
    if given.get("part", "valid") != "valid":
        raise ConfigError("a study looks at the validation part alone; leave part out")
    run_settings, parsed = parse(algorithm, {**given, "part": "valid"})
    if not prune and "evaluate_every" not in given:
        run_settings = msgspec.structs.replace(run_settings, evaluate_every=AT_THE_END)
    fixed = {key: getattr(parsed, key) for key in parsed.__struct_fields__ if key in given}
    ranges = space.space_of(algorithm, over or {}, fixed)
    library()
    if source is None:
        source = source_of(data) if isinstance(data, str) else DataSource(data=data.name)
    interactions = source.load() if isinstance(data, str) else data
    asked = Asked(
        algorithm=algorithm,
        run_settings={name: getattr(run_settings, name) for name in RunSettings.__struct_fields__},
        fixed=fixed,
        space=ranges,
        metric=_metric(algorithm, run_settings, parsed, interactions, metric),
        prune=prune,
        source=source.keys(),
        fingerprint=fingerprint(interactions),
        trials=trials,
        covey=covey.__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    path = Path(out) if out else new_path(Path("runs"), f"tune-{algorithm}", source.data)
    FILE.create(path, asked)
    return Study(path, asked, interactions)


def open_study(path: str | Path, data: Interactions | None = None, *, trials: int | None = None) -> Study:
    """A study as it was left; more trials may be asked of it."""
    where = Path(path)
    stored = FILE.read(where)
    library()
    if trials is not None:
        refuse_trials(trials)
    if trials is not None and trials < stored.trials:
        raise ConfigError(
            f"{where} was asked for {stored.trials} trials already, got {trials}; ask for as many or more"
        )
    interactions = data if data is not None else stored_source(stored.source).load()
    if fingerprint(interactions) != stored.fingerprint:
        raise RunError(
            f"{where} was made from other data of the name {stored.source['data']}; nothing was changed"
        )
    asked = msgspec.structs.replace(stored, trials=trials or stored.trials)
    if asked.trials > stored.trials:
        FILE.rewrite(where, asked)
    return Study(where, asked, interactions)


def _metric(algorithm: str, run_settings: RunSettings, config: Any, data: Interactions, metric: str) -> str:
    """The metric to go by, after an evaluation of the beginning has shown that a trial can run and has it."""
    run = Run(Path(), algorithm, run_settings, config, data)
    try:
        known = list(run.evaluation())
    finally:
        run.session.close()
    chosen = metric or facts.usual_metric(run_settings.k)
    if chosen not in known:
        raise unknown("metric", chosen, known)
    return chosen
