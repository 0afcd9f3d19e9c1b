"""Getting a named source from its publisher: into a temporary folder, checked, and only then under its name."""

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from covey.datasets.interactions import Interactions
from covey.datasets.sources import Source
from covey.errors import DataError

Fetch = Callable[[str, Path], None]  # writes what is at the address to the path; raises OSError or DataError


def download(source: Source, folder: Path, fetch: Fetch) -> Interactions:
    """Fetches a source into `folder`, which appears only once all is there and checked; returns its data."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside its place, so that the last step is a rename on one file system: it happens wholly or not.
        temporary = Path(tempfile.mkdtemp(prefix=f".{source.name}-", dir=folder.parent))
    except OSError as error:
        expected = f"expected to write to {folder.parent}, got {error.strerror}"
        raise DataError(f"{source.name}: {expected}; free some space or set $COVEY_DATA") from None
    try:
        for url in source.urls:
            fetch(url, temporary / url.rpartition("/")[2])
        _unpack(source, temporary)
        data = source.read(temporary)
        check_counts(source, data)
        if folder.exists():
            shutil.rmtree(folder)  # it was incomplete, or nobody would have come here
        temporary.rename(folder)
        return data
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_counts(source: Source, data: Interactions) -> None:
    """Raises a DataError unless people, items and rows are as published."""
    got = (data.people_count, data.item_count, len(data))
    if got != (source.people, source.items, source.rows):
        expected = f"{source.people:,} people, {source.items:,} items and {source.rows:,} rows"
        found = f"{got[0]:,}, {got[1]:,} and {got[2]:,}"
        remedy = "try again, or get it by hand and pass its path"
        raise DataError(f"{source.name}: expected {expected} in the download, got {found}; {remedy}")


def _unpack(source: Source, folder: Path) -> None:
    """Takes the source's files out of a downloaded archive, and removes the archive."""
    for archive in folder.glob("*.zip"):
        _check_sum(source, archive)
        try:
            with zipfile.ZipFile(archive) as packed:
                # By their last name alone: an archive cannot choose where its files go.
                found = {Path(name).name: name for name in packed.namelist() if not name.endswith("/")}
                for name in set(source.files) & set(found):
                    with packed.open(found[name]) as inside, (folder / name).open("wb") as outside:
                        shutil.copyfileobj(inside, outside)
        except (zipfile.BadZipFile, EOFError) as error:
            raise DataError(f"{source.name}: expected a whole zip archive, got {error}; try again") from None
        archive.unlink()
    missing = [name for name in source.files if not (folder / name).is_file()]
    if missing:
        raise DataError(f"{source.name}: expected {', '.join(missing)} in the download, got none; try again")


def _check_sum(source: Source, archive: Path) -> None:
    if source.checksum is None:
        return
    kind, _, expected = source.checksum.partition(":")
    with archive.open("rb") as file:
        got = hashlib.file_digest(file, kind).hexdigest()
    if got != expected:
        raise DataError(f"{source.name}: expected an archive with {kind} {expected}, got {got}; try again")


def fetch_over_http(url: str, target: Path) -> None:
    """Writes what is at the address to the path, with a progress bar; raises an OSError where it cannot."""
    import httpx  # late, as `import covey` need not pay for it
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    plain = {"Accept-Encoding": "identity"}  # so that the announced length is that of the file
    bar = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        with (
            httpx.stream("GET", url, follow_redirects=True, timeout=30, headers=plain) as response,
            Progress(*bar, console=Console(stderr=True), transient=True) as progress,
            target.open("wb") as file,
        ):
            response.raise_for_status()
            whole = response.headers.get("content-encoding", "identity") == "identity"
            announced = int(response.headers.get("content-length", 0)) or None if whole else None
            task = progress.add_task(target.name, total=announced)
            received = 0
            for piece in response.iter_bytes():
                received += file.write(piece)
                progress.update(task, completed=received)
    except httpx.HTTPError as error:
        raise ConnectionError(str(error) or type(error).__name__) from None
    if announced not in (None, received):
        raise ConnectionError(f"expected {announced:,} bytes, got {received:,}")
