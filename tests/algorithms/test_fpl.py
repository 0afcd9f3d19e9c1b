"""FPL around its kernel: rounds as the paper counts them, sums by hand, sound settings, central BPR beside it."""

from typing import Any

import numpy as np
import pytest

from covey.aggregation.sums import UpdateSum
from covey.algorithms.bpr_mf import BprMF, BprMFConfig
from covey.algorithms.bpr_scorer import BprScorer
from covey.algorithms.crowd import even_shares
from covey.algorithms.fpl import FPL, FPLConfig
from covey.errors import ConfigError
from covey.messages.updates import ModelUpdate
from covey.server.model import GlobalModel
from covey.testing.looking import bits
from covey.testing.towns import ITEMS, town


def of(**choices: Any) -> FPL:
    return FPL(FPLConfig(**choices), ITEMS, 5)


@pytest.mark.parametrize(
    ("choices", "people", "rounds_a_pass", "rounds"),
    [
        ({"people_per_round": 1, "epochs": 3}, 40, 40, 3 * 1000),  # sFPL: X+ rounds an epoch
        ({"people_per_round": 0, "epochs": 3}, 40, 1, 3 * 25),  # pFPL: X+ / |U| rounds an epoch
        ({"people_per_round": 20, "epochs": 3}, 40, 2, 3 * 50),
        ({"people_per_round": 0, "triples": 25, "epochs": 3}, 40, 1, 3),
        ({"people_per_round": 0, "triples": 1_000_000, "epochs": 3}, 40, 1, 1),  # less than a round is one
    ],
)
def test_an_epoch_has_as_many_triples_as_there_are_interactions(
    choices: dict[str, Any], people: int, rounds_a_pass: int, rounds: int
) -> None:
    assert of(**choices).rounds_of(1000, people, rounds_a_pass) == rounds


