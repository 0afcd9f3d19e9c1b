"""iALS: factors of people and items by alternating least squares over everything, seen and unseen.

epoch    solve the items' rows against the people's, then the people's against the items'    als.solve

Hu, Koren and Volinsky (2008): each row of a history weighs 1 + alpha r, everything else 1. With `unobserved` and
`frequency_power` also the form of Rendle, Krichene, Zhang and Koren (Revisiting the Performance of iALS on Item
Recommendation Benchmarks, 2022), whose penalty grows with how often a row is used. Their seen target and Hu's differ
by a factor, which for equal weights is one of `regularization`.
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.algorithms.checks import at_least, between, one_of, positive
from covey.algorithms.factor_scorer import FactorScorer
from covey.errors import ConfigError, DivergedError
from covey.models import als, draws
from covey.models.pairs import Pairs, transposed
from covey.random import key
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, Ints

STRENGTHS = ("presence", "value")
_LARGEST = 1_000_000


class IALSConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is minimised, and how."""

    factors: int = 64  # K: numbers in a person's and an item's vector
    alpha: float = 5.0  # a row of a history weighs 1 + alpha r
    strength: str = "presence"  # what r is: presence (1 for every row) or value (the row's own)
    unobserved: float = 1.0  # weight of what a person does not have
    regularization: float = 60.0  # lambda: penalty of a vector's square
    frequency_power: float = 0.0  # nu: penalty lambda (n + unobserved N)^nu, n rows out of N; 0: lambda
    solver_steps: int = 3  # conjugate gradient steps a solve, on from the last epoch's; 0: exact
    rounds: int = 15  # epochs
    spread: float = 0.1  # usual length of the first vectors

    def __post_init__(self) -> None:
        between("factors", self.factors, 1, 1024)
        between("alpha", self.alpha, 0, _LARGEST)
        one_of("strength", self.strength, STRENGTHS)
        between("unobserved", self.unobserved, 0, _LARGEST)
        between("regularization", self.regularization, 0, _LARGEST)
        between("frequency_power", self.frequency_power, 0, 2)
        between("solver_steps", self.solver_steps, 0, 1000)
        at_least("rounds", self.rounds, 1)
        positive("spread", self.spread)


class IALS:
    """One configuration of iALS over one training set."""

    name: ClassVar[str] = "ials"
    Config: ClassVar[type[IALSConfig]] = IALSConfig
    title: ClassVar[str] = "iALS"

    def __init__(self, config: IALSConfig, train: Histories, seed: int, workers: int = 1) -> None:
        self.config, self.train, self.seed, self.workers = config, train, seed, workers
        self.by_person = Pairs(train.offsets, train.item, self._weights())
        self.by_item = transposed(self.by_person, train.item_count)
        self.penalty_of_people = self._penalty(train.counts, train.item_count)
        self.penalty_of_items = self._penalty(np.diff(self.by_item.offsets), train.people_count)

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """Small random vectors; the people's are drawn as those of the items."""
        half_range = self.config.spread * np.sqrt(3 / self.config.factors)
        counts = {"users": self.train.people_count, "items": self.train.item_count}
        return {
            name: draws.uniform_rows(
                np.uint64(key(self.seed, "ials", name)),
                np.arange(count, dtype=np.int32),
                self.config.factors,
                half_range,
            )
            for name, count in counts.items()
        }

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The items' best rows for these people, then the people's for those items."""
        items = self._solved("item", self.by_item, arrays["users"], arrays["items"], self.penalty_of_items)
        users = self._solved("person", self.by_person, items, arrays["users"], self.penalty_of_people)
        return {"users": users, "items": items}

    def scorer(self, arrays: Arrays) -> FactorScorer:
        return FactorScorer(arrays["users"], arrays["items"])

    def _solved(self, whose: str, pairs: Pairs, fixed: Floats, before: Floats, penalty: Floats) -> Floats:
        config = self.config
        rows, singular = als.solve(
            pairs, fixed, before, config.unobserved, penalty, config.solver_steps, self.workers
        )
        if singular >= 0 or not np.isfinite(rows).all():
            bad = singular if singular >= 0 else int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
            raise DivergedError(
                f"the equations of {whose} {bad} (counted from 0) have no single solution; "
                f"raise regularization (now {config.regularization:g})"
            )
        return rows

    def _weights(self) -> Floats:
        """1 + alpha r of every row."""
        if self.config.strength == "presence":
            return np.full(len(self.train), 1 + self.config.alpha, np.float32)
        lowest = float(self.train.value.min(initial=0))
        if not lowest >= 0:
            raise ConfigError(
                f"strength = 'value' needs values of at least 0, got {lowest:g} among the rows; "
                f"use strength = 'presence'"
            )
        return (1 + self.config.alpha * self.train.value).astype(np.float32)

    def _penalty(self, counts: Ints, of: int) -> Floats:
        """lambda (n + unobserved N)^nu."""
        scale = (counts + self.config.unobserved * of) ** self.config.frequency_power
        return (self.config.regularization * scale).astype(np.float32)
