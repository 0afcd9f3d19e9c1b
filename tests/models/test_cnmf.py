"""A group's non-negative factorization against its equations written out the long way, and by hand."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.models import cnmf
from covey.random import stream

PEOPLE, ITEMS, WIDTH, CENTRE = 4, 5, 2, 3.5
PENALTIES = cnmf.Penalties(0.06, 0.05, 0.02, 0.03, 0.004, 0.006, by_rating=True)


class Rows(NamedTuple):
    """Ratings one after another; person 3 and item 4 have none."""

    person: Any
    item: Any
    value: Any


def rated(seed: int) -> Rows:
    draws = stream(seed, "ratings")
    person, item = np.nonzero(draws.random((PEOPLE - 1, ITEMS - 1)) < 0.7)
    order = draws.permutation(len(person))
    person, item = person[order].astype(np.int32), item[order].astype(np.int32)
    return Rows(person, item, draws.integers(1, 6, len(person)).astype(np.float32))


def begun(seed: int) -> cnmf.Factorization:
    draws = stream(seed, "factors")
    model = cnmf.start(PEOPLE, ITEMS, WIDTH, draws)
    model.user_bias[:], model.item_bias[:] = draws.normal(size=PEOPLE) / 9, draws.normal(size=ITEMS) / 9
    return model


def copied(model: cnmf.Factorization) -> cnmf.Factorization:
    return cnmf.Factorization(*(array.copy() for array in model))


def slow(penalties: cnmf.Penalties, rows: Rows, model: cnmf.Factorization) -> cnmf.Factorization:
    """One iteration by matrices: zeros where nothing was rated (equations 7 and 10 to 13)."""
    w, h, b_w, b_h = copied(model)
    x, x_hat, counted = np.zeros((PEOPLE, ITEMS)), np.zeros((PEOPLE, ITEMS)), np.zeros((PEOPLE, ITEMS))
    for a, b, rating in zip(*rows, strict=True):
        guess = CENTRE + b_w[a] + b_h[b] + w[a] @ h[b]
        x[a, b], x_hat[a, b], counted[a, b] = rating, guess, 1
        b_w[a] += penalties.user_rate * (rating - guess - penalties.user_bias * b_w[a])
        b_h[b] += penalties.item_rate * (rating - guess - penalties.item_bias * b_h[b])
    alpha = penalties.users * (counted.sum(1)[:, None] if penalties.by_rating else 1)
    beta = penalties.items * (counted.sum(0)[:, None] if penalties.by_rating else 1)
    under_w, under_h = x_hat @ h + alpha * w, x_hat.T @ w + beta * h
    new_w, new_h = np.zeros_like(w), np.zeros_like(h)
    np.divide(w * (x @ h), under_w, out=new_w, where=under_w > 0)
    np.divide(h * (x.T @ w), under_h, out=new_h, where=under_h > 0)
    return cnmf.Factorization(new_w, new_h, b_w, b_h)


def complete(
    penalties: cnmf.Penalties, rows: Rows, model: cnmf.Factorization, iterations: int = 1, items: bool = True
) -> None:
    cnmf.complete(penalties, CENTRE, *rows, model, iterations, items)


@given(st.integers(0, 2**32), st.booleans())
def test_iterations_are_those_of_the_equations_written_out(seed: int, by_rating: bool) -> None:
    penalties, rows, model = PENALTIES._replace(by_rating=by_rating), rated(seed), begun(seed)
    expected = slow(penalties, rows, slow(penalties, rows, model))
    complete(penalties, rows, model, iterations=2)
    for name, found, wanted in zip(model._fields, model, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, err_msg=name)


def test_one_rating_by_hand() -> None:
    """One person, one item, one pattern: rated 4, guessed 3 + 0.25 - 0.25 + 0.5 x 1 = 3.5."""
    model = cnmf.Factorization(np.array([[0.5]]), np.array([[1.0]]), np.array([0.25]), np.array([-0.25]))
    penalties = cnmf.Penalties(0.1, 0.2, 0.4, 0.8, 0.1, 0.01, by_rating=True)
    one = np.zeros(1, np.int32)
    cnmf.complete(penalties, 3.0, one, one, np.array([4], np.float32), model, 1, True)
    assert model.user_bias[0] == pytest.approx(0.25 + 0.1 * (0.5 - 0.4 * 0.25))
    assert model.item_bias[0] == pytest.approx(-0.25 + 0.01 * (0.5 + 0.8 * 0.25))
    assert model.users[0, 0] == pytest.approx(0.5 * 4 * 1 / (3.5 * 1 + 0.1 * 0.5))
    assert model.items[0, 0] == pytest.approx(1 * 4 * 0.5 / (3.5 * 0.5 + 0.2 * 1))


def test_penalties_once_a_rating_and_once_are_the_same_where_everybody_rated_once() -> None:
    rows = Rows(*(np.arange(3, dtype=np.int32) for _ in range(2)), np.array([1, 4, 5], np.float32))
    models = [begun(1), begun(1)]
    for by_rating, model in zip((True, False), models, strict=True):
        complete(PENALTIES._replace(by_rating=by_rating), rows, model, 3)
    assert [array.tobytes() for array in models[0]] == [array.tobytes() for array in models[1]]


@given(st.integers(0, 2**32), st.floats(0, 5), st.floats(-20, 20), st.booleans())
def test_factors_are_never_negative_and_never_undefined(
    seed: int, penalty: float, bias: float, by_rating: bool
) -> None:
    """Not even where biases make the guesses negative, or nothing holds a factor back."""
    model = begun(seed)
    model.user_bias[:] = bias
    penalties = PENALTIES._replace(users=penalty, items=penalty, by_rating=by_rating)
    complete(penalties, rated(seed), model, 5)
    for factors in (model.users, model.items):
        assert np.isfinite(factors).all()
        assert (factors >= 0).all()


def test_items_stay_as_they_are_to_the_bit_where_people_alone_are_fitted() -> None:
    model = begun(2)
    before = copied(model)
    complete(PENALTIES, rated(2), model, 3, items=False)
    assert (model.items.tobytes(), model.item_bias.tobytes()) == (
        before.items.tobytes(),
        before.item_bias.tobytes(),
    )
    assert not np.array_equal(model.users[:3], before.users[:3])


def test_what_nobody_rated_gets_no_pattern_and_keeps_its_bias() -> None:
    model = begun(3)
    before = copied(model)
    complete(PENALTIES, rated(3), model)
    assert not model.items[ITEMS - 1].any()
    assert not model.users[PEOPLE - 1].any()
    assert (model.item_bias[-1], model.user_bias[-1]) == (before.item_bias[-1], before.user_bias[-1])


def test_iterations_come_nearer_to_the_ratings() -> None:
    rows, model = rated(4), begun(4)

    def error() -> float:
        guess = CENTRE + model.user_bias[rows.person] + model.item_bias[rows.item]
        return float(
            ((rows.value - guess - (model.users[rows.person] * model.items[rows.item]).sum(1)) ** 2).mean()
        )

    before = error()
    complete(PENALTIES, rows, model, 50)
    assert error() < before / 2


def test_biases_alone_by_hand() -> None:
    """Item 0 rated 5 and 3, item 1 rated 2, around 3; a bias counts ratings of zero besides."""
    person, item = np.array([0, 1, 0], np.int32), np.array([0, 0, 1], np.int32)
    user_bias, item_bias = np.zeros(2), np.zeros(3)
    cnmf.biases(3.0, person, item, np.array([5, 3, 2], np.float32), 2.0, 1.0, user_bias, item_bias, 1)
    assert item_bias.tolist() == pytest.approx([(2 + 0) / (2 + 1), -1 / (1 + 1), 0])
    # Person 0 is left with 2 - 2/3 and -1 + 1/2, person 1 with 0 - 2/3.
    assert user_bias.tolist() == pytest.approx([(4 / 3 - 1 / 2) / (2 + 2), (-2 / 3) / (1 + 2)])


def test_many_rounds_of_biases_end_where_neither_moves() -> None:
    rows, user_bias, item_bias = rated(5), np.zeros(PEOPLE), np.zeros(ITEMS)
    cnmf.biases(CENTRE, *rows, 2.0, 1.0, user_bias, item_bias, 200)
    before = user_bias.copy(), item_bias.copy()
    cnmf.biases(CENTRE, *rows, 2.0, 1.0, user_bias, item_bias, 1)
    np.testing.assert_allclose(np.concatenate([user_bias, item_bias]), np.concatenate(before), atol=1e-12)


def test_a_factorization_does_not_print_whose_taste_is_what() -> None:
    assert repr(begun(1)) == "Factorization(kept at home)"
