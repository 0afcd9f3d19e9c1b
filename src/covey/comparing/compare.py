"""Start a comparison, go on with one, and read what it found.

<out>/comparison.json                  what was asked
<out>/repeats/<seed>/<name>/           a run, as covey train makes them
<out>/report.html, .md, .json          what was found
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

import covey
from covey.comparing.asked import FILE, REPEATS, REPORT, Asked, Reading, checked
from covey.comparing.entries import Entry, entries, split_keys
from covey.comparing.measured import measure
from covey.comparing.verdict import Verdict, verdict
from covey.datasets import Interactions
from covey.errors import ConfigError, RunError
from covey.reports import facts
from covey.runs import DataSource, Run, open_run, read_run, source_of, start
from covey.runs.directory import CONFIG, new_path
from covey.runs.settings import RunSettings, parse, read_config
from covey.runs.source import stored_source
from covey.runs.train import OnRound, fingerprint, go_on

Watch = Callable[[Run], AbstractContextManager[OnRound | None]]
Say = Callable[[str], None]


class Comparison:
    """A comparison and its data. Made by `covey.compare` and `open_comparison`."""

    def __init__(self, path: Path, asked: Asked, data: Interactions) -> None:
        self.path, self.asked, self.data = path, asked, data

    def go_on(self, watch: Watch | None = None, say: Say | None = None) -> None:
        """Runs what is missing; each run is saved as it goes."""
        for number, seed in enumerate(self.asked.seeds, 1):
            for entry in self.asked.entries:
                path = self.path_of(seed, entry.name)
                if (path / CONFIG).exists() and read_run(path).summary.get("finished"):
                    continue
                if say is not None:
                    say(f"repeat {number} of {self.asked.repeats} (seed {seed}): {entry.name}")
                run = self._run(path, seed, entry)
                with watch(run) if watch is not None else nullcontext() as on_round:
                    go_on(run, on_round)

    def verdict(self) -> Verdict:
        """What the finished runs say; RunError where one is missing."""
        return verdict(self.asked, measure(self.path, self.asked, self.data))

    def write(self, found: Verdict | None = None) -> Path:
        """Writes what was found as a page, as Markdown and as JSON; returns the page's path."""
        from covey.comparing.page import write_report

        return write_report(found or self.verdict(), self.path / REPORT)

    def path_of(self, seed: int, name: str) -> Path:
        """The folder of one run."""
        return run_path(self.path, seed, name)

    def _run(self, path: Path, seed: int, entry: Entry) -> Run:
        if (path / CONFIG).exists():
            return open_run(path, self.data)
        settings: dict[str, Any] = {**self.asked.run_settings, **entry.settings, "seed": seed}
        return start(
            entry.algorithm, self.data, out=path, source=stored_source(self.asked.source), **settings
        )


def run_path(path: Path, seed: int, name: str) -> Path:
    """The folder of one run of the comparison in `path`."""
    return path / REPEATS / str(seed) / name


def compare(
    names: Sequence[str],
    data: str | Interactions,
    *,
    repeats: int = 5,
    out: str | Path | None = None,
    config: str | Path | None = None,
    own: Mapping[str, Mapping[str, Any]] | None = None,
    metric: str = "",
    test: str = "people",
    rope: float = 0.01,
    watch: Watch | None = None,
    **settings: Any,
) -> Comparison:
    """Trains algorithms on the same splits and seeds, repeat after repeat, writes the report, and returns all of it.

    `names` are algorithms; `fedncf:large` is fedncf under the name large. `settings` are keys of every run and of
    all algorithms that know them, `own` those of single names (`{"large": {"factors": 64}}`).
    """
    made = start_comparison(
        names,
        data,
        repeats=repeats,
        out=out,
        config=config,
        own=own,
        metric=metric,
        test=test,
        rope=rope,
        **settings,
    )
    made.go_on(watch)
    made.write()
    return made


