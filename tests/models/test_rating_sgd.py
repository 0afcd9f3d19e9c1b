"""Gradient descent on ratings: a step by hand, the slope of the objective, and orders that favour nobody."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.models import rating_sgd
from covey.random import key, stream


def table(*rows: list[float]) -> np.ndarray:
    return np.array(rows, np.float32)


def trained(
    steps: rating_sgd.Steps, centre: float, ratings: list[tuple[int, int, float]], users: np.ndarray, items: np.ndarray
) -> None:  # fmt: skip
    person, item, value = (np.array(column) for column in zip(*ratings, strict=True))
    rating_sgd.train_epoch(
        steps, centre, np.arange(len(ratings)), person.astype(np.int32), item.astype(np.int32),
        value.astype(np.float32), users, items,
    )  # fmt: skip


def test_a_step_by_hand() -> None:
    """p = (1, 2), q = (0.5, 1), biases 0.25 and -0.25, centre 3: 5.5 is expected, and a rating of 5 is 0.5 below."""
    users, items = table([1, 2, 0.25]), table([0.5, 1, -0.25])
    trained(rating_sgd.Steps(0.5, 0.25, 0.5), 3.0, [(0, 0, 5.0)], users, items)
    assert users[0].tolist() == [
        1 + 0.5 * (-0.5 * 0.5 - 0.25 * 1), 2 + 0.5 * (-0.5 * 1 - 0.25 * 2), 0.25 + 0.5 * (-0.5 - 0.5 * 0.25)
    ]  # fmt: skip
    assert items[0].tolist() == [
        0.5 + 0.5 * (-0.5 * 1 - 0.25 * 0.5), 1 + 0.5 * (-0.5 * 2 - 0.25 * 1), -0.25 + 0.5 * (-0.5 + 0.5 * 0.25)
    ]  # fmt: skip


@pytest.mark.parametrize("factors", [1, 3, 4, 9])
def test_a_step_goes_down_the_slope_of_the_regularized_error(factors: int) -> None:
    """Half of (error^2 + lambda times the squares), by differences in double precision."""
    rows = stream(1, "ratings", factors).uniform(-1, 1, (2, factors + 1))
    decay, bias_decay, rate = 0.03, 0.01, 0.1

    def objective(rows: np.ndarray) -> float:
        (p, q), biases = rows[:, :-1], rows[:, -1]
        error = 4.0 - (3.0 + p @ q + biases.sum())
        return (error**2 + decay * (p @ p + q @ q) + bias_decay * biases @ biases) / 2

    slope = np.zeros_like(rows)
    for place in np.ndindex(rows.shape):
        up, down = rows.copy(), rows.copy()
        up[place], down[place] = rows[place] + 1e-6, rows[place] - 1e-6
        slope[place] = (objective(up) - objective(down)) / 2e-6
    users, items = rows[:1].astype(np.float32), rows[1:].astype(np.float32)
    trained(rating_sgd.Steps(rate, decay, bias_decay), 3.0, [(0, 0, 4.0)], users, items)
    np.testing.assert_allclose(np.concatenate([users, items]), rows - rate * slope, rtol=1e-4, atol=1e-5)


def test_the_second_rating_meets_what_the_first_one_left() -> None:
    steps, ratings = rating_sgd.Steps(0.1, 0.0, 0.0), [(0, 0, 5.0), (0, 1, 1.0)]
    together, apart = ([table([1, 0]), table([1, 0], [1, 0])] for _ in range(2))
    trained(steps, 3.0, ratings, *together)
    for rating in ratings:
        trained(steps, 3.0, [rating], *apart)
    assert [each.tolist() for each in together] == [each.tolist() for each in apart]


@given(count=st.integers(0, 40), epoch=st.integers(0, 5), seed=st.integers(0, 3))
def test_an_order_holds_every_number_once_and_depends_on_its_name_alone(
    count: int, epoch: int, seed: int
) -> None:
    order, again = (rating_sgd.shuffled(count, np.uint64(key(seed, "order")), epoch) for _ in range(2))
    assert sorted(order.tolist()) == list(range(count))
    assert order.tolist() == again.tolist()


def test_every_place_of_an_order_is_as_likely() -> None:
    orders = np.array([rating_sgd.shuffled(5, np.uint64(key(0, "order")), epoch) for epoch in range(4000)])
    counts = np.array(
        [[np.count_nonzero(orders[:, place] == number) for number in range(5)] for place in range(5)]
    )
    # 800 expected of each; five standard deviations are 127.
    assert np.abs(counts - 800).max() < 127
