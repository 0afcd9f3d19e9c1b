"""Fixed point: the one place where a real number becomes a whole number of steps, and back."""

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.messages.schema import Field


@nb.njit(cache=True, nogil=True, error_model="numpy")
def in_units(value: Any, weight: float, units_per_one: float, limit: int) -> tuple[np.int32, int]:
    """The value times weight as the nearest whole number within ±limit, and 1 if it was clipped, else 0.

    A value that is not a number becomes 0 and counts as clipped: it must not reach a sum.
    """
    # No branches: choices between two values let the compiler take several numbers at a time.
    scaled = np.float64(value) * weight * units_per_one
    inside = (scaled <= limit) & (scaled >= -limit)
    bounded = min(max(scaled, -limit), limit)
    return np.int32(np.rint(0.0 if np.isnan(scaled) else bounded)), 0 if inside else 1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def fill_units(
    values: npt.NDArray[Any], weight: float, units_per_one: float, limit: int, units: npt.NDArray[np.int32]
) -> int:
    """Fills units with the values times weight, as nearest whole numbers within ±limit; how many were clipped."""
    clipped = 0
    for n in range(len(values)):
        units[n], cut = in_units(values[n], weight, units_per_one, limit)
        clipped += cut
    return clipped


def to_fixed(
    values: npt.NDArray[Any], field: Field, weight: float = 1.0
) -> tuple[npt.NDArray[np.int32], int]:
    """The values times weight in units of the field, and how many were clipped."""
    units = np.empty(values.shape, np.int32)
    flat = np.ascontiguousarray(values).reshape(-1)
    return units, int(fill_units(flat, float(weight), 1 / _step(field), field.units, units.reshape(-1)))


def from_fixed(units: npt.NDArray[np.int64], field: Field) -> npt.NDArray[np.float64]:
    """What the units are worth."""
    return np.multiply(units, _step(field), dtype=np.float64)


def _step(field: Field) -> float:
    if field.step is None:
        raise ValueError(f"field {field.name!r} is not in fixed point")
    return field.step
