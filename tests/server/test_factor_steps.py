"""What FCF's server does with sums: by hand for one factor, by the definition for several."""

from typing import Any

import numpy as np
import pytest

from covey.aggregation.sums import UpdateSum
from covey.algorithms.fcf import FCF, FCFConfig
from covey.messages.fixed import to_fixed
from covey.models import factorization as fz
from covey.random import stream
from covey.server.model import GlobalModel

PEOPLE, ITEMS = 10, 3


def start(**choices: Any) -> tuple[FCF, GlobalModel]:
    algorithm = FCF(
        FCFConfig(**{"factors": 1, "alpha": 1.0, "regularization": 2.0, "scaling": 0.0, **choices}), ITEMS, 1
    )
    model = algorithm.initial_model(PEOPLE)
    factors = np.array([[1.0], [2.0], [0.5]], np.float32)
    return algorithm, GlobalModel(0, {**model.arrays, "items": factors})


def total_of(
    algorithm: FCF, model: GlobalModel, gradients: Any, senders: Any, shared: Any, people: int
) -> UpdateSum:
    plan = algorithm.plan(model)
    total = UpdateSum.empty(plan)
    weight = fz.release_weight(plan.recipe)
    total.items[:] = to_fixed(np.array(gradients, float), plan.schema.item_field, weight)[0]
    total.senders[:] = senders
    if plan.schema.shared_field:
        total.shared[:] = to_fixed(np.array(shared, float), plan.schema.shared_field)[0]
    total.people = people
    return total


def test_a_gradient_step_by_hand() -> None:
    algorithm, model = start(payload="all", server_step="gradient", server_rate=0.05)
    total = total_of(algorithm, model, [[3.0], [-1.0], [0.0]], [10, 10, 10], [], 10)
    # dJ/dy = -2 f + 2 lambda y = -6 + 4, 2 + 8, 0 + 2
    expected = [1 + 0.05 * 2, 2 - 0.05 * 10, 0.5 - 0.05 * 2]
    np.testing.assert_allclose(algorithm.step(model, total).arrays["items"][:, 0], expected, atol=1e-6)


def test_an_adam_step_by_hand() -> None:
    """Its corrections divide by 1 - beta in every round, as the paper prints them."""
    algorithm, model = start(payload="all", server_step="adam", server_rate=0.2, decay_1=0.4, decay_2=0.99)
    total = total_of(algorithm, model, [[3.0], [-1.0], [0.0]], [10, 10, 10], [], 10)
    once = algorithm.step(model, total)
    # In the first step m / (1 - b1) is the slope and v / (1 - b2) its square: a step of the rate.
    np.testing.assert_allclose(once.arrays["items"][:, 0], [1.2, 1.8, 0.3], atol=1e-6)
    slopes = np.array([-2.0, 10.0, 2.0])
    again = -6 + 2 * 2 * 1.2, 2 + 2 * 2 * 1.8, 2 * 2 * 0.3
    first = (0.4 * 0.6 * slopes + 0.6 * np.array(again)) / 0.6
    second = (0.99 * 0.01 * slopes**2 + 0.01 * np.array(again) ** 2) / 0.01
    expected = np.array([1.2, 1.8, 0.3]) - 0.2 * first / np.sqrt(second)
    np.testing.assert_allclose(algorithm.step(once, total).arrays["items"][:, 0], expected, atol=1e-5)


def test_own_gradients_make_the_same_step_as_gradients_of_every_item() -> None:
    every, model = start(payload="all", server_step="gradient", server_rate=0.01)
    own, same = start(payload="own", server_step="gradient", server_rate=0.01)
    # One person with x = 0.5 who has the first item: f = 2 (1 - 0.5) 0.5 there, -0.5 y x elsewhere.
    dense = total_of(every, model, [[0.5], [-0.5], [-0.125]], [1, 1, 1], [], PEOPLE)
    sparse = total_of(own, same, [[0.5 + 0.25], [0.0], [0.0]], [1, 0, 0], [0.25], PEOPLE)
    np.testing.assert_allclose(
        every.step(model, dense).arrays["items"], own.step(same, sparse).arrays["items"], atol=1e-6
    )


