"""`covey reproduce`: a published table or figure, built again, ours beside theirs."""

from typing import Annotated

import typer
from rich.markdown import Markdown

from covey.cli import console
from covey.errors import ConfigError, RunError

EXAMPLES = """[bold]Examples[/bold]
  covey reproduce --list                         every table and figure, how far
  covey reproduce fedncf/table-6 --stored        the stored result, at once
  covey reproduce fedncf/table-6 --only ml-100k  the rows with this text"""


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="An experiment of --list.", show_default=False)
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List every table and figure of the papers and how far each is.")
    ] = False,
    stored: Annotated[bool, typer.Option("--stored", help="Show the stored result; run nothing.")] = False,
    only: Annotated[str, typer.Option(metavar="TEXT", help="Only rows with this text in them.")] = "",
    seeds: Annotated[
        int,
        typer.Option(min=0, metavar="N", help="How many seeds a row.", show_default="the experiment's own"),
    ] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Build a published table or figure again and print our numbers beside the published ones.

    Every finished row is stored, and a run that was stopped goes on where it was.
    """
    if listing:
        _list()
    elif name is None:
        raise ConfigError("which experiment? covey reproduce --list shows them all")
    elif stored:
        _show(name)
    else:
        _rebuild(name, only, seeds, quiet)


def _list() -> None:
    from covey.reproduce import all_experiments, papers, standing
    from covey.reproduce.papers import experiment_of

    held: set[str] = set()
    for folder, paper in papers().items():
        console.tell(paper.paper)
        lines = [[f"{folder}/{item.id}", item.title, standing(folder, item)] for item in paper.items]
        console.table(["name", "what", "state"], lines, left=3)
        console.tell("")
        held.update(experiment_of(folder, item) for item in paper.items)
    others = [name for name in all_experiments() if name not in held]
    if others:
        console.tell("Experiments of ours")
        console.table(["name", "what", "state", "done"], [_further(name) for name in others], left=4)


def _further(name: str) -> list[str]:
    """The line of an experiment that is no paper's table or figure."""
    from covey.reproduce import experiment_named, read_stored, state_of, stored_path

    experiment = experiment_named(name)
    state = state_of(experiment, read_stored(stored_path(name)))
    when = f"stored {state.updated[:10]}" if state.updated else "not yet"
    stale = f", {state.stale} of earlier settings" if state.stale else ""
    return [name, experiment.title, when, f"{state.done} of {state.to_do} rows{stale}"]


def _show(name: str) -> None:
    from covey.reproduce import experiment_named, read_stored, rendered, stored_path

    experiment_named(name)
    stored = read_stored(stored_path(name))
    if not stored:
        raise RunError(f"no stored result of {name}; run it: covey reproduce {name}")
    text = rendered(stored)
    if console.out.is_terminal:
        console.out.print(Markdown(text))
    else:
        console.tell(text)


def _rebuild(name: str, only: str, seeds: int, quiet: bool) -> None:
    from covey.cli.progress import watching
    from covey.reproduce import experiment_named, rebuild

    def say(text: str) -> None:
        if not quiet:
            console.say(text)

    try:
        path = rebuild(
            experiment_named(name), watch=lambda run: watching(run, quiet), say=say, only=only, seeds=seeds
        )
    except KeyboardInterrupt:
        console.say(f"Interrupted; what is done is saved. Go on with: covey reproduce {name}")
        raise typer.Exit(130) from None
    _show(name)
    console.tell(f"Stored: {path}")
