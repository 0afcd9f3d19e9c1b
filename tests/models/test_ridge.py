"""The closed form: outer products, Cholesky, and the whole solution against the formula as it is printed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.models.ridge import add_outer, gram, solve_in_place
from covey.random import stream


@given(st.integers(0, 9), st.integers(1, 70), st.integers(0, 2**32))
def test_outer_products_add_up_to_the_weighed_gram_matrix(count: int, width: int, seed: int) -> None:
    draws = stream(seed, "outer")
    rows, weights = draws.normal(size=(count + 2, width)), draws.uniform(size=count + 2)
    before = draws.normal(size=(width, width))
    square = before.copy()
    add_outer(rows, weights, count, square)
    expected = before + (rows[:count].T * weights[:count]) @ rows[:count]
    np.testing.assert_allclose(np.triu(square), np.triu(expected), atol=1e-12)


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_the_solution_solves_the_system(width: int, seed: int) -> None:
    draws = stream(seed, "solve")
    rows, right = draws.normal(size=(width, width)), draws.normal(size=width)
    square = rows.T @ rows + np.eye(width)
    found = right.copy()
    assert solve_in_place(square.copy(), found)
    np.testing.assert_allclose(square @ found, right, atol=1e-9)


def test_a_system_of_two_by_hand() -> None:
    found = np.array([4.0, 9.0])
    assert solve_in_place(np.array([[2.0, 1.0], [1.0, 3.0]]), found)
    np.testing.assert_allclose(found, [0.6, 2.8])


@pytest.mark.parametrize("square", [np.zeros((2, 2)), -np.eye(3), np.full((2, 2), np.nan)])
def test_what_is_not_positive_definite_is_refused(square: np.ndarray) -> None:
    assert not solve_in_place(square.copy(), np.ones(len(square)))


def test_two_equal_rows_alone_do_not_determine_two_factors() -> None:
    square = np.zeros((2, 2))
    add_outer(np.ones((2, 2)), np.ones(2), 2, square)
    assert not solve_in_place(square, np.ones(2))


def test_a_gram_matrix_keeps_the_type_of_its_rows() -> None:
    rows = stream(1, "gram").normal(size=(7, 3)).astype(np.float32)
    assert gram(rows).dtype == np.float32
    np.testing.assert_allclose(gram(rows), rows.T @ rows, rtol=1e-5)
