"""Which command writes which block of which page."""

from collections.abc import Callable
from pathlib import Path

from covey_docs import commands, figures, lists, messages, settings
from covey_docs.markers import fill

ROOT = Path(__file__).parents[2]

# The name of a block before its slash -> who writes it; the writer gets what comes after the slash.
_WRITERS: dict[str, Callable[[str], str]] = {
    "messages": messages.overview,
    "message": messages.message,
    "run-keys": settings.keys_of_runs,
    "keys": settings.keys_of,
    "commands": commands.commands,
    "datasets": lists.datasets,
    "metrics": lists.metric_names,
}


def pages() -> list[Path]:
    """Every page that may have blocks."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "protocol").rglob("*.md")])


def written_anew(text: str) -> str:
    """A page with all of its blocks as they should be."""
    return fill(fill(text, "generated", _generated), "results", figures.block)


def _generated(name: str) -> str:
    writer, _, rest = name.partition("/")
    if writer not in _WRITERS:
        raise ValueError(f"no writer for block {name!r}; known: {', '.join(_WRITERS)}")
    return _WRITERS[writer](rest)
