"""Start a run, go on with one, open one: the loop around the rounds."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import covey
from covey.algorithms.registry import algorithm_class
from covey.datasets import Interactions
from covey.errors import RunError
from covey.runs import checkpoint, directory
from covey.runs.beside import BESIDE, yardstick_settings, yardsticks_of
from covey.runs.run import Run
from covey.runs.settings import RunSettings, parse, read_config
from covey.runs.source import DataSource, source_of, stored_source

OnRound = Callable[[Run], None]
_DESCRIBING = (
    *(
        "algorithm",
        *DataSource.__struct_fields__,
        "title",
        "federated",
        "people",
        "items",
        "rows",
        "fingerprint",
    ),
    *("covey", "created"),
)


def train(
    algorithm: str,
    data: str | Interactions,
    *,
    out: str | Path | None = None,
    config: str | Path | None = None,
    on_round: OnRound | None = None,
    beside: Sequence[str] = (),
    **settings: Any,
) -> Run:
    """Trains an algorithm in a new folder (by default under ./runs) and returns the finished run.

    `settings` are the run's and the algorithm's keys (`seed=7, factors=16`); they go before those of the file.
    `beside` names yardsticks that are trained with it, in folders under its own.
    """
    run = start(algorithm, data, out=out, config=config, beside=beside, **settings)
    go_on(run, on_round)
    for path in yardsticks_of(run.path):
        resume(path, data if isinstance(data, Interactions) else None)
    return run


def start(
    algorithm: str,
    data: str | Interactions,
    *,
    out: str | Path | None = None,
    config: str | Path | None = None,
    source: DataSource | None = None,
    beside: Sequence[str] = (),
    **settings: Any,
) -> Run:
    """A run at its beginning, with its folder made; nothing is written where anything is wrong.

    `source` says where data that is already read came from. `beside` names algorithms whose runs, with the same
    data, split and seed, are begun in folders under this one.
    """
    algorithm_class(algorithm)
    given = {**(read_config(Path(config)) if config else {}), **settings}
    run_settings, algorithm_config = parse(algorithm, given)
    yardsticks = yardstick_settings(beside, run_settings, algorithm_config)
    if source is None:
        source = source_of(data) if isinstance(data, str) else DataSource(data=data.name)
    interactions = source.load() if isinstance(data, str) else data
    path = Path(out) if out else directory.new_path(Path("runs"), algorithm, source.data)
    run = Run(path, algorithm, run_settings, algorithm_config, interactions)
    # The first evaluation's candidates are drawn before anything is written: bad data shows itself here.
    run.evaluation()
    twins: dict[Path, Mapping[str, Any]] = {}
    for name, keys in yardsticks.items():
        twin = Run(path / BESIDE / name, name, *parse(name, keys), interactions)
        twins[Path(BESIDE) / name] = describe(twin, source)
        twin.session.close()
    directory.create(path, describe(run, source), twins)
    return run


def resume(
    path: str | Path, data: Interactions | None = None, on_round: OnRound | None = None, **settings: Any
) -> Run:
    """Goes on with a run from its last whole round and returns it finished, with the bits of an unbroken run.

    `data` is needed where the run's data came from memory; `settings` may only repeat what the run was asked.
    """
    run = open_run(path, data, **settings)
    go_on(run, on_round)
    return run


def open_run(path: str | Path, data: Interactions | None = None, **settings: Any) -> Run:
    """A run as it was left."""
    folder = Path(path)
    stored = directory.read_config(folder)
    algorithm = stored["algorithm"]
    asked = {name: value for name, value in stored.items() if name not in _DESCRIBING}
    run_settings, config = parse(algorithm, {**asked, **settings})
    source = stored_source(stored)
    interactions = data if data is not None else source.load()
    run = Run(folder, algorithm, run_settings, config, interactions)
    difference = directory.differing_key(stored, describe(run, source))
    if difference is not None:
        raise RunError(f"{folder} belongs to another configuration ({difference}); nothing was changed")
    run.seconds = checkpoint.restore(folder, run.session)
    return run


def go_on(run: Run, on_round: OnRound | None = None) -> None:
    """Does the rounds that are left and writes the run's files, also when somebody interrupts it."""
    try:
        while run.session.round < run.session.rounds:
            run.round()
            if on_round is not None:
                on_round(run)
    except KeyboardInterrupt:
        # The round under way is lost; the files show what the last saved one reached.
        run.seconds = checkpoint.restore(run.path, run.session)
        run.finish()
        raise
    finally:
        run.session.close()
    run.finish()


def describe(run: Run, source: DataSource) -> Mapping[str, Any]:
    """The run's configuration as its folder keeps it."""
    algorithm = {name: getattr(run.config, name) for name in run.config.__struct_fields__}
    settings = {name: getattr(run.settings, name) for name in RunSettings.__struct_fields__}
    return {
        "algorithm": run.algorithm,
        **source.keys(),
        "title": run.session.title,
        "federated": run.session.federated,
        "people": run.data.people_count,
        "items": run.data.item_count,
        "rows": len(run.data),
        "fingerprint": fingerprint(run.data),
        **settings,
        **algorithm,
        "covey": covey.__version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def fingerprint(data: Interactions) -> str:
    """A short hash of all rows, and of the groups where there are any: the same data, or not."""
    digest = hashlib.blake2b(digest_size=8)
    groups = () if data.group is None else (data.group,)
    for column in (data.person, data.item, data.value, data.time, *groups):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()
