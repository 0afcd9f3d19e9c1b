"""Runs the rows of an experiment and stores each as it finishes.

A row's runs lie in folders that are named by what they are, not by who asked: tables that share a run share its
folder, and a changed setting starts a new one.
"""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

import covey
from covey.datasets import Interactions, info
from covey.errors import DataError
from covey.reports.posteriors import posterior_file
from covey.reproduce import measured, places, results, versus
from covey.reproduce.experiment import Experiment, Row, digest
from covey.reproduce.measures import asked_measure_named, measure_named
from covey.reproduce.rendering import rendered
from covey.runs import DataSource, Run, RunFiles, open_run, read_run, source_of, start
from covey.runs.directory import CONFIG, clear_errors, write_whole
from covey.runs.train import OnRound, go_on

RUNS = Path("runs") / "reproduce"
Watch = Callable[[Run], AbstractContextManager[OnRound | None]]
Say = Callable[[str], None]


def rebuild(
    experiment: Experiment, *, watch: Watch, say: Say, only: str = "", seeds: int = 0, runs: Path = RUNS
) -> Path:
    """Runs what is missing of the chosen rows and returns the path of the stored result.

    `only` chooses rows whose id or labels hold that text; `seeds` is how many seeds, 0 for the experiment's own.
    """
    rows = chosen(experiment, only)
    shelf = Shelf()
    for number, row in enumerate(rows, 1):
        called = f"{row.id} ({number} of {len(rows)})"
        if not row.algorithm:
            store(experiment, [results.described(row)])
            continue
        try:
            data = None if row.asks else shelf.data(row.data)
        except DataError as error:
            say(f"{called}: not run, for it needs {row.data}: {error}")
            store(experiment, [results.needing(row, f"needs {row.data}")])
            continue
        for seed in seeds_of(experiment, seeds):
            say(f"{called}, seed {seed}")
            if row.measure or data is None:
                found = measured_once(row, seed, data, runs)
                store(
                    experiment,
                    [results.done(row, seed, found, found["curve"] if experiment.curves else None)],
                )
                continue
            run = finished_run(row, seed, data, runs, watch)
            curve = measured.curve_of(run, experiment.metrics, seed) if experiment.curves else None
            store(experiment, [results.done(row, seed, measured.summary_of(run), curve)])
    return result_path(experiment)


def chosen(experiment: Experiment, only: str) -> list[Row]:
    """The rows whose id or labels hold a text; DataError where none does."""
    wanted = only.casefold()
    rows = [row for row in experiment.rows if wanted in " ".join([row.id, *row.labels.values()]).casefold()]
    if not rows:
        ids = ", ".join(row.id for row in experiment.rows)
        raise DataError(f"{experiment.name} has no row with {only!r} in it; its rows: {ids}")
    return rows


def seeds_of(experiment: Experiment, count: int) -> Sequence[int]:
    """The experiment's seeds, or the first `count` of them, going on upwards where more are asked for."""
    have = list(experiment.seeds)
    while len(have) < count:
        have.append(max(have) + 1)
    return have[: count or len(have)]


class Shelf:
    """Holds the data that was read last: rows come in groups of one dataset."""

    def __init__(self) -> None:
        self.name, self.held = "", None

    def data(self, name: str) -> Interactions:
        """A dataset that is at hand; DataError for one that is not: no experiment downloads by surprise."""
        if self.held is None or self.name != name:
            source = source_of(name)
            if not source.data_path and not name.startswith("synthetic:") and info(name).found is None:
                raise DataError(f"it is not at hand; get it by: covey datasets get {name}")
            self.name, self.held = name, source.load()
        return self.held


def finished_run(row: Row, seed: int, data: Interactions, runs: Path, watch: Watch) -> RunFiles:
    """The files of the row's run, which is started, gone on with or taken as it is."""
    path = runs / f"{Path(row.data).name.replace(':', '-')}-{row.algorithm}-{digest(row)}-s{seed}"
    with clear_errors(runs):
        runs.mkdir(parents=True, exist_ok=True)
    with alone(runs / f".{path.name}.lock", os.O_CREAT | os.O_RDWR):
        if (path / CONFIG).exists():
            files = read_run(path)
            if files.summary.get("finished"):
                return files
            run = open_run(path, data)
        else:
            source: DataSource = source_of(row.data)
            settings: dict[str, Any] = {**row.settings, "seed": seed}
            run = start(row.algorithm, data, out=path, source=source, **settings)
        with watch(run) as on_round:
            go_on(run, on_round)
    return read_run(path)


def measured_once(row: Row, seed: int, data: Interactions | None, runs: Path) -> dict[str, Any]:
    """What the row's measure says; kept beside the runs, so that tables that share a row measure it once."""
    path = runs / f"{row.measure}-{Path(row.data).name.replace(':', '-')}-{digest(row)}-s{seed}.json"
    with clear_errors(runs):
        runs.mkdir(parents=True, exist_ok=True)
        with alone(runs / f".{path.name}.lock", os.O_CREAT | os.O_RDWR):
            if not path.exists():
                found = (
                    asked_measure_named(row.measure)(row.asks)
                    if data is None
                    else measure_named(row.measure, row.algorithm)(row.settings, seed, data)
                )
                write_whole(path, msgspec.json.encode(found))
            return msgspec.json.decode(path.read_bytes())


@contextmanager
def alone(path: Path, flags: int) -> Generator[None]:
    """Waits until no other process holds this file or folder; tables that share a run may go on at once."""
    try:
        import fcntl
    except ImportError:  # a system without such locks: there, run one experiment at a time
        yield
        return
    with clear_errors(path):
        descriptor = os.open(path, flags)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # let go of by the system when a process ends, however it ends
        yield
    finally:
        os.close(descriptor)


def store(experiment: Experiment, rows: Sequence[results.Stored]) -> None:
    """Adds rows to the stored result, as JSON and as Markdown."""
    path = result_path(experiment)
    with clear_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with alone(path.parent, os.O_RDONLY):
        before = results.read_stored(places.stored_path(experiment.name))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        stored = results.merged(experiment, before, rows, now, covey.__version__)
        encoded = msgspec.json.format(msgspec.json.encode(stored), indent=1)
        write_whole(path, encoded + b"\n")
        write_whole(path.with_suffix(".md"), rendered(stored).encode())
        _draw(path.with_suffix(""), stored)


def _draw(folder: Path, stored: results.Stored) -> None:
    """Writes the posterior of each difference as a picture into a folder beside the result."""
    rows = results.stored_rows(stored)
    for each in stored["differences"]:
        if posterior := versus.posterior_of(each):
            folder.mkdir(exist_ok=True)
            drawn = posterior_file(posterior, versus.title(rows, each))
            write_whole(folder / versus.picture(each), drawn.encode())


def result_path(experiment: Experiment) -> Path:
    """Where the experiment's result is written."""
    return places.results_folder() / f"{experiment.name}.json"
