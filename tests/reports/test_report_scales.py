"""Laws of axes and their ticks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.reports.scales import Axis, decimals, linear_range, linear_ticks, log_range, log_ticks

FINITE = st.floats(min_value=-1e12, max_value=1e12)
POSITIVE = st.floats(min_value=1e-3, max_value=1e15)
COUNTS = st.integers(min_value=1, max_value=12)


@given(FINITE, FINITE, COUNTS)
def test_linear_ticks_lie_in_the_range_sorted_and_few(one: float, other: float, at_most: int) -> None:
    low, high = min(one, other), max(one, other)
    ticks = linear_ticks(low, high, at_most)
    assert len(ticks) <= at_most
    assert ticks == sorted(set(ticks))
    assert all(low <= tick <= high for tick in ticks)


@given(POSITIVE, POSITIVE, COUNTS)
def test_log_ticks_lie_in_the_range_sorted_and_few(one: float, other: float, at_most: int) -> None:
    low, high = min(one, other), max(one, other)
    ticks = log_ticks(low, high, at_most)
    assert len(ticks) <= at_most
    assert ticks == sorted(set(ticks))
    assert all(low <= tick <= high for tick in ticks)


@given(st.floats(min_value=0, max_value=1), st.floats(min_value=0.01, max_value=1e6))
def test_six_linear_ticks_allowed_give_at_least_two(low: float, span: float) -> None:
    assert len(linear_ticks(low, low + span, 6)) >= 2


@given(POSITIVE, st.floats(min_value=1.3, max_value=1e8))
def test_six_log_ticks_allowed_give_at_least_two(low: float, ratio: float) -> None:
    assert len(log_ticks(low, low * ratio, 6)) >= 2


def test_linear_ticks_are_round_numbers() -> None:
    assert linear_ticks(0.08, 0.66, 6) == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert linear_ticks(0, 300, 4) == [0, 100, 200, 300]


def test_log_ticks_are_fine_in_a_short_range_and_coarse_in_a_long_one() -> None:
    assert log_ticks(3e4, 3e6, 6) == [5e4, 1e5, 2e5, 5e5, 1e6, 2e6]
    assert log_ticks(4e4, 2e6, 4) == [1e5, 3e5, 1e6]
    assert log_ticks(1, 1e10, 4) == [1.0, 1e3, 1e6, 1e9]


@pytest.mark.parametrize("ends", [(1.0, 1.0), (2.0, 1.0), (math.nan, 1.0), (0.0, math.inf), (0.0, 5e-324)])
def test_a_range_that_is_none_has_no_linear_ticks(ends: tuple[float, float]) -> None:
    assert linear_ticks(*ends, 5) == []


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_a_linear_axis_places_its_values_in_order_and_inside(values: list[float]) -> None:
    low, high = linear_range(values)
    axis = Axis(low, high, 300.0, 10.0)
    places = [axis.place(value) for value in sorted(values)]
    assert low < high
    assert places == sorted(places, reverse=True)
    assert all(10 <= place <= 300 for place in places)


@given(st.lists(POSITIVE, min_size=1, max_size=20))
def test_a_log_axis_places_its_values_in_order_and_inside(values: list[float]) -> None:
    axis = Axis(*log_range(values), 10.0, 300.0, log=True)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(10 <= place <= 300 for place in places)


@given(st.lists(st.floats(min_value=0, max_value=1), min_size=1, max_size=9))
def test_the_axis_of_a_share_never_leaves_zero_to_one(values: list[float]) -> None:
    low, high = linear_range(values)
    if max(values) > min(values):
        assert 0 <= low < high <= 1


def test_tick_labels_have_the_digits_that_tell_ticks_apart() -> None:
    assert [decimals([0.1, 0.2]), decimals([0.05, 0.1]), decimals([1.0, 2.0]), decimals([])] == [1, 2, 0, 0]
