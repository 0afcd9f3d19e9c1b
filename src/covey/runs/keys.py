"""What each key of a configuration means: the comment behind its line in the configuration's class.

The comment is the only place where a meaning is written; `covey train ALGORITHM --keys` and the docs show it.
"""

import inspect
import io
import tokenize
from dataclasses import dataclass
from typing import Any

from covey.algorithms.registry import algorithm_class
from covey.runs.settings import RunSettings


@dataclass(frozen=True)
class Key:
    """One thing that can be set."""

    name: str
    default: Any
    meaning: str  # empty where the class says nothing; a test does not let that pass


def algorithm_keys(algorithm: str) -> list[Key]:
    """The keys of the algorithm alone, in the order of its class."""
    return described(algorithm_class(algorithm).Config)


def run_keys() -> list[Key]:
    """The keys that every run has."""
    return described(RunSettings)


def described(config_type: Any) -> list[Key]:
    """The fields of a configuration class with their defaults and comments."""
    comments = _comments(inspect.getsource(config_type))
    defaults = config_type()
    return [
        Key(name, getattr(defaults, name), comments.get(name, "")) for name in config_type.__struct_fields__
    ]


def _comments(source: str) -> dict[str, str]:
    """The first name of each line -> the comment that ends it."""
    first: dict[int, str] = {}
    said: dict[str, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line = token.start[0]
        if token.type == tokenize.NAME:
            first.setdefault(line, token.string)
        elif token.type == tokenize.COMMENT and line in first:
            said[first[line]] = token.string.lstrip("# ").strip()
    return said