def test_the_server_adds_alpha_times_the_sum_of_what_was_sent() -> None:
    """Item 2 is sent by two people, 0.5 and 0.25 for its first factor; with alpha 0.1 it moves by 0.075."""
    algorithm = FPL(FPLConfig(factors=2, learning_rate=0.1), 4, 5)
    items = np.arange(12, dtype=np.float32).reshape(4, 3)
    model, one = GlobalModel(7, {"items": items.copy()}), 1 << 24
    plan = algorithm.plan(model)
    total, nothing = UpdateSum.empty(plan), np.zeros(0, np.int32)
    for rows, first in (([0, 2], one // 2), ([2], one // 4)):
        values = np.zeros((len(rows), 3), np.int32)
        values[-1] = first, 0, -one
        total.add(ModelUpdate(7, plan.kind, np.array(rows, np.int32), values, nothing))
    after = algorithm.step(model, total)
    assert after.round == 8
    np.testing.assert_allclose(after.arrays["items"][2], [6 + 0.075, 7, 8 - 0.2], rtol=1e-6)
    assert bits(np.delete(after.arrays["items"], 2, axis=0)) == bits(np.delete(items, 2, axis=0))


def test_rows_stand_in_the_order_of_their_numbers_and_not_of_the_draws() -> None:
    algorithm, train = of(triples=20), town()
    plan, population = algorithm.plan(algorithm.initial_model(9)), algorithm.initial_population(9)
    for person in range(9):
        rows = algorithm.on_device(plan, population.state(person), train.of(person))[0].rows
        assert (np.diff(rows) > 0).all()


def test_the_order_of_a_history_changes_nothing_that_leaves() -> None:
    algorithm, train = of(triples=20, disclose=0.5), town()
    plan, population, history = (
        algorithm.plan(algorithm.initial_model(9)),
        algorithm.initial_population(9),
        train.of(5),
    )
    backwards = type(history)(history.item[::-1], history.value, history.time)
    visits = [algorithm.on_device(plan, population.state(5), each) for each in (history, backwards)]
    assert bits(*visits[0]) == bits(*visits[1])


def test_the_title_says_which_of_the_papers_settings_it_is() -> None:
    assert of(people_per_round=1, disclose=0.4).title == "sFPL, pi 0.4"
    assert of().title == "pFPL, pi 1"
    assert (
        of(people_per_round=30, triples=5, disclose=0.5, disclose_spread=0.25).title == "FPL, pi 0.5 ± 0.25"
    )


def test_a_visit_costs_its_triples_and_not_the_history() -> None:
    one, many = (of(triples=triples).operations(np.array([3, 300])) for triples in (1, 7))
    for name in one:
        assert one[name][0] == one[name][1]
        assert many[name].tolist() == (7 * one[name]).tolist()


def test_equal_work_is_cut_into_even_runs() -> None:
    assert [share.tolist() for share in even_shares(np.full(5, 3), 2)] == [[0, 1, 2], [3, 4]]
    assert [share.tolist() for share in even_shares(np.array([4, 1]), 1)] == [[0, 1]]


def test_a_score_is_the_bias_and_the_product() -> None:
    scorer = BprScorer(np.array([[1, 2], [0, 1]], np.float32), np.array([[3, 4, 10], [5, 6, 0]], np.float32))
    assert scorer.everything(np.array([1, 0], np.int32)).tolist() == [[14, 6], [21, 17]]
    assert scorer.candidates(np.array([0], np.int32), np.array([[1, 0, 1]], np.int32)).tolist() == [
        [17, 21, 17]
    ]
    assert scorer.item_count == 2


def test_a_model_out_of_bounds_scores_without_a_warning() -> None:
    """Warnings are errors here; the evaluation says in a sentence that the model has diverged."""
    scorer = BprScorer(np.full((2, 3), 1e30, np.float32), np.full((4, 4), -1e30, np.float32))
    assert not np.isfinite(scorer.everything(np.array([0], np.int32))).any()
    assert not np.isfinite(scorer.candidates(np.array([1], np.int32), np.array([[3]], np.int32))).any()


def test_the_central_yardstick_starts_where_the_federation_does() -> None:
    central = BprMF(BprMFConfig(), town(), 5).initial()
    assert bits(central["items"]) == bits(of().initial_model(9).arrays["items"])
    assert bits(central["users"]) == bits(of().initial_population(9).vectors)
    assert not central["items"][:, -1].any()


def test_a_seed_fixes_central_bpr_and_epochs_differ() -> None:
    def after(seed: int, number: int) -> list[bytes]:
        central = BprMF(BprMFConfig(), town(), seed)
        return bits(dict(central.epoch(central.initial(), number)))

    assert after(1, 0) == after(1, 0)
    assert after(1, 0) != after(1, 1)
    assert after(1, 0) != after(2, 0)


def test_an_epoch_leaves_what_it_is_given() -> None:
    central = BprMF(BprMFConfig(), town(), 1)
    arrays = central.initial()
    before = bits(dict(arrays))
    central.epoch(arrays, 0)
    assert bits(dict(arrays)) == before


ALIKE: list[tuple[dict[str, Any], str]] = [
    ({"factors": 0}, "factors must be from 1 to 1024, got 0"),
    ({"learning_rate": 0}, "learning_rate must be above 0 and finite, got 0"),
    ({"learning_rate": float("nan")}, "learning_rate must be above 0 and finite, got nan"),
    ({"regularization": -1}, "regularization must be from 0 to 1000, got -1"),
    ({"negative_regularization": -0.5}, "negative_regularization must be from 0 to 1000, got -0.5"),
    ({"bias_regularization": float("inf")}, "bias_regularization must be from 0 to 1000, got inf"),
    ({"spread": 0}, "spread must be above 0 and finite, got 0"),
]
OF_FPL: list[tuple[dict[str, Any], str]] = [
    ({"disclose": 1.1}, "disclose must be from 0 to 1, got 1.1"),
    ({"disclose": -0.1}, "disclose must be from 0 to 1, got -0.1"),
    ({"disclose": float("nan")}, "disclose must be from 0 to 1, got nan"),
    ({"disclose_spread": -0.1}, "disclose_spread must be from 0 to 1, got -0.1"),
    ({"disclose": 0.9, "disclose_spread": 0.2},
     "disclose ± disclose_spread must lie within 0 and 1, got 0.9 ± 0.2; lower disclose_spread to 0.1"),
    ({"triples": 0}, "triples must be from 1 to 1000000, got 0"),
    ({"triples": -3}, "triples must be from 1 to 1000000, got -3"),
    ({"people_per_round": 1.5}, "people_per_round must be a share below 1 or a whole count, got 1.5"),
    ({"people_per_round": -1}, "people_per_round must be above 0 and finite, got -1"),
    ({"epochs": 0}, "epochs must be at least 1, got 0"),
    ({"rounds": -1}, "rounds must be at least 0, got -1"),
    ({"slope_levels": -1}, "slope_levels must be from 0 to 1000000, got -1"),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "words"), ALIKE + OF_FPL)
def test_a_setting_out_of_range_is_named_with_what_was_expected(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        FPLConfig(**setting)


@pytest.mark.parametrize(("setting", "words"), [*ALIKE, ({"rounds": 0}, "rounds must be at least 1, got 0")])
def test_central_bpr_refuses_it_too(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        BprMFConfig(**setting)


def test_both_ends_of_pi_are_allowed_and_defaults_are_the_papers() -> None:
    assert FPLConfig(disclose=0).disclose == 0
    assert FPLConfig(disclose=0.3, disclose_spread=0.3).disclose_spread == 0.3
    config = FPLConfig()
    assert config.regularization == pytest.approx(config.learning_rate / 20)
    assert config.negative_regularization == pytest.approx(config.learning_rate / 200)
    assert (config.disclose, config.triples, config.bias_regularization) == (1, 1, 0)