def test_a_preconditioned_step_solves_each_item_with_its_own_curvature() -> None:
    algorithm, model = start(engagement=3.0)
    total = total_of(algorithm, model, [[4.0], [1.0], [0.0]], [5, 2, 0], [6.0], PEOPLE)
    # descent = own - G y - lambda y; curvature = (1 + alpha s n / U) G + lambda
    descent = np.array([4 - 6 - 2, 1 - 12 - 4, -3 - 1])
    curvature = np.array([(1 + 1.5) * 6 + 2, (1 + 0.6) * 6 + 2, 6 + 2])
    expected = np.array([1, 2, 0.5]) + descent / curvature
    np.testing.assert_allclose(algorithm.step(model, total).arrays["items"][:, 0], expected, atol=1e-5)


def test_one_decomposition_gives_what_solving_item_by_item_gives() -> None:
    draws = stream(1, "several")
    people = draws.normal(size=(PEOPLE, 4))
    algorithm, _ = start(factors=4)
    model = algorithm.initial_model(PEOPLE)
    spread = people.T @ people
    gradients, senders = draws.normal(size=(ITEMS, 4)), np.array([3, 0, 9])
    total = total_of(algorithm, model, gradients, senders, spread[np.triu_indices(4)], PEOPLE)
    items = model.arrays["items"].astype(float)
    for item in range(ITEMS):
        curvature = (1 + 3 * senders[item] / PEOPLE) * spread + 2 * np.eye(4)
        descent = gradients[item] - spread @ items[item] - 2 * items[item]
        expected = items[item] + np.linalg.solve(curvature, descent)
        np.testing.assert_allclose(algorithm.step(model, total).arrays["items"][item], expected, atol=1e-4)


def test_a_sample_stands_for_everybody_in_proportion() -> None:
    algorithm, model = start(server_rate=1.0)
    whole = total_of(algorithm, model, [[4.0], [1.0], [0.0]], [6, 2, 0], [6.0], PEOPLE)
    half = total_of(algorithm, model, [[2.0], [0.5], [0.0]], [3, 1, 0], [3.0], PEOPLE // 2)
    np.testing.assert_allclose(
        algorithm.step(model, whole).arrays["items"], algorithm.step(model, half).arrays["items"], atol=1e-5
    )


def test_sampled_rounds_go_less_far_and_less_with_every_pass() -> None:
    algorithm, model = start()

    def moved(round_number: int, people: int) -> float:
        share = people / PEOPLE
        total = total_of(algorithm, model, [[4.0 * share], [0.0], [0.0]], [people, 0, 0], [6 * share], people)
        after = algorithm.step(GlobalModel(round_number, model.arrays), total)
        return float(abs(after.arrays["items"][0, 0] - 1))

    whole = moved(0, 10)
    assert moved(30, 10) == whole  # everybody's sums are no estimate
    assert whole * 0.4 == pytest.approx(moved(0, 1), rel=1e-3)
    assert moved(10, 1) == pytest.approx(moved(0, 1) / 1.9, rel=1e-3)


def test_counts_and_spread_of_a_sample_are_running_means() -> None:
    algorithm, model = start()
    first = algorithm.step(model, total_of(algorithm, model, [[0.0]] * 3, [1, 0, 0], [1.0], 1))
    assert first.arrays["memory/spread"] / first.arrays["memory/weight"] == pytest.approx(10.0, abs=1e-4)
    second = algorithm.step(first, total_of(algorithm, first, [[0.0]] * 3, [0, 1, 0], [3.0], 1))
    expected = (0.9 * 10 + 30) / 1.9
    assert second.arrays["memory/spread"] / second.arrays["memory/weight"] == pytest.approx(
        expected, abs=1e-3
    )


def test_the_centre_of_ratings_moves_by_what_the_biases_leave() -> None:
    algorithm = FCF(FCFConfig(feedback="explicit", factors=1), ITEMS, 1)
    model = algorithm.initial_model(PEOPLE)
    total = total_of(algorithm, model, np.zeros((ITEMS, 2)), [0, 0, 0], [0, 0, 0, 4 * 3.5], 4)
    assert algorithm.step(model, total).arrays["network"].tolist() == pytest.approx([3.5])


def test_directions_in_which_nobody_lies_stay_where_nothing_is_regularized() -> None:
    algorithm, model = start(factors=1, regularization=0.0)
    total = total_of(algorithm, model, [[0.0]] * 3, [0, 0, 0], [0.0], PEOPLE)
    np.testing.assert_array_equal(algorithm.step(model, total).arrays["items"], model.arrays["items"])
