"""`covey compare`: algorithms on the same splits and seeds, and what their differences are worth."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from covey.cli import console, options
from covey.errors import ConfigError

if TYPE_CHECKING:
    from covey.comparing import Comparison

EXAMPLES = """[bold]Examples[/bold]
  covey compare fedncf central-ncf most-popular --data synthetic:town
  covey compare fedncf fedncf:large --data ml-100k --set large.factors=64
  covey compare fedncf central-ncf --data ml-1m --set candidates=all --set factors=16
  covey compare --resume runs/c --test repeats

A key goes to every algorithm that knows it; NAME.KEY to one alone."""

_USUAL_REPEATS = 5


def compare(
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ALGORITHM...",
            help="What to compare; ALGORITHM:NAME gives one a name.",
            show_default=False,
        ),
    ] = None,
    data: options.Data = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="How often, each time with the next seed.", show_default=str(_USUAL_REPEATS)
        ),
    ] = None,
    sets: options.Sets = None,
    config: options.Config = None,
    seed: options.Seed = None,
    metric: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the table is sorted by.", show_default="hr@10")
    ] = None,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What tells systems apart: people, repeats or bayes.",
            show_default="people",
        ),
    ] = None,
    rope: Annotated[
        float | None,
        typer.Option(metavar="X", help="Differences up to this are practically none.", show_default="0.01"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The comparison's folder.", show_default="a new one under runs"),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with a comparison, or read it by another test.")
    ] = None,
    quiet: options.Quiet = False,
    path: options.Place = None,
    user: options.User = None,
    item: options.Item = None,
    value: options.Value = None,
    time: options.Time = None,
    group: options.Group = None,
) -> None:
    """Compare algorithms on the same splits and seeds, with tests of their differences.

    Every run is saved as it goes: after Ctrl-C or a crash, --resume goes on.
    """
    columns = {"person": user, "item": item, "value": value, "time": time, "group": group}
    reading = {"metric": metric, "test": test, "rope": rope}
    if resume is not None:
        made = {
            "data": data,
            "set": sets,
            "config": config,
            "seed": seed,
            "out": out,
            "path": path,
            **columns,
        }
        _refuse_with_resume(algorithms, **made)
        comparison = _opened(resume, repeats, reading)
    else:
        if not algorithms or data is None:
            missing = "--data is" if algorithms else "two algorithms or more are"
            raise ConfigError(
                f"{missing} missing; for example: covey compare fedncf central-ncf --data synthetic:town"
            )
        comparison = _started(algorithms, data, path, columns, config, out, sets, seed, repeats, reading)
    _show(comparison, quiet)


def _refuse_with_resume(algorithms: Sequence[str] | None, **given: object) -> None:
    if algorithms:
        raise ConfigError("algorithms cannot go with --resume: the folder says them already; leave them out")
    for name, value in given.items():
        if value:
            raise ConfigError(
                f"--{name} cannot go with --resume: the comparison's folder says it already; leave it out"
            )


def _opened(path: Path, repeats: int | None, reading: dict[str, Any]) -> "Comparison":
    from covey.comparing import open_comparison

    return open_comparison(path, repeats=repeats, **reading)


def _started(
    algorithms: list[str], data: str, path: Path | None, columns: dict[str, str | None], config: Path | None,
    out: Path | None, sets: list[str] | None, seed: str | None, repeats: int | None, reading: dict[str, Any],
) -> "Comparison":  # fmt: skip
    """A new comparison at its beginning."""
    from covey.comparing import start_comparison
    from covey.runs import source_of
    from covey.runs.settings import assignments

    settings: dict[str, Any] = assignments(list(sets or ()))
    if seed is not None:
        settings["seed"] = seed
    asked = {name: value for name, value in reading.items() if value is not None}
    return start_comparison(
        algorithms,
        data,
        source=source_of(data, path, columns),
        repeats=_USUAL_REPEATS if repeats is None else repeats,
        out=out,
        config=config,
        **asked,
        **settings,
    )


def _show(comparison: "Comparison", quiet: bool) -> None:
    """Runs what is missing, then prints what was found."""
    from covey.cli.progress import watching
    from covey.comparing import tables, wording

    console.note(comparison.data.notes, quiet)
    try:
        comparison.go_on(lambda run: watching(run, quiet), None if quiet else console.say)
    except KeyboardInterrupt:
        console.say(
            f"Interrupted; what is done is saved. Go on with: covey compare --resume {comparison.path}"
        )
        raise typer.Exit(130) from None
    found = comparison.verdict()
    page = comparison.write(found)
    console.table(*tables.standings(found))
    console.tell(wording.finding(found))
    for line in (
        wording.marking(found),
        wording.repeated(found),
        *found.notes,
        *wording.disagreements(found),
    ):
        console.tell(line)
    console.tell("")
    console.table(*tables.short_tests(found))
    console.tell(f"Comparison: {comparison.path}")
    console.tell(f"Report: {page}")
