"""Ridge regression whose strength is chosen by leaving out each known rating in turn, in closed form.

w = (F'F + s I)^-1 F'y          an error without row i: (y_i - f_i w) / (1 - f_i (F'F + s I)^-1 f_i')
"""

from typing import NamedTuple

import numpy as np

from covey.audit.estimates import Reals
from covey.types import PersonIndex

# For features of mean square 1: as much as so many ratings of zero.
STRENGTHS: Reals = np.logspace(-2, 3, 11)


class Fit(NamedTuple):
    """One regression at every strength."""

    weights: Reals  # [strengths, features]
    left_out: Reals  # [strengths] sum of squared errors, each row guessed without itself


def fit(features: Reals, target: Reals, strengths: Reals = STRENGTHS) -> Fit:
    """The weights at each strength, and how well each guesses what it did not see."""
    values, vectors = np.linalg.eigh(features.T @ features)
    turned = features @ vectors  # [rows, features]
    shrunk = 1 / (np.maximum(values, 0) + strengths[:, None])  # [strengths, features]
    weights = (shrunk * (turned.T @ target)) @ vectors.T
    leverage = turned**2 @ shrunk.T  # [rows, strengths]
    errors = (target[:, None] - features @ weights.T) / (1 - leverage)
    return Fit(weights, (errors**2).sum(axis=0))


def pooled_and_apart(features: Reals, target: Reals, person: PersonIndex, people: int) -> Reals:
    """Weights of each person: [people, features]. One fit of everybody's rows, and each one's own step away from it.

    Both strengths are the ones that guess best what they did not see. Somebody without a row keeps everybody's weights.
    """
    together = fit(features, target)
    common = together.weights[np.argmin(together.left_out)]
    left = target - features @ common
    rows = [np.flatnonzero(person == each) for each in range(people)]
    apart = [fit(features[own], left[own]) for own in rows]
    best = np.argmin(np.sum([each.left_out for each in apart], axis=0))
    return common + np.stack([each.weights[best] for each in apart])
