"""FedNCF around the device step: scores as the kernels have them, starts by name, costs by counting, sound settings."""

from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest

from covey.algorithms.central_ncf import CentralNCFConfig
from covey.algorithms.crowd import even_shares
from covey.algorithms.fedncf import FedNCF, FedNCFConfig
from covey.algorithms.most_popular import MostPopular, MostPopularConfig
from covey.algorithms.ncf_scorer import NcfScorer
from covey.algorithms.registry import ALGORITHMS, algorithm_class
from covey.errors import ConfigError
from covey.models import ncf
from covey.random import stream
from covey.testing.towns import histories

SIZES = [("gmf", 5, (4,)), ("mlp", 3, (7, 3)), ("neumf", 4, (5,))]
every_size = pytest.mark.parametrize(("model", "factors", "hidden"), SIZES)


def scorer_of(shape: ncf.Shape) -> NcfScorer:
    draws = stream(1, "scorer")
    sizes = [(3, shape.width), (6, shape.width), (shape.network_size,)]
    return NcfScorer(shape, *(draws.uniform(-1, 1, size).astype(np.float32) for size in sizes))


@every_size
def test_candidates_are_a_choice_from_everything(model: str, factors: int, hidden: tuple[int, ...]) -> None:
    scorer = scorer_of(ncf.shape_of(model, factors, hidden))
    people, items = np.array([2, 0], np.int32), np.array([[5, 1, 1], [0, 3, 2]], np.int32)
    expected = np.take_along_axis(scorer.everything(people), items, axis=1)
    np.testing.assert_allclose(scorer.candidates(people, items), expected, rtol=1e-5, atol=1e-6)
    assert scorer.item_count == 6


@every_size
def test_a_score_is_the_logit_that_training_sees(model: str, factors: int, hidden: tuple[int, ...]) -> None:
    """The slope of the output bias is sigmoid(logit) - label, so the kernel tells its logit."""
    scorer = scorer_of(ncf.shape_of(model, factors, hidden))
    shape, row = scorer.shape, np.zeros(1, np.int32)
    scores = scorer.everything(np.arange(3, dtype=np.int32))
    for person in range(3):
        for item in range(6):
            tables = (scorer.users[person : person + 1], scorer.items[item : item + 1], scorer.network)
            slopes = [np.zeros_like(table) for table in tables]
            ncf.batch_gradient(
                shape, *tables, row, row, np.zeros(1, np.float32), *slopes, ncf.workspace(shape, 1)
            )
            bias_at = shape.gmf_factors + shape.last
            assert slopes[2][bias_at] == pytest.approx(1 / (1 + np.exp(-scores[person, item])), rel=1e-5)


@every_size
def test_a_model_out_of_bounds_scores_without_a_warning(
    model: str, factors: int, hidden: tuple[int, ...]
) -> None:
    """Warnings are errors here; the evaluation says in a sentence that the model has diverged."""
    shape = ncf.shape_of(model, factors, hidden)
    sizes = [(3, shape.width), (6, shape.width), (shape.network_size,)]
    scorer = NcfScorer(shape, *(np.full(size, 1e30, np.float32) for size in sizes))
    people, items = np.array([2, 0], np.int32), np.array([[5, 1, 1], [0, 3, 2]], np.int32)
    assert not np.isfinite(scorer.everything(people)).any()
    assert not np.isfinite(scorer.candidates(people, items)).any()


def test_a_gmf_score_by_hand() -> None:
    users, items = np.array([[1, 2]], np.float32), np.array([[3, 4], [0, 1]], np.float32)
    scorer = NcfScorer(ncf.shape_of("gmf", 2, ()), users, items, np.array([10, 100, 0.5], np.float32))
    assert scorer.everything(np.zeros(1, np.int32)).tolist() == [[10 * 3 + 100 * 8 + 0.5, 100 * 2 + 0.5]]


def test_items_start_with_the_asked_spread() -> None:
    items = FedNCF(FedNCFConfig(factors=12, spread=0.2), 2000, 3).initial_model(9).arrays["items"]
    assert items.shape == (2000, 12)
    assert items.std() == pytest.approx(0.2, rel=0.02)
    assert abs(items.mean()) < 0.01


def test_biases_start_at_zero_and_the_tower_within_its_bounds() -> None:
    config = FedNCFConfig(model="neumf", factors=12, hidden=(48, 24, 12, 6))
    network, at = FedNCF(config, 5, 3).initial_model(9).arrays["network"], 12 + 6 + 1
    assert network[at - 1] == 0
    for width_in, width_out in pairwise((24, 48, 24, 12, 6)):
        weights = network[at : at + width_in * width_out]
        bound = np.sqrt(6 / (width_in + width_out))
        assert 0.8 * bound < np.abs(weights).max() <= bound
        at += width_in * width_out
        assert not network[at : at + width_out].any()
        at += width_out
    assert at == len(network)


def test_people_start_apart_from_each_other_and_from_the_items() -> None:
    algorithm = FedNCF(FedNCFConfig(), 50, 3)
    vectors, items = algorithm.initial_population(40).vectors, algorithm.initial_model(9).arrays["items"]
    assert len(np.unique(vectors)) == vectors.size
    assert not np.intersect1d(vectors, items).size
    assert vectors.std() == pytest.approx(algorithm.config.spread, rel=0.1)


