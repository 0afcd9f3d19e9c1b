"""FCF in every variant that changes what a device does, held to the contract of algorithms."""

from typing import Any

from covey.algorithms.fcf import FCF, FCFConfig
from covey.testing import AlgorithmContract


class _OfFCF(AlgorithmContract):
    draws_negatives = False
    leaves_untouched_rows = False  # everybody says something of every item: that they do not have it
    config: FCFConfig

    def make(self, item_count: int, seed: int) -> FCF:
        return FCF(self.config, item_count, seed)


def config(**choices: Any) -> FCFConfig:
    """An odd width, and little regularization so that one visit shows."""
    return FCFConfig(**{"factors": 5, "regularization": 0.3, "scaling": 0.0, **choices})


class TestOwnGradients(_OfFCF):
    config = config(scaling=0.5)


class TestAllGradientsAsPublished(_OfFCF):
    config = config(payload="all", server_step="adam", server_rate=0.2)


class TestFactorsKeptForSomeRounds(_OfFCF):
    config = config(gradient_steps=3, server_step="gradient", server_rate=0.01)


class TestSampledAndWeighed(_OfFCF):
    config = config(people_per_round=0.5, weighing="log")


class TestRatings(_OfFCF):
    config = config(feedback="explicit", scaling=1.0)
    leaves_untouched_rows = True
