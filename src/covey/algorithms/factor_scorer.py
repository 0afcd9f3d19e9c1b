"""Scores of a matrix factorization: inner products, and with biases the ratings that they stand for."""

from dataclasses import dataclass

import numpy as np

from covey.models.als import products
from covey.types import Floats, ItemIndex, PersonIndex, Scores

# Of a model that has left the finite numbers the evaluation says so in a sentence; numpy need not say it before.
_QUIET = np.errstate(over="ignore", invalid="ignore")


@dataclass(frozen=True, eq=False)
class FactorScorer:
    """An item's score is the inner product of its factors and the person's."""

    users: Floats  # [people, factors]
    items: Floats  # [items, factors]

    @property
    def item_count(self) -> int:
        return len(self.items)

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        return products(self.users, self.items, people, items)

    @_QUIET
    def everything(self, people: PersonIndex) -> Scores:
        return self.users[people] @ self.items.T


@dataclass(frozen=True, eq=False)
class RatingScorer(FactorScorer):
    """A score is the predicted rating: the centre, both biases (the last columns) and the factors' product."""

    centre: float

    @_QUIET
    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        rows, users = self.items[items], self.users[people]
        products = np.einsum("pcf,pf->pc", rows[:, :, :-1], users[:, :-1])
        return products + rows[:, :, -1] + users[:, -1:] + np.float32(self.centre)

    @_QUIET
    def everything(self, people: PersonIndex) -> Scores:
        users = self.users[people]
        scores: Scores = users[:, :-1] @ self.items[:, :-1].T
        return scores + self.items[:, -1] + users[:, -1:] + np.float32(self.centre)

    def values(self, people: PersonIndex, items: ItemIndex) -> Scores:
        """The predicted ratings."""
        return self.candidates(people, items)
