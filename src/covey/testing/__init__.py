"""Contracts: what every algorithm, aggregator, codec and engine must keep, as test classes to inherit from.

    from covey.testing import AlgorithmContract

    class TestMine(AlgorithmContract):
        def make(self, item_count: int, seed: int) -> Mine:
            return Mine(MyConfig(), item_count, seed)

Shipped with Covey, so that a plug-in is held to what its own parts are held to. pytest runs the classes, but
importing them does not need it; the laws of sums and codecs need hypothesis.
"""

from covey.testing.aggregators import AggregatorContract
from covey.testing.algorithms import AlgorithmContract
from covey.testing.codecs import CodecContract
from covey.testing.engines import EngineContract

__all__ = ["AggregatorContract", "AlgorithmContract", "CodecContract", "EngineContract"]
