"""`covey recommend`: what a trained run would show one person."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from covey.cli import console

EXAMPLES = """[bold]Examples[/bold]
  covey recommend runs/a --person 42
  covey recommend runs/a --person 42 --k 5 --json"""


def recommend(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.", show_default=False)],
    person: Annotated[
        str, typer.Option(metavar="ID", help="The person, by the data's own id.", show_default=False)
    ],
    k: Annotated[int, typer.Option(help="How many items.")] = 10,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Recommend items that a person does not have yet, best first."""
    from covey.runs import open_run

    found = open_run(run).recommend(person, k)
    if json:
        rows = [{"item": each.item, "title": each.title, "score": each.score} for each in found]
        console.tell(msgspec.json.format(msgspec.json.encode(rows), indent=2).decode())
        return
    cells = [[str(n), each.title, str(each.item), f"{each.score:.3f}"] for n, each in enumerate(found, 1)]
    console.table(["", "title", "item", "score"], cells, left=2)
