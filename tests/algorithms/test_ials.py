"""iALS: a row by hand, normal equations, a loss that never rises, and the same numbers as a known library."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms.ials import IALS, IALSConfig
from covey.errors import ConfigError, DivergedError
from covey.models import als
from covey.models.pairs import Pairs, transposed
from covey.random import stream
from covey.splits.histories import Histories
from covey.testing.towns import ITEMS, histories, town


def model(train: Histories | None = None, **choices: Any) -> IALS:
    return IALS(
        IALSConfig(**{"factors": 6, "regularization": 1.5, "solver_steps": 0, **choices}), train or town(), 3
    )


def seen(train: Histories) -> np.ndarray:
    table = np.zeros((train.people_count, train.item_count))
    table[train.person, train.item] = 1
    return table


def objective(yardstick: IALS, arrays: dict[str, np.ndarray]) -> float:
    """The whole loss, cell by cell, with the penalties as the configuration says them."""
    config, cells = yardstick.config, seen(yardstick.train)
    users, items = arrays["users"].astype(float), arrays["items"].astype(float)
    weight = np.where(cells > 0, 1 + config.alpha, config.unobserved)
    loss = float((weight * (cells - users @ items.T) ** 2).sum())
    for rows, axis in ((users, 1), (items, 0)):
        scale = (cells.sum(axis=axis) + config.unobserved * cells.shape[axis]) ** config.frequency_power
        loss += config.regularization * float((scale * (rows**2).sum(axis=1)).sum())
    return loss


def test_a_row_by_hand() -> None:
    # One factor, items at 1 and 2; the person has the first with weight 2, the other weighs 1/2, penalty 3:
    # A = 2 * 1 + 1/2 * 4 + 3 = 7, right-hand side 2.
    pairs = Pairs(np.array([0, 1]), np.zeros(1, np.int32), np.array([2], np.float32))
    fixed, penalty = np.array([[1], [2]], np.float32), np.array([3], np.float32)
    for steps in (0, 1):  # one step of conjugate gradients is all that one dimension takes
        rows, singular = als.solve(pairs, fixed, np.zeros((1, 1), np.float32), 0.5, penalty, steps, 1)
        assert rows[0, 0] == pytest.approx(2 / 7, rel=1e-6)
        assert singular == -1


@pytest.mark.parametrize("factors", [1, 3, 16, 37])
@pytest.mark.parametrize("power", [0.0, 0.7])
def test_normal_equations_hold(factors: int, power: float) -> None:
    yardstick = model(factors=factors, unobserved=0.4, frequency_power=power, regularization=0.8)
    arrays = dict(yardstick.initial())
    for number in range(3):
        arrays = dict(yardstick.epoch(arrays, number))
    items, cells = arrays["items"].astype(float), seen(yardstick.train)
    weight = np.where(cells > 0, 6.0, 0.4)
    penalty = 0.8 * (cells.sum(axis=1) + 0.4 * ITEMS) ** power
    for person, row in enumerate(arrays["users"].astype(float)):
        system = (items * weight[person, :, None]).T @ items + penalty[person] * np.eye(factors)
        right = items.T @ (weight[person] * cells[person])
        assert np.linalg.norm(system @ row - right) < 1e-6 * np.linalg.norm(right) + 1e-7


@pytest.mark.parametrize("steps", [0, 2])
@given(alpha=st.floats(0, 20), unobserved=st.floats(0.01, 2), power=st.floats(0, 1.5))
def test_no_epoch_makes_the_loss_larger(steps: int, alpha: float, unobserved: float, power: float) -> None:
    yardstick = model(alpha=alpha, unobserved=unobserved, frequency_power=power, solver_steps=steps)
    arrays = dict(yardstick.initial())
    losses = [objective(yardstick, arrays)]
    for number in range(4):
        arrays = dict(yardstick.epoch(arrays, number))
        losses.append(objective(yardstick, arrays))
    assert all(after <= before * (1 + 1e-5) for before, after in pairwise(losses))


def test_many_steps_end_at_the_exact_solution() -> None:
    exact, stepped = model(), model(solver_steps=60)
    arrays = exact.initial()
    for number in range(2):
        arrays = exact.epoch(arrays, number)
    ends = [each.epoch(arrays, 2) for each in (exact, stepped)]
    for name in ("users", "items"):
        np.testing.assert_allclose(ends[1][name], ends[0][name], rtol=1e-3, atol=1e-5)


def test_only_ratios_of_weights_and_penalty_count() -> None:
    """Rendle's form (seen rows weigh 1, the rest little) and Hu's (seen 1 + alpha, the rest 1) are the same loss."""
    hu, rendle = (
        model(alpha=3, unobserved=1, regularization=2),
        model(alpha=0, unobserved=0.25, regularization=0.5),
    )
    ends = [each.epoch(each.initial(), 0) for each in (hu, rendle)]
    np.testing.assert_allclose(ends[1]["users"], ends[0]["users"], rtol=1e-4, atol=1e-6)


def test_values_weigh_rows_where_they_are_asked_to() -> None:
    plain = histories([[0, 1], [1, 2]], 3)
    rated = Histories(plain.offsets, plain.item, np.array([1, 2, 0, 5], np.float32), plain.time, 3)
    assert model(rated, alpha=2, strength="value").by_person.weight.tolist() == [3, 5, 1, 11]
    assert model(rated, alpha=2).by_person.weight.tolist() == [3, 3, 3, 3]
    below = Histories(plain.offsets, plain.item, np.array([1, 2, -1, 5], np.float32), plain.time, 3)
    with pytest.raises(ConfigError, match=r"values of at least 0, got -1.*'presence'"):
        model(below, strength="value")


def test_a_system_without_a_single_solution_is_told_with_whose_it_is() -> None:
    # Nothing weighs but what people have, and a person with one item cannot fix six numbers.
    lists = [stream(6, "person", person).permutation(ITEMS)[:20].tolist() for person in range(40)]
    train = histories([*lists, [3]])
    yardstick = model(train, regularization=0, unobserved=0)
    with pytest.raises(DivergedError, match=r"equations of person 40 .*raise regularization \(now 0\)"):
        yardstick.epoch(yardstick.initial(), 0)


@given(st.lists(st.sets(st.integers(0, 6)).map(sorted), min_size=1, max_size=6))
def test_turning_pairs_twice_gives_them_back(lists: list[list[int]]) -> None:
    train = histories(lists, 7)
    weight = np.arange(len(train), dtype=np.float32)
    turned = transposed(Pairs(train.offsets, train.item, weight), 7)
    back = transposed(turned, len(lists))
    assert [part.tolist() for part in back] == [train.offsets.tolist(), train.item.tolist(), weight.tolist()]


@pytest.mark.filterwarnings("ignore")  # the library's own, about threads and progress bars
def test_an_epoch_is_that_of_the_implicit_library() -> None:
    implicit_als = pytest.importorskip("implicit.cpu.als")
    sparse = pytest.importorskip("scipy.sparse")
    yardstick, train = model(alpha=4, regularization=2), town()
    start = dict(yardstick.initial())
    # The library weighs a seen cell with its value and solves its rows first: our items.
    cells = sparse.csr_matrix(seen(train).T.astype(np.float32) * 5)
    theirs = implicit_als.AlternatingLeastSquares(
        factors=6, regularization=2, alpha=1, iterations=1, use_cg=False, num_threads=1, dtype=np.float32
    )
    theirs.user_factors, theirs.item_factors = start["items"].copy(), start["users"].copy()
    theirs.fit(cells, show_progress=False)
    ours = yardstick.epoch(start, 0)
    np.testing.assert_allclose(ours["items"], theirs.user_factors, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(ours["users"], theirs.item_factors, rtol=1e-3, atol=1e-5)


def test_the_first_vectors_have_the_asked_length() -> None:
    start = model(histories([[0]] * 4000, 3), factors=20, spread=0.3).initial()["users"]
    assert np.sqrt((start**2).sum(axis=1).mean()) == pytest.approx(0.3, rel=0.02)


OUT_OF_RANGE: list[tuple[dict[str, Any], str]] = [
    ({"factors": 0}, "factors must be from 1 to 1024, got 0"),
    ({"alpha": -1}, "alpha must be from 0 to 1000000, got -1"),
    ({"alpha": float("nan")}, "alpha must be from 0 .*, got nan"),
    ({"strength": "presense"}, "unknown strength 'presense'; did you mean 'presence'"),
    ({"unobserved": -0.1}, "unobserved must be from 0 .*, got -0.1"),
    ({"regularization": -2}, "regularization must be from 0 to 1000000, got -2"),
    ({"frequency_power": 3}, "frequency_power must be from 0 to 2, got 3"),
    ({"solver_steps": -1}, "solver_steps must be from 0 to 1000, got -1"),
    ({"rounds": 0}, "rounds must be at least 1, got 0"),
    ({"spread": 0}, "spread must be above 0 and finite, got 0"),
]


@pytest.mark.parametrize(("setting", "words"), OUT_OF_RANGE)
def test_a_setting_out_of_range_is_named(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        IALSConfig(**setting)
