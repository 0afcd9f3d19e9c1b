"""Where the files of a named source may lie, in the order in which the places are looked at."""

import os
from dataclasses import dataclass
from pathlib import Path

from covey.datasets.sources import Source

DATA_VARIABLE = "COVEY_DATA"


@dataclass(frozen=True)
class Place:
    """One place that was looked at, and what was found there."""

    name: str  # "the path", "$COVEY_DATA", "the cache"
    folder: Path | None  # None where the place is not set
    missing: tuple[str, ...]  # the files that are not there

    @property
    def complete(self) -> bool:
        return self.folder is not None and not self.missing

    def __str__(self) -> str:
        if self.folder is None:
            return f"{self.name} is not set"
        if not self.folder.is_dir():
            return f"{self.name}: no folder {self.folder}"
        return f"{self.name}: {self.folder} lacks {', '.join(self.missing)}"


def cache_root() -> Path:
    """The folder for downloads; nothing is made here."""
    from platformdirs import user_cache_path  # late, as `import covey` need not pay for it

    return user_cache_path("covey") / "datasets"


def places(source: Source, path: str | Path | None = None) -> list[Place]:
    """Every place for this source: the given path alone, or $COVEY_DATA and then the cache."""
    if path is not None:
        return [_look("the path", Path(path), source)]
    root = os.environ.get(DATA_VARIABLE)
    shared = Path(root) / source.name if root else None
    return [
        _look(f"${DATA_VARIABLE}", shared, source),
        _look("the cache", cache_root() / source.name, source),
    ]


def _look(name: str, folder: Path | None, source: Source) -> Place:
    missing = source.files if folder is None else tuple(f for f in source.files if not (folder / f).is_file())
    return Place(name, folder, missing)
