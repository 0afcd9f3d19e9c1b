"""What commands print with: results to standard output, everything said on the way to standard error."""

from collections.abc import Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
_ENDLESS = 10_000


def say(text: str) -> None:
    """A sentence on standard error, as one line however long it is."""
    err.print(text, markup=False, soft_wrap=True)


def complain(text: str) -> None:
    """An error, in one sentence."""
    err.print("error:", style="bold red", end=" ", soft_wrap=True)
    say(" ".join(text.split()))


def tell(text: str) -> None:
    """A line of the result."""
    out.print(text, markup=False, soft_wrap=True)


def table(headers: Sequence[str], cells: Sequence[Sequence[str]], left: int = 1) -> None:
    """A table on standard output; the first `left` columns are set left. Never narrower than what it says."""
    grid = Table(box=SIMPLE, pad_edge=False, header_style="bold", padding=(0, 0, 0, 1))
    for place, header in enumerate(headers):
        grid.add_column(header, justify="left" if place < left else "right", overflow="fold")
    for line in cells:
        grid.add_row(*(_plain(text) for text in line))
    # A pipe has no width: there, lines are as long as they must be.
    printer = out if out.is_terminal else Console(highlight=False, width=_ENDLESS)
    printer.print(grid)


def _plain(text: str) -> str:
    return text.replace("[", r"\[")  # a title may hold what rich would take for markup
