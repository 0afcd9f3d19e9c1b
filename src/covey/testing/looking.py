"""Looking into what an algorithm hands around: every array in it, every object in it, and copies to compare with."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def parts(thing: Any) -> Iterator[Any]:
    """The thing and everything that can be reached from it through fields, slots, mappings and sequences."""
    yield thing
    if isinstance(thing, np.ndarray | str | bytes):
        return
    for inner in _inside(thing):
        yield from parts(inner)


def _inside(thing: Any) -> list[Any]:
    if isinstance(thing, Mapping):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, list | tuple | set | frozenset):
        return list(thing)
    if is_dataclass(thing):
        return [getattr(thing, field.name) for field in fields(thing)]
    slots = getattr(type(thing), "__slots__", ())
    return [getattr(thing, slot) for slot in slots if hasattr(thing, slot)]


def arrays(*things: Any) -> list[Array]:
    """Every array that can be reached from these things, always in the same order."""
    return [part for thing in things for part in parts(thing) if isinstance(part, np.ndarray)]


def bits(*things: Any) -> list[bytes]:
    """The arrays and numbers in these things as bytes: equal lists mean equal bits."""
    return [
        part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        for thing in things
        for part in parts(thing)
        if isinstance(part, np.ndarray | np.generic | bool | int | float | str | bytes)
    ]


def holds_run(array: Array, values: Array) -> bool:
    """Whether the values stand in the array one after another, as they are."""
    flat, wanted = np.ascontiguousarray(array).reshape(-1), values.reshape(-1)
    if len(wanted) == 0 or len(flat) < len(wanted):
        return False
    windows = np.lib.stride_tricks.sliding_window_view(flat, len(wanted))
    return bool((windows == wanted).all(axis=1).any())
