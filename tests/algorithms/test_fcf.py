"""FCF as a whole: where it goes, what it refuses, and what its twin in one place comes to."""

import itertools
from typing import Any

import numpy as np
import pytest

from covey.algorithms.central_fcf import CentralFCF, CentralFCFConfig
from covey.algorithms.fcf import FCF, FCFConfig
from covey.engines.central import CentralSession
from covey.engines.inprocess import FederatedSession
from covey.errors import ConfigError
from covey.random import stream
from covey.splits.histories import Histories
from covey.testing.towns import histories, town


def rated() -> Histories:
    """The town of nine with ratings from 1 to 5."""
    train = town()
    value = stream(2, "ratings").integers(1, 6, len(train)).astype(np.float32)
    return Histories(train.offsets, train.item, value, train.time, train.item_count)


def federated(train: Histories, rounds: int, **choices: Any) -> FederatedSession:
    session = FederatedSession(FCF(FCFConfig(rounds=rounds, **choices), train.item_count, 3), train, 1)
    for _ in range(rounds):
        session.advance()
    return session


def central(train: Histories, rounds: int, **choices: Any) -> CentralSession:
    session = CentralSession(CentralFCF(CentralFCFConfig(rounds=rounds, **choices), train, 3))
    for _ in range(rounds):
        session.advance()
    return session


def cost(train: Histories, users: Any, items: Any, alpha: float, regularization: float) -> float:
    """Equation 5 of the paper, the long way."""
    owned = np.zeros((train.people_count, train.item_count))
    owned[train.person, train.item] = 1
    errors = (1 + alpha * owned) * (owned - users.astype(float) @ items.astype(float).T) ** 2
    return float(errors.sum() + regularization * ((users**2).sum() + (items**2).sum()))


def test_the_federation_and_its_twin_come_to_the_same_scores() -> None:
    train = town()
    keys = {"factors": 3, "alpha": 2.0, "regularization": 1.0, "scaling": 0.0}
    people, items = np.arange(9, dtype=np.int32), np.tile(np.arange(29, dtype=np.int32), (9, 1))
    ours = federated(train, 150, **keys).scorer()
    theirs = central(train, 150, **keys).scorer()
    np.testing.assert_allclose(ours.candidates(people, items), theirs.candidates(people, items), atol=2e-3)
    np.testing.assert_allclose(ours.everything(people), theirs.everything(people), atol=2e-3)


def test_ratings_learned_apart_are_those_learned_in_one_place() -> None:
    train = rated()
    keys = {"feedback": "explicit", "factors": 2, "regularization": 2.0, "scaling": 0.0}
    people = np.arange(9, dtype=np.int32)
    ours, theirs = federated(train, 200, **keys).scorer(), central(train, 200, **keys).scorer()
    np.testing.assert_allclose(ours.everything(people), theirs.everything(people), atol=0.05)
    values = ours.values(people, np.tile(np.arange(29, dtype=np.int32), (9, 1)))  # type: ignore[attr-defined]  # a ValueScorer
    np.testing.assert_allclose(values, ours.everything(people), atol=1e-5)


def test_every_epoch_of_the_twin_lowers_the_cost_of_equation_5() -> None:
    train, costs = town(), []
    session = CentralSession(
        CentralFCF(CentralFCFConfig(factors=3, alpha=2.0, regularization=1.0, scaling=0.0), train, 3)
    )
    for _ in range(6):
        session.advance()
        arrays = session.model.arrays
        costs.append(cost(train, arrays["users"], arrays["items"], 2.0, 1.0))
    assert all(later <= earlier * (1 + 1e-6) for earlier, later in itertools.pairwise(costs))


