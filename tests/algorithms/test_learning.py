"""Learning: each federated model, its central twin and the yardsticks beat most-popular on a town of two tastes."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from covey.algorithms.registry import algorithm_class
from covey.engines import session
from covey.evaluation import Sampled, evaluate, prepare
from covey.random import stream
from covey.splits.histories import Split
from covey.testing.towns import histories

PEOPLE, ITEMS, ROWS = 160, 80, 14
FEDERATED: dict[str, Any] = {
    "factors": 8, "hidden": (24, 16), "people_per_round": 40, "rounds": 80, "batch_size": 16,
    "local_epochs": 4, "learning_rate": 0.02, "server_step": "average", "server_rate": 1.0, "spread": 0.3,
    "aggregation": "per-item", "optimizer": "adam", "negatives": 4,
}  # fmt: skip
CENTRAL: dict[str, Any] = {
    "factors": 8,
    "hidden": (24, 16),
    "rounds": 25,
    "learning_rate": 0.01,
    "batch_size": 64,
}
PAIRWISE: dict[str, Any] = {
    "factors": 8,
    "learning_rate": 0.1,
    "regularization": 0.01,
    "negative_regularization": 0.01,
}
CHOSEN: dict[str, dict[str, Any]] = {
    "fedncf": FEDERATED,
    "central-ncf": CENTRAL,
    "most-popular": {},
    "bpr-mf": {**PAIRWISE, "rounds": 60},
    "fpl": {**PAIRWISE, "people_per_round": 1, "epochs": 60, "disclose": 0.5},
    "fcf": {"factors": 4, "regularization": 10.0, "scaling": 0.0},
    "central-fcf": {"factors": 4, "regularization": 10.0, "scaling": 0.0},
    "random": {},
    "item-knn": {},
    "ease": {"regularization": 50.0},
    "ials": {"factors": 4, "regularization": 10.0},
    "mult-vae": {"layer_width": 16, "latent": 4, "rounds": 60, "batch_size": 40, "learning_rate": 0.01},
}


@cache
def two_tastes() -> Split:
    """Everybody likes one half of the items, nine times in ten; popularity knows nothing of who likes which."""
    lists = []
    for person in range(PEOPLE):
        draws, taste = stream(1, "two tastes", person), person % 2
        likes = np.where(np.arange(ITEMS) % 2 == taste, 9.0, 1.0)
        lists.append(draws.choice(ITEMS, ROWS, replace=False, p=likes / likes.sum()).tolist())
    train, valid = [row[:-1] for row in lists], [row[-1:] for row in lists]
    nothing = histories([[] for _ in lists], ITEMS)
    return Split("by hand", histories(train, ITEMS), histories(valid, ITEMS), nothing)


@cache
def hits(algorithm: str, model: str = "", **others: Any) -> float:
    """The share of people whose validation item is among the best ten of fifty-one."""
    split = two_tastes()
    chosen = {**CHOSEN[algorithm], **({"model": model} if model else {}), **others}
    config = algorithm_class(algorithm).Config(**chosen)
    training = session(algorithm, config, split.train, seed=11, workers=1)
    while training.round < training.rounds:
        training.advance_by(training.rounds - training.round)
    training.close()
    return evaluate(training.scorer(), prepare(split, Sampled(50), "valid", 11), ks=(10,))["hr@10"]


@pytest.mark.parametrize("model", ["gmf", "mlp", "neumf"])
@pytest.mark.parametrize("algorithm", ["fedncf", "central-ncf"])
def test_a_trained_model_knows_tastes_that_popularity_does_not(algorithm: str, model: str) -> None:
    # Chance is 10 of 51; who knows the taste and nothing else gets close to 10 of 26.
    assert hits("most-popular") < 10 / 51 + 0.05
    assert hits(algorithm, model) > max(hits("most-popular"), 10 / 51) + 0.06


@pytest.mark.parametrize(
    ("algorithm", "others"),
    [
        ("bpr-mf", {}),
        ("fpl", {}),
        ("fpl", {"people_per_round": 0, "triples": 3}),
        ("fpl", {"slope_levels": 1}),
    ],
)
def test_pairs_teach_tastes_too(algorithm: str, others: dict[str, Any]) -> None:
    assert hits(algorithm, **others) > max(hits("most-popular"), 10 / 51) + 0.06


def test_without_any_own_item_disclosed_less_is_learned() -> None:
    """At pi = 0 an item's row hears only from those who do not have it."""
    assert hits("fpl", disclose=0.0) < hits("fpl") - 0.06


@pytest.mark.parametrize("algorithm", ["item-knn", "ease", "ials", "mult-vae", "fcf", "central-fcf"])
def test_who_learns_knows_tastes_and_random_knows_nothing(algorithm: str) -> None:
    assert abs(hits("random") - 10 / 51) < 0.1
    assert hits(algorithm) > max(hits("most-popular"), 10 / 51) + 0.06
