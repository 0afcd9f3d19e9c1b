"""Who takes part in a comparison, by which name and with which settings."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from covey.algorithms.registry import ALGORITHMS, algorithm_class
from covey.errors import ConfigError, unknown
from covey.runs.settings import RunSettings, parse

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")  # it becomes a folder's name
Settings = Mapping[str, Any]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One algorithm with its settings; compared by `name`."""

    name: str
    algorithm: str
    settings: dict[str, Any]  # every key of the algorithm's configuration, defaults too


def entries(names: Sequence[str], shared: Settings, own: Mapping[str, Settings]) -> list[Entry]:
    """The entries that `fedncf` or `fedncf:large` stand for; ConfigError where they cannot be compared.

    `shared` holds keys of the algorithms for all that know them; `own` holds keys of single entries by name.
    """
    named = _named(names)
    if len(named) < 2:
        raise ConfigError(
            f"a comparison needs at least 2 algorithms, got {len(named)}; "
            "for example: covey compare fedncf most-popular --data synthetic:town"
        )
    for name in own:
        if name not in named:
            raise unknown("name with keys of its own", name, named)
    takers = {key: [name for name in named if key in _keys(named[name])] for key in shared}
    for key, taking in takers.items():
        if not taking:
            raise unknown(
                "key", key, {*RunSettings.__struct_fields__, *(k for a in named.values() for k in _keys(a))}
            )
    made = [
        _entry(
            name,
            algorithm,
            {key: value for key, value in shared.items() if name in takers[key]},
            own.get(name, {}),
        )
        for name, algorithm in named.items()
    ]
    _refuse_twins(made)
    return made


def split_keys(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, dict[str, Any]]]:
    """Keys of every run, keys for all algorithms that know them, and keys of single entries.

    `factors` is shared; `fedncf.factors`, or a table `fedncf` of a TOML file, is the entry's own.
    """
    of_runs: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {}
    for key, value in given.items():
        entry, dot, inner = key.partition(".")
        if dot:
            own.setdefault(entry, {})[inner] = value
        elif isinstance(value, Mapping):
            own.setdefault(key, {}).update({str(name): inside for name, inside in value.items()})
        elif key in RunSettings.__struct_fields__:
            of_runs[key] = value
        else:
            shared[key] = value
    return of_runs, shared, own


def _named(names: Sequence[str]) -> dict[str, str]:
    """Name -> algorithm, in the order given."""
    named: dict[str, str] = {}
    for text in names:
        algorithm, colon, label = text.partition(":")
        algorithm_class(algorithm)
        name = label if colon else algorithm
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"expected ALGORITHM or ALGORITHM:NAME with letters, digits, - and _ in the name, got {text!r}"
            )
        if colon and name in ALGORITHMS and name != algorithm:
            raise ConfigError(f"{text!r} gives {algorithm} the name of another algorithm; give another name")
        if name in named:
            raise ConfigError(
                f"{name} is named twice; tell the two apart by names and settings: {algorithm} {algorithm}:other "
                "--set other.KEY=VALUE"
            )
        named[name] = algorithm
    return named


def _keys(algorithm: str) -> tuple[str, ...]:
    return algorithm_class(algorithm).Config.__struct_fields__


def _entry(name: str, algorithm: str, shared: Settings, own: Settings) -> Entry:
    of_runs = [key for key in own if key in RunSettings.__struct_fields__]
    if of_runs:
        raise ConfigError(
            f"{of_runs[0]} is the same for all that are compared; "
            f"give it without a name before it: --set {of_runs[0]}={own[of_runs[0]]}"
        )
    _, config = parse(algorithm, {**shared, **own})
    return Entry(
        name=name,
        algorithm=algorithm,
        settings={key: getattr(config, key) for key in config.__struct_fields__},
    )


def _refuse_twins(made: Sequence[Entry]) -> None:
    """Raises where two entries would be the same runs."""
    for n, one in enumerate(made):
        for other in made[n + 1 :]:
            if (one.algorithm, one.settings) == (other.algorithm, other.settings):
                raise ConfigError(
                    f"{one.name} and {other.name} would be the same runs; give one of them other settings: "
                    f"--set {other.name}.KEY=VALUE"
                )
