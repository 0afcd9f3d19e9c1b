"""What commands print with: results to standard output, everything said on the way to standard error."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)
_ENDLESS = 10_000  # columns
_SHORT = 16  # signs


def say(text: str) -> None:
    """A sentence on standard error, as one line however long it is."""
    err.print(text, markup=False, soft_wrap=True)


def complain(text: str) -> None:
    """An error, in one sentence."""
    err.print("error:", style="bold red", end=" ", soft_wrap=True)
    say(" ".join(text.split()))


def note(notes: Sequence[str], quiet: bool) -> None:
    """Says what was changed in the data on the way."""
    for each in notes if not quiet else ():
        say(each)


def tell(text: str) -> None:
    """A line of the result."""
    out.print(text, markup=False, soft_wrap=True)


def table(headers: Sequence[str], cells: Sequence[Sequence[str]], left: int = 1) -> None:
    """A table on standard output; the first `left` columns are set left."""
    grid = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 0, 0, 2))
    for place, header in enumerate(headers):
        width = max((len(line[place]) for line in cells), default=0)
        # A number and its error stay on one line; only a header or a sentence may be broken.
        short = place > 0 and width <= _SHORT
        shown = header.replace(" ", "\n", 1) if len(header) > max(width, 6) else header
        grid.add_column(shown, justify="left" if place < left else "right", vertical="top", no_wrap=short)
    for line in cells:
        grid.add_row(*(Text(text) for text in line))
    # A pipe has no width: there, lines are as long as they must be.
    printer = out if out.is_terminal else Console(highlight=False, width=_ENDLESS)
    printer.print(grid)
