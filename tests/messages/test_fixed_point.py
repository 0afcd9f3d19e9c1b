"""Fixed point: the nearest step, clipped and counted beyond the limit, and nothing that is no number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.messages.catalogue import SCHEMAS
from covey.messages.fixed import from_fixed, to_fixed
from covey.messages.schema import Field

QUARTERS = Field("quarters", ("n",), "<i4", "nothing", step=0.25, limit=2.0)
SUMMED = [field for schema in SCHEMAS for field in schema.fields if field.step is not None]


def fixed(*values: float) -> tuple[list[int], int]:
    units, clipped = to_fixed(np.array(values, np.float64), QUARTERS)
    return units.tolist(), clipped


def test_values_become_the_nearest_step() -> None:
    assert fixed(0, 0.25, -0.25, 0.3, 0.4, -2, 2) == ([0, 1, -1, 1, 2, -8, 8], 0)


def test_beyond_the_limit_is_clipped_and_counted() -> None:
    assert fixed(2.0001, -2.0001, 1e300, -np.inf, np.inf, 1) == ([8, -8, 8, -8, 8, 4], 5)


def test_what_is_no_number_becomes_nothing_and_is_counted() -> None:
    assert fixed(np.nan, 1) == ([0, 4], 1)


def test_shapes_stay() -> None:
    units, _ = to_fixed(np.zeros((2, 0, 3)), QUARTERS)
    assert units.shape == (2, 0, 3)
    columns = np.asfortranarray(np.arange(6).reshape(2, 3) / 4)
    assert to_fixed(columns, QUARTERS)[0].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("field", SUMMED, ids=lambda field: f"{field.name} by {field.step}")
@given(st.floats(-1, 1))
def test_the_round_trip_is_within_half_a_step(field: Field, part: float) -> None:
    assert field.step is not None
    assert field.limit is not None
    value = np.array([part * field.limit])
    units, clipped = to_fixed(value, field)
    assert clipped == 0
    assert abs(from_fixed(units.astype(np.int64), field)[0] - value[0]) <= field.step / 2


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_no_value_leaves_the_range(value: float) -> None:
    units, _ = fixed(value)
    assert -8 <= units[0] <= 8


@given(st.lists(st.floats(-3, 3, width=32), max_size=40), st.integers(1, 5))
def test_a_weight_multiplies_before_rounding(values: list[float], weight: int) -> None:
    plain = to_fixed(np.array(values, np.float64) * weight, QUARTERS)
    weighed = to_fixed(np.array(values, np.float32), QUARTERS, weight=weight)
    assert (weighed[0].tolist(), weighed[1]) == (plain[0].tolist(), plain[1])


def test_a_field_without_a_step_is_not_rounded() -> None:
    plain = Field("rows", ("touched",), "<i4", "which")
    with pytest.raises(ValueError, match="rows"):
        to_fixed(np.zeros(1), plain)
    with pytest.raises(ValueError, match="rows"):
        _ = plain.units