@pytest.mark.parametrize(
    "choices",
    [
        {"payload": "all", "server_step": "gradient", "server_rate": 0.02, "gradient_steps": 5},
        {"payload": "all", "server_step": "adam", "server_rate": 0.05},
        {"server_step": "gradient", "server_rate": 0.02},
        {},
    ],
)
def test_every_step_lowers_the_cost(choices: dict[str, Any]) -> None:
    train, keys = town(), {"factors": 3, "alpha": 2.0, "regularization": 1.0, "scaling": 0.0}

    def reached(rounds: int) -> float:
        session = federated(train, rounds, **keys, **choices)
        scorer = session.scorer()
        return cost(train, scorer.users, scorer.items, 2.0, 1.0)  # type: ignore[attr-defined]  # a FactorScorer

    assert reached(20) < reached(5) < reached(1)


def test_both_payloads_train_the_same_model() -> None:
    keys = {
        "factors": 3,
        "alpha": 2.0,
        "regularization": 1.0,
        "scaling": 0.0,
        "server_step": "adam",
        "server_rate": 0.05,
    }
    own = federated(town(), 6, payload="own", **keys)
    every = federated(town(), 6, payload="all", **keys)
    np.testing.assert_allclose(own.shared()["items"], every.shared()["items"], atol=2e-3)
    assert own.ledger.bytes("up") < every.ledger.bytes("up")


def test_factors_stay_for_as_many_rounds_as_gradient_steps_says() -> None:
    train = town()
    algorithm = FCF(FCFConfig(factors=3, gradient_steps=3, server_step="gradient", server_rate=1e-3), 29, 1)
    session, seen = FederatedSession(algorithm, train, 1), []
    for _ in range(6):
        session.advance()
        seen.append(session.population.vectors.copy())
    assert np.array_equal(seen[0], seen[1])
    assert np.array_equal(seen[1], seen[2])
    assert not np.array_equal(seen[2], seen[3])
    assert np.array_equal(seen[3], seen[5])


def test_an_undetermined_person_is_named() -> None:
    """Two ratings do not determine three factors and a bias."""
    value = np.array([3, 4, 5], np.float32)
    train = histories([[0, 1, 2], [4, 5]], 6)
    train = Histories(train.offsets, train.item, np.append(value, value[:2]), train.time, 6)
    algorithm = FCF(FCFConfig(feedback="explicit", factors=1, regularization=0.0), 6, 1)
    plan = algorithm.plan(algorithm.initial_model(2))
    population = algorithm.initial_population(2)
    algorithm.on_device(plan, population.state(0), train.of(0))
    config = FCFConfig(feedback="explicit", factors=2, regularization=0.0)
    with pytest.raises(ConfigError, match=r"factors of person 1 are not determined by their 2 rows"):
        FederatedSession(FCF(config, 6, 1), train, 1).advance()


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("alpha", -1.0, "alpha must be at least 0, got -1"),
        ("regularization", -0.5, "regularization must be at least 0, got -0.5"),
        ("factors", 0, "factors must be from 1 to 1024, got 0"),
        ("server_step", "newton", "unknown server_step 'newton'"),
        ("feedback", "explicits", "did you mean 'explicit'"),
        ("payload", "none", "unknown payload 'none'"),
        ("gradient_steps", 0, "gradient_steps must be from 1 to 1000, got 0"),
        ("decay_1", 1.0, "decay_1 must be from 0 to 0.9999, got 1"),
        ("engagement", 0.0, "engagement must be above 0"),
        ("server_rate", -0.1, "server_rate must be at least 0, got -0.1"),
    ],
)
def test_settings_out_of_range_are_named(key: str, value: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        FCFConfig(**{key: value})


def test_what_does_not_go_together_says_what_does() -> None:
    with pytest.raises(ConfigError, match="set payload to 'own', or server_step to 'gradient' or 'adam'"):
        FCFConfig(payload="all")
    with pytest.raises(ConfigError, match="set payload to 'own'"):
        FCFConfig(payload="all", server_step="adam", feedback="explicit")
    with pytest.raises(ConfigError, match="set scaling to 0, or payload to 'own'"):
        FCFConfig(payload="all", server_step="adam")
    with pytest.raises(ConfigError, match="alpha must be at least 0"):
        CentralFCFConfig(alpha=-1.0)
