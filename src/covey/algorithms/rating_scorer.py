"""Ratings that the central yardsticks predict, held within the range of what people gave.

Which items are best is asked of the free prediction: held within the range, all that would be above five stars would be
alike. How far off a rating is, is asked of the held one, as the usual libraries do: nobody can give six.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covey.algorithms.factor_scorer import FactorScorer
from covey.errors import DivergedError
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, ItemIndex, PersonIndex, Scores


@dataclass(frozen=True)
class Bounds:
    """The lowest and the highest training rating."""

    low: float
    high: float

    def hold(self, ratings: Scores) -> Scores:
        """The ratings, those beyond the range at its ends."""
        return np.clip(ratings, np.float32(self.low), np.float32(self.high))


@dataclass(frozen=True, eq=False)
class BoundedRatings(FactorScorer):
    """A score is the product of vectors that hold factors and biases; a predicted rating is held within bounds."""

    bounds: Bounds

    def values(self, people: PersonIndex, items: ItemIndex) -> Scores:
        """The predicted ratings."""
        return self.bounds.hold(self.candidates(people, items))


def bounds_of(train: Histories) -> Bounds:
    """The range of the training ratings."""
    return Bounds(float(train.value.min(initial=np.inf)), float(train.value.max(initial=-np.inf)))


def mean_of(train: Histories) -> float:
    """The mean training rating, the same for any order of the rows of the same people."""
    return float(np.mean(train.value, dtype=np.float64)) if len(train) else 0.0


def ratings_of(
    train: Histories, user_bias: npt.NDArray[np.floating], item_bias: npt.NDArray[np.floating], centre: float,
    users: Floats | None = None, items: Floats | None = None,
) -> BoundedRatings:  # fmt: skip
    """Scores of centre + both biases + the product of the factors, where there are any."""
    users = np.empty((len(user_bias), 0), np.float32) if users is None else users
    items = np.empty((len(item_bias), 0), np.float32) if items is None else items
    ones = np.ones(len(user_bias), np.float32), np.ones(len(item_bias), np.float32)
    left = np.column_stack([users, user_bias + centre, ones[0]]).astype(np.float32)
    right = np.column_stack([items, ones[1], item_bias]).astype(np.float32)
    return BoundedRatings(left, right, bounds_of(train))


def refuse_diverged(arrays: Arrays, remedy: str) -> None:
    """Raises a DivergedError where a number is not finite: held within bounds, it would look like a rating."""
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise DivergedError(f"expected finite {name}, got others after this epoch; {remedy}")
