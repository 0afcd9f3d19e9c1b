"""What can be said to `covey train`, option by option."""

from pathlib import Path
from typing import Annotated, TypeAlias

from typer import Argument, Option

_OWN_FILE = "Your own file"

Algorithm: TypeAlias = Annotated[
    str | None, Argument(metavar="ALGORITHM", help="What to train; see below.", show_default=False)
]
Data: TypeAlias = Annotated[
    str | None, Option(metavar="NAME|FILE", help="A dataset's name, or a CSV, TSV or Parquet file.")
]
Sets: TypeAlias = Annotated[
    list[str] | None,
    Option("--set", metavar="KEY=VALUE", help="A key of the run or the algorithm; as often as needed."),
]
Config: TypeAlias = Annotated[
    Path | None, Option(metavar="FILE", help="A TOML file of such keys; --set goes before it.")
]
Seed: TypeAlias = Annotated[
    str | None, Option(metavar="N", help="Where all random draws start.", show_default="0")
]
Out: TypeAlias = Annotated[
    Path | None, Option(metavar="DIR", help="The run's folder.", show_default="a new one under runs")
]
Beside: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="NAMES",
        help="Yardsticks to train with it, with commas between them, or none.",
        show_default="most-popular beside a federation",
    ),
]
Resume: TypeAlias = Annotated[
    Path | None, Option(metavar="RUN", help="Go on with a run that was stopped, to the same bits.")
]
Keys: TypeAlias = Annotated[bool, Option("--keys", help="List the algorithm's keys and end.")]
Quiet: TypeAlias = Annotated[bool, Option("--quiet", "-q", help="Show no progress.")]
Place: TypeAlias = Annotated[
    Path | None, Option(metavar="DIR", help="Where a named dataset's files lie, if not in the usual places.")
]
User: TypeAlias = Annotated[
    str | None, Option(metavar="COLUMN", help="Who; guessed if not said.", rich_help_panel=_OWN_FILE)
]
Item: TypeAlias = Annotated[
    str | None, Option(metavar="COLUMN", help="What; guessed if not said.", rich_help_panel=_OWN_FILE)
]
Value: TypeAlias = Annotated[
    str | None, Option(metavar="COLUMN", help="How much, if it says so.", rich_help_panel=_OWN_FILE)
]
Time: TypeAlias = Annotated[
    str | None, Option(metavar="COLUMN", help="When, if it says so.", rich_help_panel=_OWN_FILE)
]
Group: TypeAlias = Annotated[
    str | None,
    Option(
        metavar="COLUMN",
        help="Whom a person belongs with, such as a hospital; never guessed.",
        rich_help_panel=_OWN_FILE,
    ),
]
