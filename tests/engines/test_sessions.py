"""Sessions: divergence is told before anything is kept, costs are counted, the central ones send nothing."""

from typing import Any

import numpy as np
import pytest

from covey.algorithms.central_ncf import CentralNCFConfig
from covey.algorithms.fedncf import FedNCFConfig
from covey.algorithms.most_popular import MostPopularConfig
from covey.engines import Session, session
from covey.errors import ConfigError, DivergedError
from covey.testing.engines import state_of
from covey.testing.towns import town


def federated(**choices: Any) -> Session:
    config = FedNCFConfig(**{"factors": 4, "people_per_round": 3, "batch_size": 8, **choices})
    return session("fedncf", config, town(), seed=2, workers=1)


@pytest.mark.parametrize("rates", [{"learning_rate": 1e30, "optimizer": "sgd"}, {"server_rate": 1e300}])
def test_divergence_is_told_with_the_rate_and_nothing_of_that_round_is_kept(rates: dict[str, float]) -> None:
    diverging = federated(**rates)
    before, entries = state_of(diverging), diverging.ledger.entries()
    with pytest.raises(
        DivergedError, match=r"diverged in round 0.*lower learning_rate \(now .*\) or server_rate"
    ):
        diverging.advance()
    assert state_of(diverging) == before
    assert diverging.ledger.entries() == entries
    assert all(np.isfinite(array).all() for array in diverging.shared().values())


def test_rounds_are_passes_unless_a_number_of_rounds_is_asked_for() -> None:
    assert (federated().rounds_a_pass, federated(global_rounds=4).rounds) == (3, 12)
    assert federated(global_rounds=4, rounds=5).rounds == 5


def test_costs_are_those_of_the_people_there_are() -> None:
    rows = town().counts
    forward = federated().costs()["forward_operations"]
    assert forward["max"] / forward["min"] == rows.max() / rows.min()
    assert forward["min"] <= forward["mean"] <= forward["max"]


@pytest.mark.parametrize(
    ("name", "config"),
    [("central-ncf", CentralNCFConfig(rounds=2)), ("most-popular", MostPopularConfig())],
)
def test_a_central_session_sends_nothing(name: str, config: Any) -> None:
    central = session(name, config, town(), seed=2, workers=1)
    while central.round < central.rounds:
        central.advance()
    assert (central.federated, central.costs(), central.ledger.entries()) == (False, {}, [])
    assert central.scorer().everything(np.arange(9, dtype=np.int32)).shape == (9, 29)


def test_an_unknown_algorithm_has_no_session() -> None:
    with pytest.raises(ConfigError, match="did you mean 'fedncf'"):
        session("fedncff", FedNCFConfig(), town(), seed=2, workers=1)
