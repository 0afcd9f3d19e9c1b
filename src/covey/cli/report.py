"""`covey report`: runs side by side, as a table, as Markdown and JSON, and as one page."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from covey.cli import console

if TYPE_CHECKING:
    from covey.runs import RunFiles

EXAMPLES = """[bold]Examples[/bold]
  covey report runs/a                    a run beside its own yardsticks
  covey report runs/a runs/b             several runs on one page
  covey report runs/a --out result.html  also result.md and result.json"""


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...", help="Folders of runs. The yardsticks trained beside each come along."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Where to write the page.", show_default="report.html in the first run"
        ),
    ] = None,
) -> None:
    """Compare runs: print the table, write one self-contained HTML page, and the table as Markdown and JSON."""
    compared = with_yardsticks(runs)
    show(compared)
    console.tell(f"Report: {write(compared, out or runs[0] / 'report.html')}")


def with_yardsticks(paths: Sequence[Path]) -> list["RunFiles"]:
    """The files of these runs, each once, and after them of the yardsticks beside them; RunError if one is no run."""
    from covey.runs import read_run
    from covey.runs.beside import yardsticks_of

    found = [*paths, *(yardstick for path in paths for yardstick in yardsticks_of(path))]
    return [read_run(path) for path in dict.fromkeys(found)]


def show(runs: Sequence["RunFiles"]) -> None:
    """Prints the comparison."""
    from covey.reports import comparison, presentable

    headers, cells = presentable(comparison(runs))
    console.table(headers, [[text.replace(" ± ", "±") for text in line] for line in cells])  # for 80 columns


def write(runs: Sequence["RunFiles"], page_path: Path) -> Path:
    """Writes the page, and beside it the table as Markdown and JSON; returns the page's path."""
    from covey.reports import comparison, markdown, page, to_json
    from covey.runs.directory import write_whole

    rows = comparison(runs)
    write_whole(page_path, page(runs).encode())
    write_whole(page_path.with_suffix(".md"), markdown(rows).encode())
    write_whole(page_path.with_suffix(".json"), to_json(rows).encode())
    return page_path
