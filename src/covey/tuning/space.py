"""Where to look: a range for each key, as text that is short enough for a command line.

8..64         from 8 to 64: whole numbers where the key takes them
0.01..1:log   the same number of tries in each factor of ten
gmf|mlp       one of these; also for lists: 48,24|64,32,16

An algorithm's class may say its own ranges (`space`, beside its Config). Without them, `usual` takes the names that
mean the same in every algorithm, around their defaults.
"""

import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covey.algorithms.registry import algorithm_class
from covey.errors import ConfigError, unknown
from covey.runs.command import plain
from covey.runs.settings import RunSettings, parse

# Names that mean the same in every algorithm: how far below and above its default each is worth a look. What an
# algorithm is used to, its defaults know best: 1000 is as usual for EASE's regularization as 0.0025 for BPR's.
_AROUND = {
    "factors": 4,
    "latent": 4,
    "neighbours": 4,
    "learning_rate": 10,
    "regularization": 10,
    "alpha": 5,
    "shrinkage": 10,
}
_FIXED = {"negatives": "1..8", "local_epochs": "1..4", "dropout": "0.1..0.8", "frequency_power": "0..1"}


@dataclass(frozen=True)
class Numbers:
    """Every number from low to high."""

    low: float
    high: float
    log: bool
    whole: bool


@dataclass(frozen=True)
class Choices:
    """One of some values, each as `--set` writes it."""

    options: tuple[str, ...]


Range = Numbers | Choices


def space_of(algorithm: str, over: Mapping[str, str], fixed: Mapping[str, Any]) -> dict[str, str]:
    """The ranges asked for, or else the algorithm's own, or else the usual ones, without the keys that are fixed.

    ConfigError where nothing is left to choose, or where a range cannot be.
    """
    made = algorithm_class(algorithm)
    keys: tuple[str, ...] = made.Config.__struct_fields__
    for key in over:
        if key in RunSettings.__struct_fields__:
            raise ConfigError(
                f"{key} says how a run is measured, so it cannot be tuned; give it by --set {key}=VALUE"
            )
        if key not in keys:
            raise unknown(f"key for {algorithm}", key, keys)
        if key in fixed:
            raise ConfigError(f"{key} is both fixed ({plain(fixed[key])}) and to be tuned; leave one out")
    declared: Mapping[str, str] = getattr(made, "space", None) or usual(algorithm)
    own = {key: text for key, text in declared.items() if key not in fixed}
    space = dict(over) or own
    if not space:
        raise ConfigError(f"{algorithm} has nothing to tune; name a key and its range: --over KEY=LOW..HIGH")
    for key, text in space.items():
        _refuse_unusable(algorithm, key, read(algorithm, key, text))
    return space


def usual(algorithm: str) -> dict[str, str]:
    """Ranges for the keys of an algorithm that declares none; empty where it has none of the usual names."""
    defaults = algorithm_class(algorithm).Config()
    ranges: dict[str, str] = {}
    for key in defaults.__struct_fields__:
        default = getattr(defaults, key)
        if key in _FIXED:
            ranges[key] = _FIXED[key]
        elif key in _AROUND and default > 0:
            low, high = default / _AROUND[key], default * _AROUND[key]
            low = max(1, round(low)) if isinstance(default, int) else low
            ranges[key] = f"{low:g}..{high:g}:log"
    return ranges


def read(algorithm: str, key: str, text: str) -> Range:
    """The range that a text stands for; ConfigError where it cannot be one of this key."""
    wanted = typing.get_type_hints(algorithm_class(algorithm).Config)[key]
    if ".." not in text:
        options = tuple(dict.fromkeys(part.strip() for part in text.split("|")))
        if len(options) < 2 or not all(options):
            raise ConfigError(
                f"expected a range LOW..HIGH, LOW..HIGH:log or choices A|B for {key}, got {text!r}; "
                "for example: --over factors=8..64:log"
            )
        return Choices(options)
    bounds, _, kind = text.partition(":")
    if kind not in ("", "log"):
        raise ConfigError(f"expected {key}={bounds} or {key}={bounds}:log, got {text!r}")
    if wanted not in (int, float):
        raise ConfigError(f"{key} is no number, so it has no range; give choices: --over {key}=A|B")
    low, high = (_number(key, part, wanted is int) for part in bounds.split("..", 1))
    if not low < high:
        raise ConfigError(f"the range of {key} must end above its beginning, got {text!r}")
    if kind == "log" and low <= 0:
        raise ConfigError(f"a logarithmic range must begin above 0, got {text!r} for {key}")
    return Numbers(low, high, kind == "log", wanted is int)


def _number(key: str, text: str, whole: bool) -> float:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        kind = "whole numbers" if whole else "numbers"
        raise ConfigError(f"expected {kind} at both ends of the range of {key}, got {text!r}") from None
    if not math.isfinite(value):
        raise ConfigError(f"the range of {key} must be finite, got {text!r}")
    return value


def _refuse_unusable(algorithm: str, key: str, range_: Range) -> None:
    """Raises where an end or a choice is a value that the key does not take."""
    tried = range_.options if isinstance(range_, Choices) else (range_.low, range_.high)
    for value in tried:
        parse(algorithm, {key: value})
