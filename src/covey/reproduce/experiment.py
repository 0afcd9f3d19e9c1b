"""An experiment's file: which runs make a published table or figure, and what was published.

    title, paper, protocol     what it is and how it was measured, in sentences
    seeds                      the seeds of each row
    metrics                    what is shown of each row
    curves                     whether the way there is kept, for figures
    settings."fedncf"          keys of every row of an algorithm; settings."fedncf on ml-1m" those on one dataset
    settings_of, rows_of       another experiment whose settings or rows are taken (with its settings)
    rows                       id, labels, algorithm, data, settings, theirs (metric -> published), note,
                               measure (one of `measures.py`, in place of a run's metrics),
                               asks (what a measure that needs no data set is asked, in place of data),
                               against (the id of a row that this one is tested against)
    rope                       differences up to this are practically none, for rows held against others

A row without an algorithm has only been published.
"""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from covey.errors import ConfigError
from covey.runs.settings import RunSettings, parse, younger_keys

Settings = dict[str, Any]
Number = float | str  # a paper's number, as text where it prints it so


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One line of a table or one curve of a figure."""

    id: str
    labels: dict[str, str]
    algorithm: str = ""
    data: str = ""
    settings: Settings = {}
    theirs: dict[str, Number] = {}
    note: str = ""
    measure: str = ""
    asks: Settings = {}
    against: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    title: str
    paper: str
    protocol: str
    seeds: tuple[int, ...] = (1,)
    metrics: tuple[str, ...] = ("hr@10", "ndcg@10")
    curves: bool = False
    rope: float = 0.01
    settings: dict[str, Settings] = {}
    settings_of: str = ""
    rows_of: str = ""
    rows: list[Row] = []


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """A published table or figure, every row with all of its settings."""

    name: str
    title: str
    paper: str
    protocol: str
    seeds: tuple[int, ...]
    metrics: tuple[str, ...]
    curves: bool
    rope: float
    rows: list[Row]


def read_experiment(root: Path, name: str) -> Experiment:
    """The experiment of the file `root`/`name`.toml; ConfigError where something in it cannot be."""
    file = _read(root / f"{name}.toml")
    settings = {**file.settings}
    if file.settings_of:
        base = _read(root / f"{file.settings_of}.toml").settings
        settings = {
            key: {**base.get(key, {}), **file.settings.get(key, {})} for key in {**base, **file.settings}
        }
    rows = [_whole(row, settings) for row in file.rows]
    if file.rows_of:
        rows = [*read_experiment(root, file.rows_of).rows, *rows]
    repeated = {row.id for row in rows if [other.id for other in rows].count(row.id) > 1}
    if repeated:
        raise ConfigError(f"{name}: expected each id once, got {min(repeated)!r} twice; rename one")
    strangers = [row.against for row in rows if row.against and row.against not in {each.id for each in rows}]
    if strangers:
        raise ConfigError(
            f"{name}: expected the id of a row to test against, got {strangers[0]!r}; name a row"
        )
    return Experiment(
        name=name,
        title=file.title,
        paper=file.paper,
        protocol=file.protocol,
        seeds=file.seeds,
        metrics=file.metrics,
        curves=file.curves,
        rope=file.rope,
        rows=rows,
    )


def configuration(row: Row) -> Settings:
    """Every key of the row's runs but the seed, defaults too; ConfigError where one cannot be."""
    run_settings, config = parse(row.algorithm, row.settings)
    keys = {name: getattr(run_settings, name) for name in RunSettings.__struct_fields__}
    keys.update({name: getattr(config, name) for name in config.__struct_fields__})
    return {name: value for name, value in keys.items() if name not in ("seed", "workers")}


def digest(row: Row) -> str:
    """Eight signs that stand for what the row's runs are: equal for equal runs, whichever table asks for them.

    Keys that are younger than stored results count only where they are not at their defaults.
    """
    younger, keys = younger_keys(row.algorithm), configuration(row)
    told = {name: value for name, value in keys.items() if name not in younger or value != younger[name]}
    asked = [
        row.algorithm,
        row.data,
        told,
        *([row.measure] if row.measure else []),
        *([row.asks] if row.asks else []),
    ]
    return hashlib.blake2b(msgspec.json.encode(asked, order="sorted"), digest_size=4).hexdigest()


def _whole(row: Row, settings: dict[str, Settings]) -> Row:
    """The row with its settings and those that its algorithm and data give it."""
    shared = {**settings.get(row.algorithm, {}), **settings.get(f"{row.algorithm} on {row.data}", {})}
    return msgspec.structs.replace(row, settings={**shared, **row.settings})


def _read(path: Path) -> _File:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        raise ConfigError(f"no experiment at {path}; see covey reproduce --list") from None
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: expected an experiment, got trouble: {error}; mend the file") from None
