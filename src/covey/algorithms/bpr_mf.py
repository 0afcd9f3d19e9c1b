"""Central BPR-MF with uniform negatives (Rendle et al., 2009): FPL's yardstick, by FPL's own kernel.

epoch    as many times as there are interactions: draw one of them, draw an item that the person does not have, and
         take one step                                                                                  epoch
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.algorithms.bpr_scorer import BprScorer, first_table
from covey.algorithms.checks import at_least, between, positive
from covey.models import bpr, draws
from covey.random import key
from covey.splits.histories import Histories
from covey.types import Arrays


class BprMFConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How central BPR learns; rates and regularization as in FPL's paper."""

    factors: int = 20  # numbers in a person's vector; an item's row has its bias besides
    learning_rate: float = 0.05  # alpha
    regularization: float = 0.0025  # lambda of a person's vector and of own items; learning_rate / 20
    negative_regularization: float = 0.00025  # lambda of the other items; learning_rate / 200
    bias_regularization: float = 0.0  # lambda of the items' biases
    rounds: int = 20  # epochs: as many steps each as there are interactions
    spread: float = 0.1  # standard deviation of the first factors

    def __post_init__(self) -> None:
        between("factors", self.factors, 1, 1024)
        positive("learning_rate", self.learning_rate)
        between("regularization", self.regularization, 0, 1000)
        between("negative_regularization", self.negative_regularization, 0, 1000)
        between("bias_regularization", self.bias_regularization, 0, 1000)
        at_least("rounds", self.rounds, 1)
        positive("spread", self.spread)


class BprMF:
    """One configuration of central BPR over one training set."""

    name: ClassVar[str] = "bpr-mf"
    Config: ClassVar[type[BprMFConfig]] = BprMFConfig
    title: ClassVar[str] = "central BPR-MF"

    def __init__(self, config: BprMFConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed
        self.offsets, self.positives = bpr.liked_items(train.offsets, train.item, train.item_count)
        self.person = np.repeat(np.arange(train.people_count, dtype=np.int32), np.diff(self.offsets))
        self.bits = bpr.own_bits(self.person, self.positives, train.people_count, train.item_count)
        self.recipe = bpr.Recipe(
            1,
            config.learning_rate,
            config.regularization,
            config.negative_regularization,
            config.bias_regularization,
            0,
        )

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """Where training starts: as the federation, with everybody's vector beside."""
        config, people = self.config, np.arange(self.train.people_count, dtype=np.int32)
        half_range = config.spread * float(np.sqrt(3))
        start = np.uint64(key(self.seed, "user"))
        return {
            "users": draws.uniform_rows(start, people, config.factors, half_range),
            "items": first_table(self.train.item_count, config.factors, config.spread, self.seed),
        }

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The model after one more epoch."""
        users, items = arrays["users"].copy(), arrays["items"].copy()
        start = np.uint64(key(self.seed, "central"))
        bpr.train_epoch(
            self.recipe, start, number, self.person, self.offsets, self.positives, self.bits, users, items
        )  # fmt: skip
        return {"users": users, "items": items}

    def scorer(self, arrays: Arrays) -> BprScorer:
        """Scores for every person."""
        return BprScorer(arrays["users"], arrays["items"])
