"""Fixed point: the one place where a real number becomes a whole number of steps, and back."""

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.messages.schema import Field


@nb.njit(cache=True, nogil=True, error_model="numpy")
def to_units(value: float, units_per_one: float, limit: int) -> tuple[int | np.int64, int]:
    """The nearest whole number of units within ±limit, and 1 where it had to be clipped to get there.

    A value that is not a number becomes 0 and counts as clipped: it must not reach a sum.
    """
    scaled = value * units_per_one
    if np.isnan(scaled):
        return 0, 1
    if scaled > limit:
        return limit, 1
    if scaled < -limit:
        return -limit, 1
    return np.int64(np.rint(scaled)), 0


def to_fixed(values: npt.NDArray[np.float64], field: Field) -> tuple[npt.NDArray[np.int32], int]:
    """The values in units of the field, and how many were clipped."""
    units, clipped = _all_to_units(
        np.ascontiguousarray(values, np.float64).reshape(-1), 1 / _step(field), field.units
    )
    return units.reshape(values.shape), int(clipped)


def from_fixed(units: npt.NDArray[np.int64], field: Field) -> npt.NDArray[np.float64]:
    """What the units are worth."""
    return np.multiply(units, _step(field), dtype=np.float64)


def _step(field: Field) -> float:
    if field.step is None:
        raise ValueError(f"field {field.name!r} is not in fixed point")
    return field.step


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _all_to_units(
    values: npt.NDArray[np.float64], units_per_one: float, limit: int
) -> tuple[npt.NDArray[np.int32], int]:
    units = np.empty(len(values), np.int32)
    clipped = 0
    for n in range(len(values)):
        unit, beyond = to_units(values[n], units_per_one, limit)
        units[n] = unit
        clipped += beyond
    return units, clipped
