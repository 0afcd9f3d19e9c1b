"""Central matrix factorization with biases, learned by plain gradient descent (Funk, 2006; Koren et al., 2009).

epoch    every training rating once, in an order drawn anew: a step of both vectors and biases    rating_sgd.train_epoch
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.algorithms.checks import at_least, between, positive
from covey.algorithms.rating_scorer import BoundedRatings, mean_of, ratings_of, refuse_diverged
from covey.models import draws, rating_sgd
from covey.random import key
from covey.splits.histories import Histories
from covey.types import Arrays, Floats


class BiasedMFConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How it learns."""

    factors: int = 100  # numbers in a person's and an item's vector; each has a bias besides
    learning_rate: float = 0.012  # of the first epoch
    rate_decay: float = 0.99  # the rate of each epoch is this times that of the one before
    regularization: float = 0.06  # lambda of the factors, at each rating
    bias_regularization: float = 0.05  # lambda of the biases, at each rating
    rounds: int = 50  # epochs
    spread: float = 0.02  # standard deviation of the first factors

    def __post_init__(self) -> None:
        between("factors", self.factors, 1, 1024)
        positive("learning_rate", self.learning_rate)
        between("rate_decay", self.rate_decay, 0, 1)
        between("regularization", self.regularization, 0, 1000)
        between("bias_regularization", self.bias_regularization, 0, 1000)
        at_least("rounds", self.rounds, 1)
        positive("spread", self.spread)


class BiasedMF:
    """One configuration over one training set."""

    name: ClassVar[str] = "biased-mf"
    Config: ClassVar[type[BiasedMFConfig]] = BiasedMFConfig
    title: ClassVar[str] = "biased MF (SGD)"
    space: ClassVar[dict[str, str]] = {
        "learning_rate": "0.002..0.05:log",
        "regularization": "0.02..0.3:log",
        "bias_regularization": "0.001..0.1:log",
        "rate_decay": "0.9..1",
        "rounds": "20..100",
    }

    def __init__(self, config: BiasedMFConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed
        self.person, self.centre = train.person, mean_of(train)

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """Small random factors, no bias (the last column); people and items draw from streams of their own."""
        return {
            "users": self._first("user", self.train.people_count),
            "items": self._first("item", self.train.item_count),
        }

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The model after each training rating once more."""
        config, train = self.config, self.train
        users, items = arrays["users"].copy(), arrays["items"].copy()
        rate = config.learning_rate * config.rate_decay**number
        steps = rating_sgd.Steps(rate, config.regularization, config.bias_regularization)
        order = rating_sgd.shuffled(len(train), np.uint64(key(self.seed, "biased-mf")), number)
        rating_sgd.train_epoch(steps, self.centre, order, self.person, train.item, train.value, users, items)
        after = {"users": users, "items": items}
        refuse_diverged(after, f"lower learning_rate (now {config.learning_rate:g})")
        return after

    def scorer(self, arrays: Arrays) -> BoundedRatings:
        """Predicts the mean, both biases and the factors' product."""
        users, items = arrays["users"], arrays["items"]
        return ratings_of(self.train, users[:, -1], items[:, -1], self.centre, users[:, :-1], items[:, :-1])

    def _first(self, whose: str, count: int) -> Floats:
        config, everybody = self.config, np.arange(count, dtype=np.int32)
        start, half_range = np.uint64(key(self.seed, whose)), config.spread * float(np.sqrt(3))
        factors = draws.uniform_rows(start, everybody, config.factors, half_range)
        return np.column_stack([factors, np.zeros(count, np.float32)])
