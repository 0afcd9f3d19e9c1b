"""Collaborative non-negative matrix factorization of one group's ratings (fedsplit.txt, section 3.2).

    rating of person a for item b = centre + b_a + b_b + w_a . h_b          equation 7; w and h are never negative

Only what was rated counts. An iteration walks over the ratings in their order: each moves its person's and its item's
bias by a gradient step (eq. 10 and 11; rating by rating, as the library does that the paper modified: the whole sum at
once diverges at the paper's rates for anybody with a few hundred ratings). Then all factors take one multiplicative step
(eq. 12 and 13), which keeps them non-negative.
"""

from typing import Any, NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.types import ItemIndex, PersonIndex

Reals = npt.NDArray[np.float64]


class Penalties(NamedTuple):
    """What holds the factors and the biases back, and how fast the biases learn: the paper's letters behind each."""

    users: float  # alpha
    items: float  # beta
    user_bias: float  # gamma
    item_bias: float  # delta
    user_rate: float  # eta_W
    item_rate: float  # eta_H
    by_rating: bool  # whether alpha and beta count once a rating (as the library does) or once (as eq. 12 is printed)


class Factorization(NamedTuple):
    """A group's model, changed in place."""

    users: Reals  # [people, k] W
    items: Reals  # [items, k] the transpose of H
    user_bias: Reals  # [people]
    item_bias: Reals  # [items]

    def __repr__(self) -> str:
        return "Factorization(kept at home)"


def start(people: int, items: int, patterns: int, generator: np.random.Generator) -> Factorization:
    """Factors drawn evenly from 0 to 1, and biases of zero."""
    return Factorization(
        generator.random((people, patterns)),
        generator.random((items, patterns)),
        np.zeros(people),
        np.zeros(items),
    )


@nb.njit(cache=True, nogil=True, error_model="numpy")
def complete(
    penalties: Penalties, centre: float, person: PersonIndex, item: ItemIndex, value: npt.NDArray[Any],
    model: Factorization, iterations: int, learn_items: bool,
) -> None:  # fmt: skip
    """Fits the model to the ratings; with `learn_items` False the items' factors and biases stay as they are."""
    users, items = model.users, model.items
    width = users.shape[1]
    user_up, user_down = np.zeros_like(users), np.zeros_like(users)
    item_up, item_down = np.zeros_like(items), np.zeros_like(items)
    user_counts, item_counts = np.zeros(len(users)), np.zeros(len(items))
    for r in range(len(value)):
        user_counts[person[r]] += 1
        item_counts[item[r]] += 1
    for _ in range(iterations):
        user_up[:], user_down[:], item_up[:], item_down[:] = 0, 0, 0, 0
        for r in range(len(value)):
            a, b = person[r], item[r]
            mine, its = users[a], items[b]
            guess = centre + model.user_bias[a] + model.item_bias[b]
            for f in range(width):
                guess += mine[f] * its[f]
            wrong = value[r] - guess
            model.user_bias[a] += penalties.user_rate * (wrong - penalties.user_bias * model.user_bias[a])
            up, down = user_up[a], user_down[a]
            for f in range(width):
                up[f] += its[f] * value[r]
                down[f] += its[f] * guess
            if learn_items:
                model.item_bias[b] += penalties.item_rate * (wrong - penalties.item_bias * model.item_bias[b])
                up, down = item_up[b], item_down[b]
                for f in range(width):
                    up[f] += mine[f] * value[r]
                    down[f] += mine[f] * guess
        _multiply(users, user_up, user_down, user_counts, penalties.users, penalties.by_rating)
        if learn_items:
            _multiply(items, item_up, item_down, item_counts, penalties.items, penalties.by_rating)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _multiply(factors: Reals, up: Reals, down: Reals, counts: Reals, penalty: float, by_rating: bool) -> None:
    """Equations 12 and 13; a row without a rating becomes zero, and so does a factor whose step would be negative."""
    for n in range(len(factors)):
        held = penalty * (counts[n] if by_rating else 1.0)
        for f in range(factors.shape[1]):
            under = down[n, f] + held * factors[n, f]
            # A guess below zero can turn the denominator: a step from there would leave the non-negative numbers.
            factors[n, f] = max(0.0, factors[n, f] * up[n, f] / under) if under > 0 else 0.0


@nb.njit(cache=True, nogil=True, error_model="numpy")
def biases(
    centre: float, person: PersonIndex, item: ItemIndex, value: npt.NDArray[Any],
    user_shrinkage: float, item_shrinkage: float, user_bias: Reals, item_bias: Reals, iterations: int,
) -> None:  # fmt: skip
    """Fits biases alone, in turn: a mean of what is left, held towards zero as by so many ratings of zero."""
    for _ in range(iterations):
        _mean_left(item, person, value, centre, user_bias, item_shrinkage, item_bias)
        _mean_left(person, item, value, centre, item_bias, user_shrinkage, user_bias)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _mean_left(
    own: npt.NDArray[np.int32], other: npt.NDArray[np.int32], value: npt.NDArray[Any], centre: float,
    other_bias: Reals, shrinkage: float, bias: Reals,
) -> None:  # fmt: skip
    """Puts the shrunken mean of value - centre - the other's bias into bias."""
    counts = np.zeros(len(bias))
    bias[:] = 0
    for r in range(len(value)):
        counts[own[r]] += 1
        bias[own[r]] += value[r] - centre - other_bias[other[r]]
    for n in range(len(bias)):
        bias[n] = bias[n] / (counts[n] + shrinkage) if counts[n] > 0 else 0.0
