"""The tables of docs/reference/configuration.md: every key, from the comments that `covey train --keys` shows too."""

import typing
from typing import Any

from covey.algorithms.registry import algorithm_class
from covey.runs.command import plain
from covey.runs.keys import Key, algorithm_keys, run_keys
from covey.runs.settings import RunSettings
from covey_docs.markers import table

_KINDS = {int: "whole number", float: "number", str: "text", bool: "true or false"}


def keys_of_runs(_: str) -> str:
    """The keys that every run has."""
    return _keys(run_keys(), RunSettings)


def keys_of(algorithm: str) -> str:
    """The keys of one algorithm."""
    return _keys(algorithm_keys(algorithm), algorithm_class(algorithm).Config)


def _keys(keys: list[Key], config_type: type[Any]) -> str:
    if not keys:
        return "It has no keys of its own."
    kinds = typing.get_type_hints(config_type)
    rows = [
        [
            f"`{key.name}`",
            _KINDS.get(kinds[key.name], "whole numbers"),
            f"`{plain(key.default)}`",
            key.meaning,
        ]
        for key in keys
    ]
    return table(["key", "takes", "default", "meaning"], rows)
