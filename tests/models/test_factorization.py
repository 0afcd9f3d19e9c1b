"""One person's visit against the equations of the paper, written out the long way."""

from typing import Any

import numpy as np
import pytest

from covey.models import factorization as fz
from covey.random import stream

ITEMS, WIDTH = 11, 4
HAS = np.array([7, 2, 10], np.int32)
VALUES = np.array([1, 4, 2], np.float32)


def recipe(**choices: Any) -> fz.Recipe:
    given = {
        "alpha": 3.0,
        "unobserved": 1.0,
        "regularization": 0.7,
        "scaling": 0.0,
        "weighing": 0,
        "solve": True,
    }
    return fz.Recipe(**{**given, **choices})


def table(width: int = WIDTH) -> np.ndarray:
    return stream(3, "table").normal(size=(ITEMS, width))


def visit(
    asked: fz.Recipe, dense: bool, vector: Any = None, centre: float = 0.0
) -> tuple[np.ndarray, Any, float]:
    """The person's vector, a row of gradient an item, and the mean left over."""
    items = table()
    vector = np.zeros(WIDTH) if vector is None else vector
    desk = fz.desk(3, WIDTH, ITEMS, np.float64)
    solved, left = fz.visit(asked, HAS, VALUES, items, centre, fz.base_of(asked, items), dense, vector, desk)
    assert solved
    return vector, desk.slopes[: ITEMS if dense else 3, None] * desk.bearing, left


def confidences(extra: Any) -> np.ndarray:
    weights = np.ones(ITEMS)
    weights[HAS] += extra
    return weights


@pytest.mark.parametrize(
    ("weighing", "extra"), [(0, 3.0), (1, 3.0 * VALUES), (2, 3.0 * np.log1p(VALUES.astype(float)))]
)
def test_the_own_factors_are_those_of_equation_7(weighing: int, extra: Any) -> None:
    items, owned = table(), np.isin(np.arange(ITEMS), HAS).astype(float)
    weights = confidences(extra)
    expected = np.linalg.solve(
        items.T @ np.diag(weights) @ items + 0.7 * np.eye(WIDTH), items.T @ np.diag(weights) @ owned
    )
    np.testing.assert_allclose(visit(recipe(weighing=weighing), False)[0], expected, atol=1e-12)


def test_the_gradient_of_every_item_is_that_of_equation_11() -> None:
    items, owned, weights = table(), np.isin(np.arange(ITEMS), HAS).astype(float), confidences(3.0)
    vector, change, _ = visit(recipe(), True)
    expected = (weights * (owned - items @ vector))[:, None] * vector
    np.testing.assert_allclose(change, expected, atol=1e-12)


def test_own_gradients_and_the_outer_product_say_as_much_as_gradients_of_every_item() -> None:
    items = table()
    vector, every, _ = visit(recipe(), True)
    _, own, _ = visit(recipe(), False)
    rebuilt = -items @ np.outer(vector, vector)
    rebuilt[HAS] += own
    np.testing.assert_allclose(rebuilt, every, atol=1e-12)


def test_factors_are_kept_where_a_round_does_not_ask_for_new_ones() -> None:
    kept = np.full(WIDTH, 0.5)
    assert visit(recipe(solve=False), False, kept.copy())[0].tolist() == kept.tolist()


def test_somebody_without_factors_solves_for_them_whatever_the_round_asks() -> None:
    np.testing.assert_array_equal(visit(recipe(solve=False), False)[0], visit(recipe(), False)[0])


def test_ratings_are_fitted_by_factors_and_a_bias_of_ones_own() -> None:
    asked, items, centre = recipe(unobserved=0.0, alpha=1.0), table(), 2.5
    vector, change, left = visit(asked, False, centre=centre)
    rows = items[HAS].copy()
    targets = VALUES - centre - rows[:, -1]
    rows[:, -1] = 1
    expected = np.linalg.solve(rows.T @ rows + 0.7 * np.eye(WIDTH), rows.T @ targets)
    np.testing.assert_allclose(vector, expected, atol=1e-12)
    errors = targets - rows @ expected
    seen = np.append(expected[:-1], 1)  # what the items' rows and biases are multiplied by
    np.testing.assert_allclose(change, errors[:, None] * seen, atol=1e-12)
    assert left == pytest.approx(targets.mean())


def test_regularization_grows_with_what_a_person_has() -> None:
    implicit, ratings = recipe(scaling=1.0), recipe(scaling=0.5, unobserved=0.0)
    assert fz.ridge_of(implicit, 22.0) == pytest.approx(0.7 * 22)
    assert fz.ridge_of(ratings, 16.0) == pytest.approx(0.7 * 4)
    assert fz.ridge_of(ratings, 0.0) == pytest.approx(0.7)


def test_a_packed_outer_product_unpacks_to_the_whole() -> None:
    for explicit, seen in ((False, np.array([1.0, 2.0, 3.0])), (True, np.array([1.0, 2.0, 1.0]))):
        packed = np.zeros(fz.shared_size(3, explicit))
        fz.fill_outer(seen, packed)
        np.testing.assert_array_equal(fz.unpacked(packed, 3), np.outer(seen, seen))


@pytest.mark.filterwarnings("ignore:OpenBLAS is configured")
def test_alternating_least_squares_is_that_of_the_implicit_library() -> None:
    """Its exact solver gives the paper's factors for data of 1 + alpha r and its own alpha of 1."""
    implicit = pytest.importorskip("implicit.cpu.als")
    sparse = pytest.importorskip("scipy.sparse")
    draws = stream(5, "implicit")
    owned = draws.uniform(size=(30, ITEMS)) < 0.3
    owned[:, 0] = True
    items = draws.normal(size=(ITEMS, WIDTH))
    theirs = implicit.AlternatingLeastSquares(
        WIDTH, regularization=0.7, alpha=1.0, dtype=np.float64, use_native=True, use_cg=False, num_threads=1,
        iterations=1, random_state=1,
    )  # fmt: skip
    theirs.item_factors = items.copy()
    theirs.user_factors = np.zeros((30, WIDTH))
    data = sparse.csr_matrix(owned * (1 + 3.0))
    theirs.solver(data, theirs.user_factors, theirs.item_factors, 0.7, num_threads=1)
    offsets = np.concatenate([[0], owned.sum(1).cumsum()])
    columns = np.nonzero(owned)[1].astype(np.int32)
    ours, stuck = fz.solve_everybody(
        recipe(), offsets, columns, np.ones(len(columns), np.float32), items, 0.0
    )
    assert stuck < 0
    np.testing.assert_allclose(ours, theirs.user_factors, atol=1e-9)
