"""What Covey knows of a named source before it has read a byte of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from covey.datasets.interactions import Interactions


@dataclass(frozen=True)
class Source:
    """A named source: its files, its reader, and what a whole copy holds."""

    name: str
    about: str
    licence: str
    people: int
    items: int
    rows: int
    files: tuple[str, ...]  # names inside the dataset's folder, as its publisher named them
    read: Callable[[Path], Interactions]  # takes the folder
    urls: tuple[str, ...] = ()  # one archive, or the files themselves; empty: nobody offers a download
    checksum: str | None = None  # of the archive, "md5:..." or "sha256:..."; None where none is published