def start_comparison(
    names: Sequence[str],
    data: str | Interactions,
    *,
    repeats: int = 5,
    out: str | Path | None = None,
    config: str | Path | None = None,
    source: DataSource | None = None,
    own: Mapping[str, Mapping[str, Any]] | None = None,
    metric: str = "",
    test: str = "people",
    rope: float = 0.01,
    **settings: Any,
) -> Comparison:
    """A comparison at its beginning, with its folder made; nothing is written where anything is wrong."""
    given = {**(read_config(Path(config)) if config else {}), **settings}
    of_runs, shared, of_own = split_keys(given)
    for name, keys in (own or {}).items():
        of_own.setdefault(name, {}).update(keys)
    taking_part = entries(names, shared, of_own)
    run_settings, _ = parse(taking_part[0].algorithm, of_runs)
    reading = Reading(metric=metric or facts.usual_metric(run_settings.k), test=test, rope=rope)
    reading = checked(reading, repeats, run_settings.k)
    if source is None:
        source = source_of(data) if isinstance(data, str) else DataSource(data=data.name)
    interactions = source.load() if isinstance(data, str) else data
    path = Path(out) if out else new_path(Path("runs"), "compare", source.data)
    asked = Asked(
        entries=taking_part,
        run_settings={name: getattr(run_settings, name) for name in RunSettings.__struct_fields__},
        repeats=repeats,
        source=source.keys(),
        fingerprint=fingerprint(interactions),
        test_to_train=_tried(taking_part, run_settings, reading.metric, interactions),
        reading=reading,
        covey=covey.__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    FILE.create(path, asked)
    return Comparison(path, asked, interactions)


def open_comparison(
    path: str | Path,
    data: Interactions | None = None,
    *,
    repeats: int | None = None,
    metric: str | None = None,
    test: str | None = None,
    rope: float | None = None,
) -> Comparison:
    """A comparison as it was left; more repeats, another metric or another test may be asked of it."""
    where = Path(path)
    stored = FILE.read(where)
    if repeats is not None and repeats < stored.repeats:
        raise ConfigError(
            f"{where} has {stored.repeats} repeats already, got {repeats}; ask for as many or more"
        )
    changes = {
        name: value
        for name, value in (("metric", metric), ("test", test), ("rope", rope))
        if value is not None
    }
    reading = msgspec.structs.replace(stored.reading, **changes)
    wanted = msgspec.structs.replace(stored, reading=reading, repeats=repeats or stored.repeats)
    checked(reading, wanted.repeats, tuple(wanted.run_settings["k"]))
    interactions = data if data is not None else stored_source(stored.source).load()
    if fingerprint(interactions) != stored.fingerprint:
        raise RunError(
            f"{where} was made from other data of the name {stored.source['data']}; nothing was changed"
        )
    if wanted.repeats > stored.repeats:
        FILE.rewrite(where, msgspec.structs.replace(wanted, reading=stored.reading))
    return Comparison(where, wanted, interactions)


def _tried(taking_part: Sequence[Entry], run_settings: RunSettings, metric: str, data: Interactions) -> float:
    """Evaluated rows / training rows, after an evaluation of each algorithm's beginning has shown that all can run."""
    ratio = 0.0
    for entry in taking_part:
        run = Run(
            Path(), entry.algorithm, *parse(entry.algorithm, {**_told(run_settings), **entry.settings}), data
        )
        try:
            found = run.evaluation()
        finally:
            run.session.close()
        if metric not in found:
            raise ConfigError(f"{entry.name} has no {metric}; it has {', '.join(found)}")
        held_out = run.split.test if run_settings.part == "test" else run.split.valid
        ratio = len(held_out) / max(1, len(run.split.train))
    return ratio


def _told(run_settings: RunSettings) -> dict[str, Any]:
    return {name: getattr(run_settings, name) for name in RunSettings.__struct_fields__}
