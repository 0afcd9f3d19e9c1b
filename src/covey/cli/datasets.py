"""`covey datasets`: which there are, what is known of each, and getting one."""

from typing import TYPE_CHECKING, Annotated

import typer

from covey.cli import console

if TYPE_CHECKING:
    from covey.datasets import Info

EXAMPLES = """[bold]Examples[/bold]
  covey datasets               every dataset that has a name
  covey datasets info ml-100k  what it is, its licence, where it lies
  covey datasets get ml-100k   fetch it into the user's cache

Your own CSV, TSV or Parquet file needs no name: covey train fedncf --data plays.csv"""

app = typer.Typer(
    help="List the datasets, say what one is, or fetch it.",
    epilog=EXAMPLES,
    invoke_without_command=True,
    rich_markup_mode="rich",
)
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A dataset of `covey datasets list`.", show_default=False)
]


@app.callback()
def datasets(context: typer.Context) -> None:
    """List the datasets, say what one is, or fetch it."""
    if context.invoked_subcommand is None:
        listed()


@app.command("list")
def listed() -> None:
    """List every dataset that has a name, and whether it is at hand."""
    from covey.datasets import listing

    cells = [
        [known.name, _where(known), f"{known.people:,}", f"{known.items:,}", f"{known.rows:,}"]
        for known in listing()
    ]
    console.table(["name", "where", "people", "items", "rows"], cells, left=2)
    console.tell("Your own CSV, TSV or Parquet file does as well: covey train fedncf --data plays.csv")


@app.command()
def info(name: Name) -> None:
    """Say what a dataset is, its licence, its size, and where it lies."""
    from covey import datasets

    known = datasets.info(name)
    console.tell(f"{known.name}: {known.about}")
    console.tell(f"  {known.people:,} people, {known.items:,} items, {known.rows:,} rows")
    console.tell(f"  licence: {known.licence}")
    console.tell(f"  where: {known.found or _where(known)}")
    for url in known.urls:
        console.tell(f"  from: {url}")


@app.command()
def get(name: Name) -> None:
    """Fetch a dataset into the user's cache, unless it is at hand already."""
    from covey import datasets

    if _is_made_up(datasets.info(name)):
        console.tell(f"{name} is made up on the spot: there is nothing to get")
        return
    console.tell(f"{name} is in {datasets.get(name)}")


def _where(known: "Info") -> str:
    """Where a dataset is, in a word or two."""
    if _is_made_up(known):
        return "made on the spot"
    if known.found:
        return "at hand"
    return "to download" if known.urls else "to get by hand"


def _is_made_up(known: "Info") -> bool:
    return known.name.startswith("synthetic:")
