"""Item-kNN, EASE and random: worked examples, slow references, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms import ease
from covey.algorithms.ease import EASE, EASEConfig
from covey.algorithms.item_knn import ItemKNN, ItemKNNConfig
from covey.algorithms.random_scores import RandomConfig, RandomScores
from covey.errors import ConfigError, DivergedError
from covey.testing.towns import ITEMS, histories, town

crowds = st.lists(st.sets(st.integers(0, 6), max_size=7).map(sorted), min_size=1, max_size=8)


def table(lists: list[list[int]], items: int) -> np.ndarray:
    """People by items, ones where somebody has something."""
    seen = np.zeros((len(lists), items))
    for person, row in enumerate(lists):
        seen[person, row] = 1
    return seen


def scores_of(algorithm: Any) -> np.ndarray:
    scorer = algorithm.scorer(algorithm.epoch(algorithm.initial(), 0))
    return scorer.everything(np.arange(algorithm.train.people_count, dtype=np.int32))


def knn(lists: list[list[int]], items: int, **choices: Any) -> ItemKNN:
    return ItemKNN(ItemKNNConfig(**choices), histories(lists, items), 0)


def test_item_knn_by_hand() -> None:
    # Three people have item 0, two item 1, one item 2; two have 0 and 1, one has 0 and 2, nobody 1 and 2.
    model = knn([[0, 1], [1, 0], [0, 2]], 4, neighbours=4, shrinkage=1)
    found = model.epoch(model.initial(), 0)
    assert found["neighbours"].tolist() == [[1, 2, -1, -1], [0, -1, -1, -1], [0, -1, -1, -1], [-1] * 4]
    near, far = 2 / (6**0.5 + 1), 1 / (3**0.5 + 1)
    np.testing.assert_allclose(found["similarity"][0], [near, far, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(scores_of(model)[2], [far, near, far, 0], rtol=1e-6)


def test_only_the_nearest_neighbours_count_and_among_equals_the_lower_number() -> None:
    model = knn([[0, 3], [0, 2], [0, 1], [0, 1]], 4, neighbours=2, shrinkage=0)
    assert model.epoch(model.initial(), 0)["neighbours"].tolist() == [[1, 2], [0, -1], [0, -1], [0, -1]]


@given(
    lists=crowds, shrinkage=st.sampled_from([0.0, 2.5]), share=st.sampled_from([0.5, 0.3]),
    power=st.sampled_from([0.0, 0.5]),
)  # fmt: skip
def test_item_knn_is_the_dense_formula(
    lists: list[list[int]], shrinkage: float, share: float, power: float
) -> None:
    seen = table(lists, 7)
    weights = np.maximum(seen.sum(axis=1), 1) ** -power
    shared = seen.T @ (seen * weights[:, None])
    size = shared.diagonal()
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = shared / (np.outer(size**share, size ** (1 - share)) + shrinkage)
    alike = np.where(shared > 0, alike, 0)
    np.fill_diagonal(alike, 0)
    model = knn(lists, 7, neighbours=7, shrinkage=shrinkage, own_share=share, activity_power=power)
    np.testing.assert_allclose(scores_of(model), seen @ alike.T, rtol=1e-5, atol=1e-6)


def test_ease_by_hand() -> None:
    # G = [[2 + 1, 1], [1, 1 + 1]], its inverse [[2, -1], [-1, 3]] / 5.
    model = EASE(EASEConfig(regularization=1), histories([[0, 1], [0]], 2), 0)
    weights = model.epoch(model.initial(), 0)["weights"]
    np.testing.assert_allclose(weights, [[0, 1 / 3], [1 / 2, 0]], rtol=1e-6)
    np.testing.assert_allclose(scores_of(model), [[1 / 2, 1 / 3], [0, 1 / 3]], rtol=1e-6)


@pytest.mark.parametrize("rows", [1, 7, 29, 256])
def test_ease_is_its_formula_in_blocks_of_any_size(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ease, "_ROWS_AT_A_TIME", rows)
    train = town()
    seen = table([train.of(person).item.tolist() for person in range(train.people_count)], ITEMS)
    inverse = np.linalg.inv(seen.T @ seen + 4 * np.eye(ITEMS))
    expected = -inverse / inverse.diagonal()
    np.fill_diagonal(expected, 0)
    model = EASE(EASEConfig(regularization=4), train, 0)
    weights = model.epoch(model.initial(), 0)["weights"]
    np.testing.assert_allclose(weights, expected, rtol=1e-5, atol=1e-7)
    assert not weights.diagonal().any()


@given(lists=crowds, regularization=st.floats(0.1, 100))
def test_ease_leaves_no_slope_off_the_diagonal(lists: list[list[int]], regularization: float) -> None:
    """At the least squares' minimum X'(X - XB) = lambda B, but on the diagonal, which is held at zero."""
    model = EASE(EASEConfig(regularization=regularization), histories(lists, 7), 0)
    weights = model.epoch(model.initial(), 0)["weights"].astype(float)
    seen = table(lists, 7)
    slope = seen.T @ (seen - seen @ weights) - regularization * weights
    np.fill_diagonal(slope, 0)
    assert np.abs(slope).max() < 1e-5 * (1 + len(lists))


def test_ease_refuses_a_catalogue_that_its_memory_cannot_hold() -> None:
    with pytest.raises(ConfigError, match=r"ease needs 120\.0 GB for 100,000 items.*memory_gb = 8.*item-knn"):
        EASE(EASEConfig(), histories([[0, 99_999]], 100_000), 0)
    assert EASE(EASEConfig(memory_gb=121), histories([[0, 99_999]], 100_000), 0).rounds == 1


def test_ease_says_when_its_equations_have_no_single_solution() -> None:
    model = EASE(EASEConfig(regularization=1e-300), histories([[0, 1], [0, 1]], 2), 0)
    with pytest.raises(DivergedError, match="raise regularization"):
        model.epoch(model.initial(), 0)


def test_a_random_score_depends_on_person_and_item_alone() -> None:
    model = RandomScores(RandomConfig(), histories([[0]] * 300, 200), 4)
    scorer = model.scorer(model.epoch(model.initial(), 0))
    people = np.arange(300, dtype=np.int32)
    scores = scorer.everything(people)
    assert scorer.candidates(people[7:8], np.array([[9, 9]], np.int32)).tolist() == [[scores[7, 9]] * 2]
    assert len(np.unique(scores)) > 0.99 * scores.size
    # Uniform in [-1, 1): variance 1/3; neither rows nor columns have a mean of their own.
    assert scores.var() == pytest.approx(1 / 3, rel=0.02)
    assert np.abs(scores.mean(axis=0)).max() < 5 / np.sqrt(3 * 300)
    assert np.abs(scores.mean(axis=1)).max() < 5 / np.sqrt(3 * 200)


OUT_OF_RANGE: list[tuple[Any, dict[str, Any], str]] = [
    (ItemKNNConfig, {"neighbours": 0}, "neighbours must be from 1 to 100000, got 0"),
    (ItemKNNConfig, {"shrinkage": -1}, "shrinkage must be from 0 to 1000000, got -1"),
    (ItemKNNConfig, {"shrinkage": float("nan")}, "shrinkage must be from 0 .* got nan"),
    (ItemKNNConfig, {"own_share": 1.5}, "own_share must be from 0 to 1, got 1.5"),
    (ItemKNNConfig, {"activity_power": -0.5}, "activity_power must be from 0 to 2, got -0.5"),
    (EASEConfig, {"regularization": 0}, "regularization must be above 0 and finite, got 0"),
    (EASEConfig, {"memory_gb": -1}, "memory_gb must be above 0 and finite, got -1"),
]


@pytest.mark.parametrize(("config", "setting", "words"), OUT_OF_RANGE)
def test_a_setting_out_of_range_is_named(config: Any, setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        config(**setting)
