"""Claims about numbers as text."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.reports import units


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (0.5, "0.5 B"),
        (560, "560 B"),
        (1_234_567, "1.2 MB"),
        (34_000, "34 kB"),
        (999_700, "1 MB"),
        (9_999, "10 kB"),
        (27_420_000, "27.4 MB"),
        (None, "—"),
        (math.nan, "—"),
        (math.inf, "—"),
    ],
)
def test_bytes_have_a_decimal_prefix_and_no_more_digits_than_they_need(
    number: float | None, text: str
) -> None:
    assert units.bytes_(number) == text


@given(st.floats(min_value=0, max_value=1e18))
def test_bytes_read_back_within_the_rounding_of_two_digits(number: float) -> None:
    figure, unit = units.bytes_(number).split(" ")
    back = float(figure) * 1000.0 ** ["B", "kB", "MB", "GB", "TB", "PB", "EB"].index(unit)
    assert back == pytest.approx(number, rel=0.051, abs=0.01)
    assert float(figure) < 1000


@pytest.mark.parametrize(
    ("duration", "text"),
    [
        (0.0, "0 s"),
        (0.42, "0.42 s"),
        (9.96, "10 s"),
        (59.6, "1 min"),
        (200, "3 min 20 s"),
        (3599.7, "1 h"),
        (7500, "2 h 5 min"),
        (None, "—"),
    ],
)
def test_durations_roll_over_to_the_next_unit(duration: float | None, text: str) -> None:
    assert units.seconds(duration) == text


def test_a_metric_shows_the_digits_that_its_error_leaves_meaningful() -> None:
    assert units.metric(0.61349, 0.0159) == "0.613 ± 0.016"
    assert units.metric(0.58123, 0.0063) == "0.581 ± 0.006"
    assert units.metric(0.58123, 0.0012) == "0.5812 ± 0.0012"
    assert units.metric(0.58123, 0.07) == "0.58 ± 0.07"


def test_a_metric_without_error_has_three_decimals_and_a_missing_one_a_dash() -> None:
    assert [units.metric(0.35), units.metric(None), units.metric(math.nan, 0.1)] == ["0.350", "—", "—"]


def test_a_share_that_exists_is_never_shown_as_nothing() -> None:
    assert [units.share(1, 10_000), units.share(0, 5), units.share(5, 5)] == ["<0.1%", "0.0%", "100.0%"]
    assert units.share(0, 0) == "—"


def test_settings_are_written_as_on_a_command_line() -> None:
    written = [units.value(thing) for thing in (True, 0.05, 1e-5, 0.1234567891, "gmf", [48, 24], {"a": 1})]
    assert written == ["true", "0.05", "1e-05", "0.1234567891", "gmf", "48,24", "a=1"]


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [units.listed(list("abc")[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
