"""Shamir's sharing (1979) of 32 bytes: any `threshold` shares give them back, fewer say nothing of them.

The field is that of the prime p = 2^31 - 1. The secret is cut into nine numbers of 30 bits and each is shared by a
polynomial of its own. A small Mersenne prime rather than one of 257 bits or more, for three reasons: a product of two
elements fits 64 bits, so the arithmetic is compiled and not that of Python's long integers; reducing it is a shift and
an addition, without a branch or a table that would depend on a secret; and each share is 36 bytes.
"""

import os
from collections.abc import Sequence
from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.errors import MessageError

PRIME = 2**31 - 1
SECRET_BYTES = 32
_LIMBS, _LIMB_BITS = 9, 30
SHARE_BYTES = 4 * _LIMBS

Elements = npt.NDArray[np.uint64]  # below PRIME
_kernel = nb.njit(cache=True, nogil=True, error_model="numpy")


def deal(secret: bytes, points: Sequence[int], threshold: int) -> list[bytes]:
    """A share for each point, in their order. Points are distinct, from 1 to PRIME - 1."""
    return dealt_from(secret, points, random_elements((threshold - 1, _LIMBS)))


def dealt_from(secret: bytes, points: Sequence[int], coefficients: Elements) -> list[bytes]:
    """`deal` with the polynomials' coefficients given, for test vectors."""  # [threshold - 1, 9] of x, x^2, ...
    polynomials = np.vstack([_limbs_of(secret), coefficients]).astype(np.uint64)
    shares = _evaluate(polynomials, np.array(points, np.uint64))
    return [share.astype("<u4").tobytes() for share in shares]


def combine(points: Sequence[int], shares: Sequence[bytes]) -> bytes:
    """The secret that these shares lie on; MessageError where they lie on none."""
    limbs = value_at(0, points, shares)
    total = sum(int(limb) << (_LIMB_BITS * place) for place, limb in enumerate(limbs))
    if int(limbs.max()) >> _LIMB_BITS or total >> (8 * SECRET_BYTES):
        raise MessageError("shares do not belong together: what they give is longer than a secret")
    return total.to_bytes(SECRET_BYTES, "little")


def value_at(point: int, points: Sequence[int], shares: Sequence[bytes]) -> Elements:
    """The polynomials through these shares, at a point."""  # [9]
    where = np.array(points, np.uint64)
    return _interpolate(np.uint64(point), where, np.stack([elements_of(share) for share in shares]))


def elements_of(share: bytes) -> Elements:
    """A share's nine field elements; MessageError where it is none."""
    if len(share) != SHARE_BYTES:
        raise MessageError(f"a share has {len(share)} bytes, expected {SHARE_BYTES}")
    elements = np.frombuffer(share, "<u4").astype(np.uint64)
    if elements.max() >= PRIME:
        raise MessageError(f"a share holds {elements.max()}, expected numbers below {PRIME}")
    return elements


def random_elements(shape: tuple[int, ...]) -> Elements:
    """Field elements drawn evenly by the operating system."""
    wanted = int(np.prod(shape))
    # Drawn again rather than reduced: 31 random bits are an element unless they are all ones.
    drawn = np.frombuffer(os.urandom(4 * wanted), "<u4") >> 1
    while (all_ones := drawn == PRIME).any():
        drawn = np.where(all_ones, np.frombuffer(os.urandom(4 * wanted), "<u4") >> 1, drawn)
    return drawn.astype(np.uint64).reshape(shape)


def _limbs_of(secret: bytes) -> Elements:
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {len(secret)} bytes, expected {SECRET_BYTES}")
    number = int.from_bytes(secret, "little")
    mask = (1 << _LIMB_BITS) - 1
    return np.array([(number >> (_LIMB_BITS * place)) & mask for place in range(_LIMBS)], np.uint64)


@_kernel
def _reduced(value: Any) -> Any:
    """A number below 2^63 modulo p, in the same few steps whatever it is: 2^31 is 1 modulo p."""
    once = (value & np.uint64(PRIME)) + (value >> np.uint64(31))
    twice = (once & np.uint64(PRIME)) + (once >> np.uint64(31))
    return twice - np.uint64(PRIME) * np.uint64(twice >= np.uint64(PRIME))


@_kernel
def _evaluate(polynomials: Elements, points: Elements) -> Elements:
    """Every polynomial at every point, by Horner's rule."""  # [points, limbs]
    values = np.zeros((len(points), polynomials.shape[1]), np.uint64)
    for place in range(len(points)):
        for power in range(len(polynomials) - 1, -1, -1):
            for limb in range(polynomials.shape[1]):
                values[place, limb] = _reduced(values[place, limb] * points[place] + polynomials[power, limb])
    return values


@_kernel
def _inverse(value: Any) -> Any:
    """1 / value modulo p: value^(p - 2), by Fermat; p - 2 has a zero in its second bit and ones in the other 30."""
    result, power = np.uint64(1), value
    for bit in range(31):
        if bit != 1:  # a branch on the exponent, which is public
            result = _reduced(result * power)
        power = _reduced(power * power)
    return result


@_kernel
def _interpolate(at: Any, points: Elements, shares: Elements) -> Elements:
    """Lagrange's formula: the sum of shares times (x_m - at) / (x_m - x_j), multiplied over the other points."""
    total = np.zeros(shares.shape[1], np.uint64)
    prime = np.uint64(PRIME)
    for one in range(len(points)):
        above, below = np.uint64(1), np.uint64(1)
        for other in range(len(points)):
            if other != one:
                above = _reduced(above * _reduced(points[other] + prime - at))
                below = _reduced(below * _reduced(points[other] + prime - points[one]))
        weight = _reduced(above * _inverse(below))
        for limb in range(shares.shape[1]):
            total[limb] = _reduced(total[limb] + weight * shares[one, limb])
    return total
