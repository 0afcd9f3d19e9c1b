"""Ratings by biases alone: what a person and an item are above or below the mean of all (Koren, 2010).

epoch    every item's mean of what is left of its ratings, then every person's, each shrunk    cnmf.biases

A model of ratings that is no better has learned nothing from its factors.
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.algorithms.checks import at_least, between
from covey.algorithms.rating_scorer import BoundedRatings, mean_of, ratings_of
from covey.models import cnmf
from covey.splits.histories import Histories
from covey.types import Arrays


class BiasesConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How far few ratings are believed."""

    user_shrinkage: float = 3.0  # a person's bias is held back as by so many ratings of zero bias
    item_shrinkage: float = 3.0  # an item's likewise
    rounds: int = 10  # epochs: times that items and people take turns

    def __post_init__(self) -> None:
        between("user_shrinkage", self.user_shrinkage, 0, 1_000_000)
        between("item_shrinkage", self.item_shrinkage, 0, 1_000_000)
        at_least("rounds", self.rounds, 1)


class Biases:
    """One configuration of the biases over one training set."""

    name: ClassVar[str] = "biases"
    Config: ClassVar[type[BiasesConfig]] = BiasesConfig
    title: ClassVar[str] = "biases"
    space: ClassVar[dict[str, str]] = {"user_shrinkage": "0.5..30:log", "item_shrinkage": "0.5..30:log"}

    def __init__(self, config: BiasesConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed
        self.person, self.centre = train.person, mean_of(train)

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """No bias."""
        return {"user_bias": np.zeros(self.train.people_count), "item_bias": np.zeros(self.train.item_count)}

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The items' biases by these of the people, then the people's by those."""
        user_bias, item_bias = arrays["user_bias"].copy(), arrays["item_bias"].copy()
        cnmf.biases(
            self.centre, self.person, self.train.item, self.train.value,
            self.config.user_shrinkage, self.config.item_shrinkage, user_bias, item_bias, 1,
        )  # fmt: skip
        return {"user_bias": user_bias, "item_bias": item_bias}

    def scorer(self, arrays: Arrays) -> BoundedRatings:
        """Predicts the mean and both biases."""
        return ratings_of(self.train, arrays["user_bias"], arrays["item_bias"], self.centre)
