"""Draws inside compiled kernels: SplitMix64 (Steele, Lea and Flood, 2014) from a named key.

A generator is an array of one number, so that a kernel can hand it on and every draw moves it. Where a stream
starts depends on its key and on two numbers, mostly a person and a round, and on nothing else.
"""

import numba as nb
import numpy as np
import numpy.typing as npt

Generator = npt.NDArray[np.uint64]  # [1]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@nb.njit(cache=True, nogil=True)
def mix(number: np.uint64) -> np.uint64:
    """The number, scrambled so that neighbours have nothing in common."""
    number = (number ^ (number >> _S30)) * _MIX_1
    number = (number ^ (number >> _S27)) * _MIX_2
    return number ^ (number >> _S31)


@nb.njit(cache=True, nogil=True)
def restart(generator: Generator, key: np.uint64, first: int | np.int64, second: int | np.int64) -> None:
    """Puts the generator at the start of the stream (key, first, second)."""
    generator[0] = mix(mix(mix(key) ^ np.uint64(first)) + _GOLDEN * np.uint64(second + 1))


@nb.njit(cache=True, nogil=True)
def next_u64(generator: Generator) -> np.uint64:
    """The next 64 bits."""
    generator[0] += _GOLDEN
    return mix(generator[0])


@nb.njit(cache=True, nogil=True)
def below(generator: Generator, bound: int) -> np.int64:
    """A whole number from 0 to bound - 1; uneven by less than bound / 2**32."""
    return np.int64(((next_u64(generator) >> _S32) * np.uint64(bound)) >> _S32)


@nb.njit(cache=True, nogil=True)
def unit(generator: Generator) -> np.float64:
    """A number in [0, 1) on a grid of 2**-53."""
    return np.float64(next_u64(generator) >> np.uint64(11)) * 2.0**-53


@nb.njit(cache=True, nogil=True)
def uniform(generator: Generator) -> np.float32:
    """A number in [-1, 1) on a grid of 2**-23."""
    return np.float32(np.int64(next_u64(generator) >> np.uint64(40)) - np.int64(1 << 23)) * np.float32(
        2.0**-23
    )


@nb.njit(cache=True, nogil=True)
def uniform_rows(
    key: np.uint64, people: npt.NDArray[np.int32], width: int, half_range: float
) -> npt.NDArray[np.float32]:
    """One row a person, uniform in ±half_range, each from that person's own stream."""  # [people, width]
    rows = np.empty((len(people), width), np.float32)
    generator = np.empty(1, np.uint64)
    for p in range(len(people)):
        restart(generator, key, people[p], 0)
        for j in range(width):
            rows[p, j] = uniform(generator) * np.float32(half_range)
    return rows
