"""Scores of a factor model with item biases, for evaluation and for recommendation at home; and where it starts."""

from dataclasses import dataclass

import numpy as np

from covey.algorithms.ncf_start import first_items
from covey.types import Floats, ItemIndex, PersonIndex, Scores

# Of a model that has left the finite numbers the evaluation says so in a sentence; numpy need not say it before.
_QUIET = np.errstate(over="ignore", invalid="ignore")


@dataclass(frozen=True, eq=False)
class BprScorer:
    """x_ui = b_i + p_u · q_i."""

    users: Floats  # [people, factors]
    items: Floats  # [items, factors + 1] the bias last

    @property
    def item_count(self) -> int:
        return len(self.items)

    @_QUIET
    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        rows = self.items[items]
        return np.einsum("pcf,pf->pc", rows[:, :, :-1], self.users[people]) + rows[:, :, -1]

    @_QUIET
    def everything(self, people: PersonIndex) -> Scores:
        return self.users[people] @ self.items[:, :-1].T + self.items[:, -1]


def first_table(item_count: int, factors: int, spread: float, seed: int) -> Floats:
    """Item rows whose factors have that standard deviation and whose biases are zero."""  # [items, factors + 1]
    table = np.zeros((item_count, factors + 1), np.float32)
    table[:, :-1] = first_items(item_count, factors, spread, seed)
    return table
