"""`covey train`: one algorithm on one dataset, in a folder that can be gone on with."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from covey.cli import console, options
from covey.errors import ConfigError, RunError

if TYPE_CHECKING:
    from covey.runs import DataSource, Run

EXAMPLES = """[bold]Examples[/bold]
  covey train fedncf --data synthetic:town
  covey train fedncf --data ml-1m --set model=neumf --set people_per_round=120
  covey train fedncf --data plays.csv --user listener --item artist
  covey train fcf --data ml-1m --beside central-fcf,most-popular
  covey train fpl --data ml-100k --set disclose=0.4 --beside bpr-mf
  covey train fedsplit --data ml-1m --set split=random-covered --beside biases
  covey train --resume runs/a

[bold]Algorithms[/bold]  fedncf, fcf, fpl, fedsplit (federations); yardsticks: random, most-popular,
             item-knn, ease, ials, bpr-mf, mult-vae, central-ncf, central-fcf;
             of ratings: biases, biased-mf, rating-knn, central-cnmf
[bold]Keys[/bold]        covey train fedncf --keys
[bold]Datasets[/bold]    covey datasets"""


def train(
    algorithm: options.Algorithm = None,
    data: options.Data = None,
    sets: options.Sets = None,
    config: options.Config = None,
    seed: options.Seed = None,
    out: options.Out = None,
    beside: options.Beside = None,
    resume: options.Resume = None,
    keys: options.Keys = False,
    quiet: options.Quiet = False,
    path: options.Place = None,
    user: options.User = None,
    item: options.Item = None,
    value: options.Value = None,
    time: options.Time = None,
    group: options.Group = None,
) -> None:
    """Train a recommender and show it beside its yardsticks.

    A run saves where it is as it goes: after Ctrl-C or a crash, --resume goes on
    and ends with the same bits as a run that was never stopped.
    """
    if keys:
        _show_keys(algorithm)
        return
    settings = _settings(sets, seed)
    columns = {"person": user, "item": item, "value": value, "time": time, "group": group}
    if resume is not None:
        _refuse_with_resume(data=data, config=config, out=out, beside=beside, path=path, **columns)
        _go_on(resume, algorithm, settings, quiet)
        return
    if algorithm is None or data is None:
        missing = "an algorithm" if algorithm is None else "--data"
        raise ConfigError(
            f"{missing} is missing; for example: covey train {algorithm or 'fedncf'} --data ml-100k"
        )
    source = _source(data, path, columns)
    try:
        run = _begin(algorithm, source, out, config, _names(algorithm, beside), settings, quiet)
    except KeyboardInterrupt:
        console.say("Interrupted before the first round; nothing was kept.")
        raise typer.Exit(130) from None
    _train(run, quiet)


def _show_keys(algorithm: str | None) -> None:
    from covey.cli.keys import show_keys

    if algorithm is None:
        raise ConfigError("--keys needs an algorithm; for example: covey train fedncf --keys")
    show_keys(algorithm)


def _settings(sets: Sequence[str] | None, seed: str | None) -> dict[str, Any]:
    """The keys that the command line gives."""
    from covey.runs.settings import assignments

    settings: dict[str, Any] = assignments(list(sets or ()))
    return settings if seed is None else {**settings, "seed": seed}


def _refuse_with_resume(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise ConfigError(
                f"--{name} cannot go with --resume: the run's folder says it already; leave it out"
            )


def _source(data: str, path: Path | None, columns: dict[str, str | None]) -> "DataSource":
    from covey.runs import source_of

    return source_of(data, path, columns)


def _names(algorithm: str, beside: str | None) -> tuple[str, ...]:
    """The yardsticks that are asked for."""
    from covey.runs.beside import usual_yardsticks

    if beside is None:
        return usual_yardsticks(algorithm)
    return tuple(name.strip() for name in beside.split(",") if name.strip() not in ("", "none"))


def _begin(
    algorithm: str, source: "DataSource", out: Path | None, config: Path | None, beside: tuple[str, ...],
    settings: dict[str, Any], quiet: bool,
) -> "Run":  # fmt: skip
    """A new run at its beginning, with its yardsticks."""
    from covey.runs import start
    from covey.runs.settings import parse, read_config

    given = {**(read_config(config) if config else {}), **settings}
    parse(algorithm, given)  # before the data is read, which may take a while
    data = source.load()
    console.note(data.notes, quiet)
    run = start(algorithm, data, out=out, source=source, beside=beside, **given)
    console.note(run.data.notes[len(data.notes) :], quiet)  # what the run's own keys left out
    return run


def _go_on(path: Path, algorithm: str | None, settings: dict[str, Any], quiet: bool) -> None:
    """A run that was stopped, from its last whole round to the comparison."""
    from covey.runs import open_run

    run = open_run(path, **settings)
    if algorithm not in (None, run.algorithm):
        raise RunError(f"{path} is a run of {run.algorithm}, not of {algorithm}; leave the algorithm out")
    if not quiet:
        console.say(f"Going on with {path} after round {run.session.round} of {run.session.rounds}.")
    _train(run, quiet)


def _train(run: "Run", quiet: bool) -> None:
    """Trains a run and what stands beside it, then compares them."""
    from covey.cli.report import show, with_yardsticks, write
    from covey.runs import open_run
    from covey.runs.beside import yardsticks_of

    try:
        _finish(run, quiet)
        for path in yardsticks_of(run.path):
            _finish(open_run(path), quiet)
    except KeyboardInterrupt:
        console.say(f"Interrupted; what is done is saved. Go on with: covey train --resume {run.path}")
        raise typer.Exit(130) from None
    compared = with_yardsticks([run.path])
    page = write(compared, run.path / "report.html")
    show(compared)
    console.tell(f"Run: {run.path}")
    console.tell(f"Report: {page}")


def _finish(run: "Run", quiet: bool) -> None:
    from covey.cli.progress import watching
    from covey.runs.train import go_on

    with watching(run, quiet) as on_round:
        go_on(run, on_round)
