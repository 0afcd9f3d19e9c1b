"""What a step does with a gradient: plain SGD, and Adam with PyTorch's dense meaning (momentum moves every row)."""

import numba as nb
import numpy as np

from covey.types import Floats, ItemIndex

OPTIMIZERS = ("adam", "sgd")
_DECAY_1, _DECAY_2 = 0.9, 0.999
_KEEP_1, _NEW_1 = np.float32(_DECAY_1), np.float32(1 - _DECAY_1)
_KEEP_2, _NEW_2 = np.float32(_DECAY_2), np.float32(1 - _DECAY_2)
_EPSILON = np.float32(1e-8)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def adam(
    weights: Floats, gradient: Floats, first: Floats, second: Floats, size: int, steps_done: int, rate: float
) -> None:
    """Moves the first `size` weights one Adam step (Kingma and Ba, 2015) and clears their gradient.

    A weight whose gradient and moments are zero stays where it is, so rows that a person never touches can be
    left out of the arrays without changing a bit of the others.
    """
    step = np.float64(steps_done + 1)
    scaled_rate = np.float32(rate / (1.0 - _DECAY_1**step))
    root_correction = np.float32(1.0 / np.sqrt(1.0 - _DECAY_2**step))
    for i in range(size):
        slope = gradient[i]
        first[i] = _KEEP_1 * first[i] + _NEW_1 * slope
        second[i] = _KEEP_2 * second[i] + _NEW_2 * slope * slope
        weights[i] -= scaled_rate * first[i] / (np.sqrt(second[i]) * root_correction + _EPSILON)
        gradient[i] = np.float32(0)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def adam_first(
    weights: Floats, gradient: Floats, first: Floats, second: Floats, steps_done: int, rate: float
) -> None:
    """As adam for weights that had no gradient until now: whatever their moments hold is not read."""
    step = np.float64(steps_done + 1)
    scaled_rate = np.float32(rate / (1.0 - _DECAY_1**step))
    root_correction = np.float32(1.0 / np.sqrt(1.0 - _DECAY_2**step))
    for i in range(len(weights)):
        slope = gradient[i]
        first[i] = _NEW_1 * slope
        second[i] = _NEW_2 * slope * slope
        weights[i] -= scaled_rate * first[i] / (np.sqrt(second[i]) * root_correction + _EPSILON)
        gradient[i] = np.float32(0)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def sgd(weights: Floats, gradient: Floats, size: int, rate: float) -> None:
    """Moves the first `size` weights against their gradient and clears it."""
    rate_f32 = np.float32(rate)
    for i in range(size):
        weights[i] -= rate_f32 * gradient[i]
        gradient[i] = np.float32(0)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def sgd_rows(weights: Floats, gradient: Floats, rows: ItemIndex, rate: float) -> None:
    """As sgd for the named rows of a table; the others have no gradient and would not move."""
    rate_f32 = np.float32(rate)
    for n in range(len(rows)):
        row = rows[n]
        # A row that is named twice has no gradient left the second time.
        for j in range(weights.shape[1]):
            weights[row, j] -= rate_f32 * gradient[row, j]
            gradient[row, j] = np.float32(0)
