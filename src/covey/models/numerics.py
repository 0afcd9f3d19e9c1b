"""Scalar functions whose bits do not depend on a machine's maths library."""

import numba as nb
import numpy as np

_LOG2E = np.float32(1.4426950408889634)
_LN2_HIGH = np.float32(0.693359375)  # few bits, so that its product with an exponent is exact
_LN2_LOW = np.float32(-2.12194440e-4)
_TAYLOR = tuple(np.float32(1 / factorial) for factorial in (1, 1, 2, 6, 24, 120, 720, 5040))
_T0, _T1, _T2, _T3, _T4, _T5, _T6, _T7 = _TAYLOR
_LARGEST = np.float32(60.0)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def exp(x: np.float32) -> np.float32:
    """e to the x for |x| up to 60 (clipped beyond), within 2 units in the last place."""
    x = min(max(x, -_LARGEST), _LARGEST)
    power = np.floor(x * _LOG2E + np.float32(0.5))
    rest = (x - power * _LN2_HIGH) - power * _LN2_LOW
    value = _T6 + rest * _T7
    value = _T5 + rest * value
    value = _T4 + rest * value
    value = _T3 + rest * value
    value = _T2 + rest * value
    value = _T1 + rest * value
    value = _T0 + rest * value
    # Halving the power keeps both factors finite over the whole range.
    half = np.int32(power) >> np.int32(1)
    other = np.int32(power) - half
    return value * _two_to(half) * _two_to(other)


@nb.njit(cache=True, nogil=True)
def _two_to(power: np.int32) -> np.float32:
    return np.int32((power + np.int32(127)) << np.int32(23)).view(np.float32)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def sigmoid(x: np.float32) -> np.float32:
    """1 / (1 + e^-x)."""
    return np.float32(1.0) / (np.float32(1.0) + exp(-x))
