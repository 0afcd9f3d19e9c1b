"""FPL in every variant that changes what a device does, held to the contract of algorithms."""

from typing import Any

from covey.algorithms.fpl import FPL, FPLConfig
from covey.testing import AlgorithmContract


def config(**choices: Any) -> FPLConfig:
    """A width that no register divides, and a rate at which one visit shows."""
    return FPLConfig(**{"factors": 6, "learning_rate": 0.2, **choices})


class _OfFPL(AlgorithmContract):
    visits_every_row = False
    config: FPLConfig

    def make(self, item_count: int, seed: int) -> FPL:
        return FPL(self.config, item_count, seed)


class TestOneTriple(_OfFPL):
    config = config()


class TestManyTriplesHalfDisclosed(_OfFPL):
    config = config(triples=9, disclose=0.5)


class TestEverybodyDisclosesAShareOfTheirOwn(_OfFPL):
    config = config(triples=4, disclose=0.5, disclose_spread=0.5)


class TestNothingDisclosed(_OfFPL):
    config = config(triples=3, disclose=0.0, bias_regularization=0.1)


class TestRoundedSlopes(_OfFPL):
    config = config(triples=5, slope_levels=3)
