"""The one maker of random streams: randomness is named, not drawn in turn.

A stream depends on the seed and on its names alone (`stream(7, "split", "ml-1m")`), so neither the order of
calls nor the number of threads can change what anybody draws. Never for keys or masks: those come from the
operating system.
"""

import hashlib

import numpy as np


def key(seed: int, *names: str | int) -> int:
    """The 64-bit number that stands for a seed and its names; compiled kernels start from it."""
    # Lengths keep ("ab", "c") and ("a", "bc") apart; the type keeps 1 and "1" apart.
    parts = [f"{type(name).__name__}:{len(str(name))}:{name}" for name in (seed, *names)]
    return int.from_bytes(hashlib.blake2b("/".join(parts).encode(), digest_size=8).digest(), "little")


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator that depends on the seed and the names alone."""
    return np.random.Generator(np.random.Philox(key=key(seed, *names)))