def test_a_person_starts_alike_whatever_the_population() -> None:
    algorithm = FedNCF(FedNCFConfig(), 50, 3)
    assert (
        algorithm.initial_population(9).vectors[:4].tolist()
        == algorithm.initial_population(4).vectors.tolist()
    )


def test_operations_grow_in_proportion_to_what_a_person_has() -> None:
    gmf = FedNCF(FedNCFConfig(factors=12, negatives=4, local_epochs=2), 50, 3)
    counted = gmf.operations(np.array([20, 40]))
    # Table 7 counts 2 operations a factor, the bias and 4 of the sigmoid for each of 100 instances.
    assert counted["forward_operations"].tolist() == [100 * 29, 200 * 29]
    assert counted["training_operations"][1] == 2 * counted["training_operations"][0]
    neumf = FedNCF(FedNCFConfig(model="neumf"), 50, 3)
    assert neumf.operations(np.array([20]))["forward_operations"] > 50 * 2900


def test_shares_of_work_lose_nobody_and_are_even() -> None:
    work = np.array([9, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    heavy, light = sorted(even_shares(work, 2), key=len)
    assert sorted(np.concatenate([heavy, light]).tolist()) == list(range(10))
    assert 0 in heavy
    assert abs(int(work[heavy].sum()) - int(work[light].sum())) <= 4
    assert [len(share) for share in even_shares(np.ones(10, np.int64), 2)] == [5, 5]
    assert [len(share) for share in even_shares(np.array([5]), 3)] == [1, 0, 0]


def test_most_popular_counts_training_rows() -> None:
    train = histories([[0, 1], [1], [1, 2]], 4)
    popular = MostPopular(MostPopularConfig(), train, 0)
    scorer = popular.scorer(popular.epoch(popular.initial(), 0))
    assert scorer.everything(np.array([0, 2], np.int32)).tolist() == [[1, 3, 1, 0]] * 2
    assert scorer.candidates(np.array([0], np.int32), np.array([[1, 3]], np.int32)).tolist() == [[3, 0]]


OUT_OF_RANGE: list[tuple[dict[str, Any], str]] = [
    ({"model": "gfm"}, "unknown model 'gfm'; did you mean 'gmf'"),
    ({"factors": 0}, "factors must be from 1 to 1024, got 0"),
    ({"factors": 1025}, "factors must be from 1 to 1024, got 1025"),
    ({"hidden": ()}, "hidden layers must be at least 1, got 0"),
    ({"hidden": (4, 0)}, "hidden must be from 1"),
    ({"negatives": -1}, "negatives must be from 0"),
    ({"batch_size": 0}, "batch_size must be from 1 to 1000000, got 0"),
    ({"learning_rate": -1}, "learning_rate must be .* 0.*, got -1"),
    ({"learning_rate": float("nan")}, "learning_rate must be .* 0.*, got nan"),
    ({"learning_rate": float("inf")}, "learning_rate must be above 0 and finite, got inf"),
    ({"optimizer": "adma"}, "did you mean 'adam'"),
    ({"spread": -1}, "spread must be above 0"),
]
FEDERATED_ALONE: list[tuple[dict[str, Any], str]] = [
    ({"local_epochs": 0}, "local_epochs must be from 1"),
    ({"aggregation": "peritem"}, "did you mean 'per-item'"),
    ({"people_per_round": -1}, "people_per_round must be above 0"),
    ({"people_per_round": float("nan")}, "people_per_round must be above 0 and finite, got nan"),
    ({"people_per_round": 2.5}, "people_per_round must be a share below 1 or a whole count, got 2.5"),
    ({"global_rounds": 0}, "global_rounds must be at least 1"),
    ({"rounds": -1}, "rounds must be at least 0"),
    ({"server_step": "avrage"}, "did you mean 'average'"),
    ({"server_rate": 0}, "server_rate must be above 0"),
]


@pytest.mark.parametrize(("setting", "words"), OUT_OF_RANGE + FEDERATED_ALONE)
def test_a_setting_out_of_range_is_named_with_what_was_expected(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        FedNCFConfig(**setting)


@pytest.mark.parametrize(("setting", "words"), OUT_OF_RANGE)
def test_the_central_twin_refuses_what_the_federation_refuses(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        CentralNCFConfig(**setting)


def test_defaults_are_the_papers_sizes() -> None:
    config = FedNCFConfig()
    assert (config.factors, config.hidden, config.negatives, config.aggregation) == (
        12,
        (48, 24, 12, 6),
        4,
        "per-item",
    )
    with pytest.raises(AttributeError):
        config.factors = 13  # type: ignore[misc]  # frozen is what is tested
    assert msgspec.structs.replace(config, factors=13).factors == 13


def test_an_unknown_algorithm_is_named_with_the_nearest() -> None:
    assert all(algorithm_class(name).name == name for name in ALGORITHMS)
    with pytest.raises(ConfigError, match="unknown algorithm 'fedncg'; did you mean 'fedncf'"):
        algorithm_class("fedncg")
