"""Central yardsticks of ratings: worked examples, slow references, what they learn, and what is refused."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms.biased_mf import BiasedMF, BiasedMFConfig
from covey.algorithms.biases import Biases, BiasesConfig
from covey.algorithms.central_cnmf import CentralCNMF, CentralCNMFConfig
from covey.algorithms.rating_knn import RatingKNN, RatingKNNConfig
from covey.algorithms.registry import algorithm_class
from covey.engines import session
from covey.errors import ConfigError, DivergedError
from covey.evaluation import Sampled, evaluate, prepare
from covey.models import cnmf
from covey.random import stream
from covey.splits.histories import Histories, Split

Ratings = list[tuple[int, int, float]]  # person, item, value; person by person


def rated(ratings: Ratings, people: int, items: int) -> Histories:
    """Histories of these ratings, all at time 0."""
    person, item, value = (np.array(column) for column in zip(*sorted(ratings), strict=True))
    offsets = np.searchsorted(person, np.arange(people + 1))
    times = np.zeros(len(item), np.int64)
    return Histories(offsets, item.astype(np.int32), value.astype(np.float32), times, items)


def predicted(algorithm: Any) -> np.ndarray:
    """The free predictions of a trained model, person by item."""
    arrays = algorithm.initial()
    for number in range(algorithm.rounds):
        arrays = algorithm.epoch(arrays, number)
    people = np.arange(algorithm.train.people_count, dtype=np.int32)
    return algorithm.scorer(arrays).everything(people)


def test_biases_by_hand() -> None:
    """Mean 3. Item 0 is 1 above it twice, item 1 two below once; shrunk by 1: 2/3 and -1. Then person 0 has 1/3 left."""
    train = rated([(0, 0, 4.0), (1, 0, 4.0), (1, 1, 1.0)], 2, 2)
    model = Biases(BiasesConfig(user_shrinkage=1, item_shrinkage=1, rounds=1), train, 0)
    found = model.epoch(model.initial(), 0)
    np.testing.assert_allclose(found["item_bias"], [2 / 3, -1])
    np.testing.assert_allclose(found["user_bias"], [(1 / 3) / 2, (1 / 3 - 1) / 3])
    np.testing.assert_allclose(predicted(model)[0], [3 + 2 / 3 + 1 / 6, 3 - 1 + 1 / 6], rtol=1e-6)


tables = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(1, 5).map(float)),
    min_size=2,
    unique_by=lambda row: row[:2],
)


@given(ratings=tables, shrinkage=st.floats(0.1, 20))
def test_biases_come_to_the_minimum_of_the_penalized_squares(ratings: Ratings, shrinkage: float) -> None:
    """There everybody's own mean of what is left, shrunk, is their bias, and every item's too."""
    train = rated(ratings, 6, 7)
    model = Biases(BiasesConfig(user_shrinkage=shrinkage, item_shrinkage=shrinkage, rounds=500), train, 0)
    left = train.value - predicted(model)[train.person, train.item]
    arrays = model.initial()
    for number in range(500):
        arrays = model.epoch(arrays, number)
    for own, bias in ((train.person, arrays["user_bias"]), (train.item, arrays["item_bias"])):
        slope = np.bincount(own, left, len(bias)) - shrinkage * bias
        np.testing.assert_allclose(slope, 0, atol=1e-3)


def slow_knn(train: Histories, biases: np.ndarray, shrinkage: float, most: int) -> np.ndarray:
    """Rating by rating as the formulas read, without a compiled line."""
    left = np.full(biases.shape, np.nan)
    left[train.person, train.item] = train.value - biases[train.person, train.item]
    alike = np.zeros((train.item_count, train.item_count))
    for one in range(train.item_count):
        for other in range(train.item_count):
            both = ~np.isnan(left[:, one]) & ~np.isnan(left[:, other])
            a, b = left[both, one], left[both, other]
            if one != other and a @ b > 0 and both.sum() > 1:
                shrunk = (both.sum() - 1) / (both.sum() - 1 + shrinkage)
                alike[one, other] = a @ b / np.sqrt((a @ a) * (b @ b)) * shrunk
    expected = biases.copy()
    for person in range(len(left)):
        for item in range(train.item_count):
            rated_too = [j for j in np.flatnonzero(~np.isnan(left[person])) if alike[item, j] > 0]
            nearest = sorted(rated_too, key=lambda j: (-np.float32(alike[item, j]), j))[:most]
            if nearest:
                weights = alike[item, nearest]
                expected[person, item] += weights @ left[person, nearest] / weights.sum()
    return expected


@given(ratings=tables, shrinkage=st.sampled_from([0.0, 3.0]), most=st.sampled_from([1, 7]))
def test_rating_knn_is_its_formula(ratings: Ratings, shrinkage: float, most: int) -> None:
    train = rated(ratings, 6, 7)
    same = {"user_shrinkage": 4.0, "item_shrinkage": 4.0}
    biases = predicted(Biases(BiasesConfig(rounds=20, **same), train, 0)).astype(float)
    model = RatingKNN(RatingKNNConfig(shrinkage=shrinkage, most_rated=most, **same), train, 0)
    # What is left is float32 there: where two similarities tie but for that, one neighbour would do for the other.
    if most == 7:
        np.testing.assert_allclose(
            predicted(model), slow_knn(train, biases, shrinkage, most), rtol=1e-3, atol=1e-3
        )
    assert np.isfinite(predicted(model)).all()


def test_of_the_neighbours_that_a_person_rated_only_the_nearest_count() -> None:
    """Items 0, 1 and 2 are rated alike by many, and item 1 a little more like item 0 than item 2 is."""
    draws = stream(1, "neighbours")
    taste = draws.normal(0, 1, 60)
    noise = {1: 0.2, 2: 0.6}
    ratings = [(p, 0, 3 + taste[p]) for p in range(1, 60)]
    ratings += [(p, i, 3 + taste[p] + noise[i] * draws.normal()) for p in range(1, 60) for i in (1, 2)]
    ratings += [(0, 1, 5.0), (0, 2, 1.0)]
    train = rated(ratings, 60, 3)
    loose = {"user_shrinkage": 1e6, "item_shrinkage": 1e6, "shrinkage": 0}
    one, both = (
        predicted(RatingKNN(RatingKNNConfig(most_rated=most, **loose), train, 0))[0, 0] for most in (1, 2)
    )
    assert one == pytest.approx(5.0, abs=0.01)
    assert 3.0 < both < 4.0


def test_a_cnmf_epoch_is_an_iteration_of_the_kernel() -> None:
    train = rated([(0, 0, 4.0), (0, 1, 2.0), (1, 1, 5.0)], 2, 2)
    config = CentralCNMFConfig(patterns=3, rounds=4, penalty="once")
    model = CentralCNMF(config, train, 7)
    arrays = model.initial()
    for number in range(4):
        arrays = model.epoch(arrays, number)
    whole = cnmf.start(2, 2, 3, stream(7, "cnmf"))
    penalties = cnmf.Penalties(0.06, 0.06, 0.02, 0.02, 0.004, 0.004, False)
    cnmf.complete(penalties, 11 / 3, train.person, train.item, train.value, whole, 4, True)
    for name, array in whole._asdict().items():
        assert array.tobytes() == arrays[name].tobytes()
    assert min(arrays["users"].min(), arrays["items"].min()) >= 0
    expected = (
        arrays["users"] @ arrays["items"].T + arrays["user_bias"][:, None] + arrays["item_bias"] + 11 / 3
    )
    np.testing.assert_allclose(predicted(model), expected, rtol=1e-6)


def test_penalties_count_once_a_rating_or_once() -> None:
    train = rated([(0, item, 4.0) for item in range(5)], 1, 5)
    norms = [
        np.square(CentralCNMF(CentralCNMFConfig(penalty=penalty, rounds=1), train, 7).epoch(
            CentralCNMF(CentralCNMFConfig(), train, 7).initial(), 0)["users"]).sum()
        for penalty in ("rating", "once")
    ]  # fmt: skip
    assert norms[0] < norms[1]


YARDSTICKS: dict[str, dict[str, Any]] = {
    "biases": {},
    "biased-mf": {"factors": 4, "rounds": 60, "learning_rate": 0.03, "regularization": 0.02},
    "rating-knn": {"shrinkage": 5},
    "central-cnmf": {"patterns": 6, "rounds": 100},
}


def two_tastes() -> Split:
    """Sixty people of two tastes: what one half rates a star above its mean, the other rates a star below."""
    draws = stream(2, "two tastes of stars")
    bias, quality = draws.normal(0, 0.4, 60), draws.normal(0, 0.4, 40)
    ratings = [
        (p, i, float(np.clip(3 + bias[p] + quality[i] + (1 if p % 2 == i % 2 else -1), 1, 5)))
        for p in range(60) for i in range(40) if draws.random() < 0.6
    ]  # fmt: skip
    part = draws.random(len(ratings)) < 0.8
    train, test = (
        [row for row, kept in zip(ratings, part, strict=True) if kept == side] for side in (True, False)
    )
    nothing = Histories(np.zeros(61, np.int64), *(np.zeros(0, t) for t in ("i4", "f4", "i8")), 40)  # type: ignore[arg-type]  # no rows
    return Split("by hand", rated(train, 60, 40), nothing, rated(test, 60, 40))


def errors_of(name: str, split: Split) -> dict[str, float]:
    training = session(name, algorithm_class(name).Config(**YARDSTICKS[name]), split.train, seed=3, workers=1)
    while training.round < training.rounds:
        training.advance()
    return dict(evaluate(training.scorer(), prepare(split, Sampled(5), "test", 0), ks=(10,)))


def test_who_learns_factors_is_nearer_to_the_ratings_than_biases() -> None:
    """Nine in ten of what biases leave is taste: they are about a star off."""
    errors = {name: errors_of(name, two_tastes())["rmse"] for name in YARDSTICKS}
    assert 0.9 < errors["biases"] < 1.1
    assert errors["biased-mf"] < 0.3 * errors["biases"]
    assert errors["rating-knn"] < 0.5 * errors["biases"]
    assert errors["central-cnmf"] < 0.5 * errors["biases"]


@pytest.mark.parametrize("name", YARDSTICKS)
def test_predicted_ratings_are_held_within_those_of_training_and_scores_are_not(name: str) -> None:
    """Held too, the best items would all have the same score.

    Kind people and good films are 3 above the others. Nobody kind has seen a good one: that should be 7, of 4 at most.
    """
    kind, good = np.arange(8) // 4, np.arange(6) // 3
    ratings = [(p, i, 1.0 + 3 * kind[p] + 3 * good[i]) for p in range(8) for i in range(6)]
    train = rated([row for row in ratings if row[2] < 7], 8, 6)
    free = {"user_shrinkage": 0, "item_shrinkage": 0}
    quick = {
        "biases": free,
        "rating-knn": free,
        "central-cnmf": {"user_bias_rate": 0.1, "item_bias_rate": 0.1},
    }
    choices = {**YARDSTICKS[name], **quick.get(name, {})}
    training = session(name, algorithm_class(name).Config(**choices), train, seed=3, workers=1)
    while training.round < training.rounds:
        training.advance()
    scorer: Any = training.scorer()
    people = np.arange(8, dtype=np.int32)
    items = np.broadcast_to(np.arange(6, dtype=np.int32), (8, 6))
    scores, held = scorer.everything(people), scorer.values(people, items)
    np.testing.assert_array_equal(held, np.clip(scorer.candidates(people, items), 1, 4))
    assert held[7, 5] == 4 < scores[7, 5]


@pytest.mark.parametrize(
    ("algorithm", "config", "remedy"),
    [
        (BiasedMF, BiasedMFConfig(learning_rate=50.0, rounds=30), "lower learning_rate"),
        (CentralCNMF, CentralCNMFConfig(user_bias_rate=1.0, item_bias_rate=1.0,
         user_bias_regularization=9.0, rounds=30), "lower user_bias_rate and item_bias_rate"),
    ],
)  # fmt: skip
def test_who_leaves_the_finite_numbers_says_what_to_lower(algorithm: Any, config: Any, remedy: str) -> None:
    train = rated([(p, i, float(1 + (p + i) % 5)) for p in range(9) for i in range(60)], 9, 60)
    with pytest.raises(DivergedError, match=f"expected finite .*{remedy}"):
        predicted(algorithm(config, train, 0))


OUT_OF_RANGE: list[tuple[Any, dict[str, Any], str]] = [
    (BiasesConfig, {"user_shrinkage": -1}, "user_shrinkage must be from 0"),
    (BiasesConfig, {"rounds": 0}, "rounds must be at least 1, got 0"),
    (BiasedMFConfig, {"factors": 0}, "factors must be from 1 to 1024, got 0"),
    (BiasedMFConfig, {"learning_rate": 0}, "learning_rate must be above 0"),
    (BiasedMFConfig, {"rate_decay": 1.5}, "rate_decay must be from 0 to 1, got 1.5"),
    (BiasedMFConfig, {"regularization": float("nan")}, "regularization must be from 0 .* got nan"),
    (RatingKNNConfig, {"most_rated": 0}, "most_rated must be from 1"),
    (RatingKNNConfig, {"shrinkage": -1}, "shrinkage must be from 0"),
    (CentralCNMFConfig, {"patterns": 0}, "patterns must be from 1 to 1024, got 0"),
    (CentralCNMFConfig, {"user_regularization": -1}, "user_regularization must be from 0"),
    (CentralCNMFConfig, {"item_bias_rate": 2}, "item_bias_rate must be from 0 to 1, got 2"),
    (CentralCNMFConfig, {"penalty": "twice"}, "unknown penalty 'twice'"),
]


@pytest.mark.parametrize(("config", "setting", "words"), OUT_OF_RANGE)
def test_a_setting_out_of_range_is_named(config: Any, setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        config(**setting)
