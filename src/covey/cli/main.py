"""The entry point: the commands, and what becomes of an error."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import covey
from covey.cli import audit, compare, console, datasets, recommend, report, reproduce, train, tune
from covey.errors import BadInput, CoveyError

app = typer.Typer(
    epilog="Start here:  [bold]covey train fedncf --data synthetic:town[/bold]\n"
    "Each command explains itself:  [bold]covey train --help[/bold]",
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=train.EXAMPLES)(train.train)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=tune.EXAMPLES)(tune.tune)
app.command(epilog=report.EXAMPLES)(report.report)
app.command(epilog=audit.EXAMPLES)(audit.audit)
app.command(epilog=recommend.EXAMPLES)(recommend.recommend)
app.command(epilog=reproduce.EXAMPLES)(reproduce.reproduce)
app.add_typer(datasets.app, name="datasets")


def _version(asked: bool) -> None:
    if asked:
        console.tell(f"covey {covey.__version__}")
        raise typer.Exit


@app.callback()
def covey_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Recommendations learned together while every history stays at home."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code: 0 done, 2 bad input, 1 any other trouble, 130 interrupted."""
    asked = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(args=asked or ["--help"], prog_name="covey", standalone_mode=False)
    except typer.TyperException as error:
        console.complain(_usage(error))
        return 2
    except CoveyError as error:
        console.complain(str(error))
        return 2 if isinstance(error, BadInput) else 1
    return code if isinstance(code, int) else 0


def _usage(error: typer.TyperException) -> str:
    """What is wrong with a command line, and which help says how it is meant."""
    said = error.format_message().strip().rstrip(".").replace(". Did you", "; did you")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "covey"
    return f"{said[:1].lower()}{said[1:]}{'' if said.endswith('?') else ';'} see {command} --help"
