"""A run's folder: what is in it, how it is written, and what is refused.

config.toml          what was asked, and of which data
metrics.parquet      a row an evaluated round (metrics.jsonl while the run goes on)
ledger.parquet       what crossed the boundary, a row a field
model.safetensors    the shared model
summary.json         the final figures
report.html          the page
audit.json           what attacks on its messages came to, where somebody audited it: means over groups, nobody's data
state/               where to go on after a crash: two slots in turn, and the name of the good one
devices/             what in a deployment would be on people's own machines; nobody else reads it
"""

import os
import shutil
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
from safetensors import SafetensorError

from covey.algorithms.registry import algorithm_class
from covey.errors import RunError
from covey.runs.audited import Audit
from covey.runs.settings import RunSettings, completed

CONFIG, METRICS, JOURNAL, LEDGER = "config.toml", "metrics.parquet", "metrics.jsonl", "ledger.parquet"
MODEL, SUMMARY, REPORT, AUDIT, STATE, DEVICES = (
    "model.safetensors",
    "summary.json",
    "report.html",
    "audit.json",
    "state",
    "devices",
)


@dataclass(frozen=True)
class RunFiles:
    """What a report reads of a run."""

    path: Path
    config: dict[str, Any]
    title: str
    federated: bool
    metrics: pl.DataFrame
    ledger: pl.DataFrame | None
    summary: dict[str, Any]
    audit: Audit | None = None


def read_run(path: Path) -> RunFiles:
    """The files of a run, finished or not; RunError where there is none."""
    config = read_config(path)
    summary = _decoded(path / SUMMARY) if (path / SUMMARY).exists() else {"finished": False}
    ledger = _table(path / LEDGER) if (path / LEDGER).exists() else None
    # The journal is ahead of the table while a run that was interrupted goes on.
    rows = list(journal_rows(path))
    metrics = pl.DataFrame(rows, infer_schema_length=None) if rows else _table(path / METRICS)
    title, federated = config["title"], bool(config["federated"])
    return RunFiles(path, config, title, federated, metrics, ledger, summary, _audit(path / AUDIT))


def read_config(path: Path) -> dict[str, Any]:
    """A run's configuration; RunError where the folder holds no run."""
    try:
        return msgspec.toml.decode((path / CONFIG).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(f"no run at {path}: it has no {CONFIG}; give a folder that covey train made") from None
    except OSError as error:
        raise RunError(f"cannot read {path / CONFIG}: {_reason(error)}; check its rights") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path / CONFIG} is damaged: {error}") from None


def journal_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The evaluated rounds so far; a last line that a crash cut off is left out."""
    if not (path / JOURNAL).exists():
        return
    for line in (path / JOURNAL).read_bytes().splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield msgspec.json.decode(line)


def create(
    path: Path, config: Mapping[str, Any], inside: Mapping[Path, Mapping[str, Any]] | None = None
) -> None:
    """Makes a run's folder with its configuration, and of runs in folders inside it, whole or not at all."""
    with clear_errors(path):
        if (path / CONFIG).exists():
            _refuse_existing(path, config)
        # All in one draft: a run killed between its own folder and its yardsticks' would go on without them.
        with new_folder(path) as draft:
            for folder, said in {Path(): config, **(inside or {})}.items():
                (draft / folder / STATE).mkdir(parents=True)
                (draft / folder / DEVICES).mkdir(mode=0o700)
                (draft / folder / CONFIG).write_text(to_toml(said))


@contextmanager
def new_folder(path: Path, kind: str = "run") -> Generator[Path]:
    """A draft to fill, which becomes the folder `path` when all of it is there, and leaves nothing otherwise."""
    with clear_errors(path):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            what = f"is not empty and holds no {kind}" if path.is_dir() else "is a file"
            raise RunError(f"{path} {what}; give a new folder")
        made = [folder for folder in path.parents if not folder.exists()]  # the innermost first
        draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
        try:
            draft.mkdir(parents=True)
            yield draft
            if path.exists():
                path.rmdir()
            draft.rename(path)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            for folder in made:
                with suppress(OSError):  # it may not have come so far, or somebody else uses it by now
                    folder.rmdir()
            raise


def _refuse_existing(path: Path, config: Mapping[str, Any]) -> None:
    """Says why a folder that holds a run cannot be used for a new one."""
    difference = differing_key(read_config(path), config)
    if difference is None:
        raise RunError(
            f"{path} already holds this run; go on with it by --resume {path}, or give another folder"
        )
    raise RunError(f"{path} belongs to another configuration ({difference}); give another folder")


def differing_key(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> str | None:
    """The first key in which two configurations differ, in words; None where they agree."""
    old = completed(stored, RunSettings, algorithm_class(asked["algorithm"]).Config)
    old, plain = (
        msgspec.json.decode(msgspec.json.encode(each)) for each in (old, asked)
    )  # TOML has no tuples
    for name in [*plain, *(name for name in stored if name not in plain)]:
        if name not in _FREE and old.get(name) != plain.get(name):
            return f"{name} is {old.get(name)!r} there, {plain.get(name)!r} here"
    return None


# What may differ between a run and its resumption: it changes no bit of the result.
_FREE = ("workers", "covey", "created")


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that a reader sees the old one or the new one, never a part."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    with clear_errors(path):
        try:
            draft.write_bytes(data)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def clear_errors(path: Path) -> Generator[None]:
    """Turns the system's refusals to write into one sentence, whichever library met them."""
    try:
        yield
    except (OSError, SafetensorError, pl.exceptions.PolarsError) as error:
        raise RunError(
            f"cannot write to {path}: {_reason(error)}; free some space, mend its rights or choose another folder"
        ) from error


def new_path(root: Path, algorithm: str, data: str) -> Path:
    """A folder under `root` that does not exist yet, named by the time, the algorithm and the data."""
    slug = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in Path(data).name)
    stem = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{algorithm}-{slug}"
    number = 1
    while (root / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return root / (stem if number == 1 else f"{stem}-{number}")


def to_toml(values: Mapping[str, Any]) -> str:
    """Flat keys as TOML: text, numbers, booleans and lists of them. JSON's spelling of these is TOML's too."""
    return "".join(f"{name} = {msgspec.json.encode(value).decode()}\n" for name, value in values.items())


def _reason(error: Exception) -> str:
    """What the system says, in its own words."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _table(path: Path) -> pl.DataFrame:
    """A Parquet file of the run; RunError where it is damaged, no rows where it is missing."""
    try:
        return pl.read_parquet(path)
    except FileNotFoundError:
        return pl.DataFrame()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise RunError(f"{path} is damaged: {error}") from None


def _audit(path: Path) -> Audit | None:
    """The audit of the run; None where nobody audited it."""
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Audit)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path} is damaged ({error}); make it anew: covey audit {path.parent}") from None


def _decoded(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes())
    except msgspec.DecodeError as error:
        raise RunError(f"{path} is damaged: {error}") from None
