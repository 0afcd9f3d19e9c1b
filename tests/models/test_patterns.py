"""Item patterns: exact at full rank, held back below it, and least squares that nothing could be nearer than."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from covey.models import patterns as parts
from covey.random import stream

PEOPLE, ITEMS = 4, 7
Pair = tuple[Any, Any]


def table(seed: int, lines: int = PEOPLE, columns: int = ITEMS) -> np.ndarray:
    """Numbers of which half are zero."""
    draws = stream(seed, "table")
    return draws.normal(size=(lines, columns)) * (draws.random((lines, columns)) < 0.5)


def of_people(seed: int, count: int) -> Pair:
    dense = table(seed)
    person, item = (place.astype(np.int32) for place in np.nonzero(dense))
    return parts.spectrum(person, item, dense[person, item], PEOPLE, ITEMS, count)


def of_columns(seed: int, count: int) -> Pair:
    across, along, _ = parts.joint_svd(table(seed), count)
    return across, along.T


BOTH: list[Callable[[int, int], Pair]] = [of_people, of_columns]


@pytest.mark.parametrize("split", BOTH)
@given(seed=st.integers(0, 2**32))
def test_as_many_patterns_as_there_are_lines_say_everything(
    split: Callable[[int, int], Pair], seed: int
) -> None:
    left, right = split(seed, PEOPLE)
    np.testing.assert_allclose(left @ right.T, table(seed), atol=1e-12)


@given(st.integers(0, 2**32), st.integers(1, PEOPLE))
def test_fewer_patterns_of_a_group_miss_what_the_smaller_singular_values_say(seed: int, count: int) -> None:
    left, right = of_people(seed, count)
    assert (left.shape, right.shape) == ((PEOPLE, count), (ITEMS, count))
    missed = ((left @ right.T - table(seed)) ** 2).sum()
    sizes = np.linalg.svd(table(seed), compute_uv=False)
    assert missed == pytest.approx((sizes[count:] ** 2).sum(), abs=1e-12)


@given(st.integers(0, 2**32), st.integers(1, PEOPLE - 1))
def test_joint_patterns_have_the_strength_that_is_beyond_the_strongest_left_out(
    seed: int, count: int
) -> None:
    left, right, noise = parts.joint_svd(table(seed), count)
    across, sizes, along = np.linalg.svd(table(seed), full_matrices=False)
    assert noise == pytest.approx(sizes[count])
    held_back = np.sqrt(np.maximum(sizes[:count] ** 2 - sizes[count] ** 2, 0))
    np.testing.assert_allclose(left @ right, (across[:, :count] * held_back) @ along[:count], atol=1e-7)


def test_joint_patterns_by_hand() -> None:
    """Strengths of 5 and 4: of the first, 3 is left."""
    left, right, noise = parts.joint_svd(np.diag([4.0, 5.0]), 1)
    assert noise == 4
    np.testing.assert_allclose(left @ right, np.diag([0.0, 3.0]), atol=1e-12)


@pytest.mark.parametrize("split", BOTH)
def test_a_few_singular_values_of_a_large_table_are_those_of_all(
    split: Callable[[int, int], Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = split(1, 1)
    monkeypatch.setattr(parts, "_DENSE", 1)
    few_left, few_right = split(1, 1)
    np.testing.assert_allclose(few_left @ few_right.T, left @ right.T, atol=1e-10)
    again = split(1, 1)
    assert few_left.tobytes() == again[0].tobytes()


def test_the_strongest_pattern_comes_first_and_has_the_strength() -> None:
    _, items = of_people(3, PEOPLE)
    lengths = np.linalg.norm(items, axis=0)
    np.testing.assert_allclose(lengths, np.linalg.svd(table(3), compute_uv=False), atol=1e-12)
    assert (np.diff(lengths) <= 0).all()


@given(st.integers(0, 2**32), st.booleans())
def test_given_patterns_are_brought_into_the_joint_ones_as_near_as_can_be(
    seed: int, nonnegative: bool
) -> None:
    """Where the distance to a column still slopes, the share is at zero and may not follow."""
    joint, columns = stream(seed, "joint").random((ITEMS, 3)), table(seed).T
    found = parts.into_patterns(columns, joint, nonnegative)
    slopes = joint.T @ (joint @ found - columns)
    if nonnegative:
        assert (found >= 0).all()
        assert (slopes > -1e-9).all()
        slopes = slopes * found
    np.testing.assert_allclose(slopes, np.zeros((3, PEOPLE)), atol=1e-9)


@given(st.integers(0, 2**32), st.integers(1, PEOPLE))
def test_columns_that_were_in_the_joint_ones_get_the_shares_that_they_had(seed: int, count: int) -> None:
    left, right, noise = parts.joint_svd(table(seed), count)
    found = parts.into_patterns(table(seed), left, False, noise)
    np.testing.assert_allclose(left @ found, left @ right, atol=1e-7)


def test_no_patterns_lie_nowhere_among_the_joint_ones() -> None:
    for nonnegative in (True, False):
        assert parts.into_patterns(np.zeros((ITEMS, 0)), np.ones((ITEMS, 2)), nonnegative).shape == (2, 0)


@given(st.integers(0, 2**32))
def test_nonnegative_people_are_the_nonnegative_least_squares_of_scipy(seed: int) -> None:
    draws = stream(seed, "people")
    joint = np.column_stack([draws.random((ITEMS, 3)), draws.normal(size=ITEMS)])
    offsets = np.array([0, 4, 4, 6], np.int64)  # the person in the middle has rated nothing
    items = np.array([0, 2, 5, 6, 1, 2], np.int32)
    values = draws.integers(1, 6, 6).astype(np.float32)
    found = np.ones((3, 4))
    parts.nonnegative_people(offsets, items, values, joint, 3.0, 0.7, found)
    assert not found[1].any()
    for person in (0, 2):
        rows = slice(offsets[person], offsets[person + 1])
        seen, left = joint[items[rows]], values[rows] - 3.0 - joint[items[rows], -1]
        seen = np.column_stack([seen[:, :-1], np.ones(len(seen))])
        # A bias of either sign is the difference of two numbers that are not negative.
        stacked = np.vstack([np.column_stack([seen, -seen[:, -1]]), np.sqrt(0.7) * np.eye(5)])
        wanted = nnls(stacked, np.concatenate([left, np.zeros(5)]))[0]
        np.testing.assert_allclose(found[person], [*wanted[:3], wanted[3] - wanted[4]], atol=1e-6)


def test_a_nonnegative_person_by_hand() -> None:
    """One rating of 5 around 3, of an item (1) and a bias of zero: x = b = 2 / 3 with a ridge of one."""
    found = np.zeros((1, 2))
    places = np.array([0, 1], np.int64), np.zeros(1, np.int32)
    parts.nonnegative_people(*places, np.array([5], np.float32), np.array([[1.0, 0.0]]), 3.0, 1.0, found)
    assert found[0].tolist() == pytest.approx([2 / 3, 2 / 3])
    # Rated 1 instead, the factor would be negative: it stays at zero, and the bias does what it can.
    parts.nonnegative_people(*places, np.array([1], np.float32), np.array([[1.0, 0.0]]), 3.0, 1.0, found)
    assert found[0].tolist() == pytest.approx([0, -1])
