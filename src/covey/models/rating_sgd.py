"""Factors with biases, learned rating by rating (Funk, 2006; Koren, Bell and Volinsky, 2009).

    rating of person a for item b = centre + b_a + b_b + p_a . q_b

A rating moves both vectors and both biases by a step of gradient descent on its squared error. Rows of both tables hold
the factors and, last, the bias. No sum is fused or reordered, so the bits are the same on every machine that follows
IEEE 754.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import draws
from covey.types import Floats, Ints, ItemIndex, PersonIndex


class Steps(NamedTuple):
    """How far a rating moves what it touches."""

    rate: float  # of the epoch
    regularization: float  # of the factors
    bias_regularization: float


@nb.njit(cache=True, nogil=True)
def shuffled(count: int, key: np.uint64, epoch: int) -> Ints:
    """The numbers below count in the epoch's order; every order is as likely as any other."""
    order = np.arange(count)
    generator = np.zeros(1, np.uint64)
    draws.restart(generator, key, epoch, 0)
    for last in range(count - 1, 0, -1):
        other = draws.below(generator, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


@nb.njit(cache=True, nogil=True, error_model="numpy")
def train_epoch(
    steps: Steps, centre: float, order: Ints, person: PersonIndex, item: ItemIndex, value: npt.NDArray[np.float32],
    users: Floats, items: Floats,
) -> None:  # fmt: skip
    """One step for each rating, in this order; changes both tables."""
    rate, decay = np.float32(steps.rate), np.float32(steps.regularization)
    bias_decay, middle = np.float32(steps.bias_regularization), np.float32(centre)
    width = users.shape[1] - 1
    for r in order:
        mine, its = users[person[r]], items[item[r]]
        wrong = value[r] - (middle + mine[width] + its[width] + _product(mine, its, width))
        mine[width] += rate * (wrong - bias_decay * mine[width])
        its[width] += rate * (wrong - bias_decay * its[width])
        for f in range(width):
            p, q = mine[f], its[f]
            mine[f] = p + rate * (wrong * q - decay * p)
            its[f] = q + rate * (wrong * p - decay * q)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _product(mine: Floats, its: Floats, width: int) -> np.float32:
    """The inner product of the factors."""
    # Four sums in a fixed order: a single one would wait for itself at every addition.
    a, b, c, d = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    whole = width - width % 4
    for f in range(0, whole, 4):
        a += mine[f] * its[f]
        b += mine[f + 1] * its[f + 1]
        c += mine[f + 2] * its[f + 2]
        d += mine[f + 3] * its[f + 3]
    for f in range(whole, width):
        a += mine[f] * its[f]
    return (a + b) + (c + d)
