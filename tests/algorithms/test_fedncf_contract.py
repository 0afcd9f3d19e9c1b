"""FedNCF in every variant that changes what a device does, held to the contract of algorithms."""

from typing import Any

import numpy as np

from covey.algorithms.fedncf import FedNCF, FedNCFConfig
from covey.testing import AlgorithmContract
from covey.testing.towns import ITEMS, town


def config(**choices: Any) -> FedNCFConfig:
    """Odd widths, a batch that divides nobody's instances, and a rate at which one visit shows."""
    return FedNCFConfig(
        **{"factors": 5, "hidden": (7, 3), "batch_size": 11, "learning_rate": 0.01, **choices}
    )


class _OfFedNCF(AlgorithmContract):
    config: FedNCFConfig

    def make(self, item_count: int, seed: int) -> FedNCF:
        return FedNCF(self.config, item_count, seed)


class TestFedGMF(_OfFedNCF):
    config = config(model="gmf")


class TestFedMLP(_OfFedNCF):
    config = config(model="mlp")


class TestFedNeuMF(_OfFedNCF):
    config = config(model="neumf", server_step="adam", server_rate=0.1)


class TestWeightedAverageWithSgd(_OfFedNCF):
    config = config(model="neumf", aggregation="weighted", optimizer="sgd", local_epochs=1)


class TestSimpleAverageWithMomentum(_OfFedNCF):
    config = config(model="gmf", aggregation="simple", server_step="momentum")


def test_changes_beyond_the_range_are_clipped_and_counted_alike_on_both_paths() -> None:
    wild = config(optimizer="sgd", learning_rate=1000.0, spread=1.0, aggregation="weighted", local_epochs=1)
    train, algorithm = town(), FedNCF(wild, ITEMS, 5)
    plan, population = algorithm.plan(algorithm.initial_model(9)), algorithm.initial_population(9)
    everybody = np.arange(9, dtype=np.int32)
    total, _, _, clipped = algorithm.population(train, 1).round(plan, population.vectors, everybody)
    updates = [algorithm.on_device(plan, population.state(p), train.of(p))[0] for p in range(9)]
    assert sum(clipped.values()) == sum(update.clipped for update in updates) > 0
    assert total.items.tolist() == sum(_dense(update, plan.items.shape) for update in updates).tolist()
    for update in updates:
        update.check(plan)


def _dense(update: Any, shape: tuple[int, ...]) -> np.ndarray:
    table = np.zeros(shape, np.int64)
    table[update.rows] = update.item_values
    return table
