"""Where to look: a range for each key, as text that is short enough for a command line.

8..64         from 8 to 64: whole numbers where the key takes them
0.01..1:log   the same number of tries in each factor of ten
gmf|mlp       one of these; also for lists: 48,24|64,32,16

An algorithm's class may say its own ranges (`space`, beside its Config). USUAL has ranges for names that mean the
same in every algorithm.
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

USUAL = {
    "factors": "8..128:log",
    "regularization": "0.001..100:log",
    "alpha": "0.5..40:log",
    "learning_rate": "0.0003..0.3:log",
    "negatives": "1..8",
    "local_epochs": "1..4",
    "neighbours": "10..500:log",
    "shrink": "1..100:log",
    "dropout": "0..0.8",
}


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
    declared: Mapping[str, str] = getattr(made, "space", None) or USUAL
    own = {key: text for key, text in declared.items() if key in keys and key not in fixed}
    space = dict(over) or own
    if not space:
        raise ConfigError(f"{algorithm} has nothing to tune; name a key and its range: --over KEY=LOW..HIGH")
    for key, text in space.items():
        _refuse_unusable(algorithm, key, read(algorithm, key, text))
    return space


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
