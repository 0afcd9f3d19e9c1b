"""`covey tune`: settings chosen on the validation part."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from covey.cli import console, options
from covey.errors import ConfigError

if TYPE_CHECKING:
    from covey.tuning import Study
    from covey.tuning.found import Tried

EXAMPLES = """[bold]Examples[/bold]
  covey tune fedncf --data synthetic:town --trials 20
  covey tune fedncf --data ml-100k --over factors=8..64:log --over "model=gmf|mlp"
  covey tune --resume runs/s --trials 50

A range is LOW..HIGH, LOW..HIGH:log or A|B|C. Without --over, the algorithm's own are used."""

_USUAL_TRIALS = 30


def tune(
    algorithm: Annotated[
        str | None, typer.Argument(metavar="ALGORITHM", help="What to tune.", show_default=False)
    ] = None,
    data: options.Data = None,
    trials: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many settings to try in all.", show_default=str(_USUAL_TRIALS)),
    ] = None,
    over: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=RANGE", help="A key to tune and where to look; as often as needed."),
    ] = None,
    sets: options.Sets = None,
    config: options.Config = None,
    seed: options.Seed = None,
    metric: Annotated[
        str | None, typer.Option(metavar="NAME", help="What is to be best.", show_default="hr@10")
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="End trials that are behind others on the way.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The study's folder.", show_default="a new one under runs"),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with a study that was stopped.")
    ] = None,
    quiet: options.Quiet = False,
    path: options.Place = None,
    user: options.User = None,
    item: options.Item = None,
    value: options.Value = None,
    time: options.Time = None,
    group: options.Group = None,
) -> None:
    """Choose settings on the validation part; no trial sees the test part.

    Every trial is saved as it goes: after Ctrl-C or a crash, --resume goes on
    and ends with the trials of a study that was never stopped.
    """
    columns = {"person": user, "item": item, "value": value, "time": time, "group": group}
    if resume is not None:
        made = {"data": data, "over": over, "set": sets, "config": config, "seed": seed, "metric": metric}
        _refuse_with_resume(algorithm=algorithm, **made, prune=prune, out=out, path=path, **columns)
        study = _opened(resume, trials)
    else:
        if algorithm is None or data is None:
            missing = "an algorithm" if algorithm is None else "--data"
            raise ConfigError(
                f"{missing} is missing; for example: covey tune {algorithm or 'fedncf'} --data ml-100k"
            )
        study = _started(
            algorithm, data, path, columns, sets, over, seed, _given(trials, metric, prune, out, config)
        )
    _show(study, quiet)


def _refuse_with_resume(**given: object) -> None:
    for name, value in given.items():
        if value:
            said = "an algorithm" if name == "algorithm" else f"--{name}"
            raise ConfigError(
                f"{said} cannot go with --resume: the study's folder says it already; leave it out"
            )


def _given(
    trials: int | None, metric: str | None, prune: bool, out: Path | None, config: Path | None
) -> dict[str, Any]:
    asked = {"trials": _USUAL_TRIALS if trials is None else trials, "metric": metric or ""}
    return {**asked, "prune": prune, "out": out, "config": config}


def _opened(path: Path, trials: int | None) -> "Study":
    from covey.tuning import open_study

    return open_study(path, trials=trials)


def _started(
    algorithm: str, data: str, path: Path | None, columns: dict[str, str | None], sets: list[str] | None,
    over: list[str] | None, seed: str | None, asked: dict[str, Any],
) -> "Study":  # fmt: skip
    """A new study at its beginning."""
    from covey.runs import source_of
    from covey.runs.settings import assignments
    from covey.tuning import start_study

    settings: dict[str, Any] = assignments(list(sets or ()))
    if seed is not None:
        settings["seed"] = seed
    ranges = assignments(list(over or ()))
    return start_study(
        algorithm, data, source=source_of(data, path, columns), over=ranges, **asked, **settings
    )


def _show(study: "Study", quiet: bool) -> None:
    """Does the trials that are left, then prints the best settings."""
    from covey.cli.progress import watching
    from covey.tuning import tables

    bar = console.err.is_terminal and not quiet

    def say(tried: "Tried") -> None:
        if not quiet:
            reached = (
                f"{study.asked.metric} {tried.value:.4f}"
                if tried.value is not None
                else f"ended early, {tried.why}"
            )
            console.say(f"trial {tried.number} of {study.asked.trials}: {reached}; {tables.in_words(tried)}")

    console.note(study.data.notes, quiet)
    try:
        study.go_on(lambda run: watching(run, not bar), say)
    except KeyboardInterrupt:
        console.say(f"Interrupted; what is done is saved. Go on with: covey tune --resume {study.path}")
        raise typer.Exit(130) from None
    found = study.found()
    page = study.write()
    console.table(*tables.best(found), left=2)
    console.tell(tables.finding(found))
    console.tell(f"Train with it: {found.command}")
    console.tell(f"Study: {study.path}")
    console.tell(f"Report: {page}")
