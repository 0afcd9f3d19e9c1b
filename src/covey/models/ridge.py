"""Weighted ridge regression of one person (or one item) on factors: the closed form of alternating least squares.

    (base + sum_i (c_i - w0) z_i z_i' + ridge I) x = sum_i c_i t_i z_i          w0: the weight that base stands for

With base = w0 Y'Y this is equation 7 of FCF (Ammad-ud-din et al., 2019) without a loop over what a person does not
have (Hu, Koren and Volinsky, 2008). The kernels take float32 and float64 alike.
"""

import math
from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

Reals = npt.NDArray[Any]  # float32 or float64
_PANEL = 32  # columns that are filled together
_LINE = 64  # bytes of a cache line


def cache_aligned(shape: tuple[int, ...], dtype: Any) -> Reals:
    """Room that begins with a cache line and shares none with others.

    What straddles two lines takes half as long again to fill, and two threads that write to one wait for each other.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.empty(size + 2 * _LINE, np.uint8)
    begin = -room.ctypes.data % _LINE
    return room[begin : begin + size].view(dtype).reshape(shape)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def add_outer(rows: Reals, weights: Reals, count: int, square: Reals) -> None:
    """Adds weights[n] rows[n] rows[n]' to the upper triangle of square, for n < count; below it square is of no use."""
    width = rows.shape[1]
    # Eight rows at a time, weighed and side by side in one array: a loop over places in one array need not look, each
    # time that it begins, whether eight overlap with what it writes. The triangle goes by panels of columns, each down to
    # its last diagonal place: loops of a fixed start and length fill the vector registers.
    block = np.empty(8 * _PANEL, rows.dtype)
    for begin in range(0, width, _PANEL):
        end = min(begin + _PANEL, width)
        for n in range(0, count, 8):
            # The last few rows are made up to eight with rows of weight zero.
            for r in range(8):
                row = rows[min(n + r, count - 1), begin:end]
                weight = weights[n + r] if n + r < count else weights[0] * 0
                weighed = block[r * _PANEL : r * _PANEL + len(row)]
                for j in range(len(row)):
                    weighed[j] = weight * row[j]
            row_0, row_1, row_2, row_3 = _four(rows, n, count)
            row_4, row_5, row_6, row_7 = _four(rows, n + 4, count)
            for i in range(end):
                a, b, c, d = row_0[i], row_1[i], row_2[i], row_3[i]
                e, f, g, h = row_4[i], row_5[i], row_6[i], row_7[i]
                line = square[i, begin:end]
                for j in range(len(line)):
                    line[j] += (
                        (a * block[j] + b * block[_PANEL + j])
                        + (c * block[2 * _PANEL + j] + d * block[3 * _PANEL + j])
                    ) + (
                        (e * block[4 * _PANEL + j] + f * block[5 * _PANEL + j])
                        + (g * block[6 * _PANEL + j] + h * block[7 * _PANEL + j])
                    )


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _four(rows: Reals, n: int, count: int) -> tuple[Reals, Reals, Reals, Reals]:
    """Rows n to n + 3; the last row of `count` in place of those beyond."""
    last = count - 1
    return rows[min(n, last)], rows[min(n + 1, last)], rows[min(n + 2, last)], rows[min(n + 3, last)]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def solve_in_place(square: Reals, right: Reals) -> bool:
    """Puts x of square x = right in place of right (Cholesky); False where square is not positive definite.

    What is left of a diagonal by no more than rounding counts as nothing left.

    Reads the upper triangle of square alone, and leaves its factor there and nothing of use below.
    """
    width = len(right)
    rounding = width * np.finfo(square.dtype).eps
    for k in range(width):
        least = rounding * square[k, k]
        # From a multiple of 16 on: whole vector registers, for a few columns that nobody reads.
        begin = k & ~15
        line = square[k, begin:]
        whole = k - k % 8
        for m in range(0, whole, 8):
            up_0, up_1 = square[m, begin:], square[m + 1, begin:]
            up_2, up_3 = square[m + 2, begin:], square[m + 3, begin:]
            up_4, up_5 = square[m + 4, begin:], square[m + 5, begin:]
            up_6, up_7 = square[m + 6, begin:], square[m + 7, begin:]
            a, b, c, d = up_0[k - begin], up_1[k - begin], up_2[k - begin], up_3[k - begin]
            e, f, g, h = up_4[k - begin], up_5[k - begin], up_6[k - begin], up_7[k - begin]
            for j in range(len(line)):
                line[j] -= ((a * up_0[j] + b * up_1[j]) + (c * up_2[j] + d * up_3[j])) + (
                    (e * up_4[j] + f * up_5[j]) + (g * up_6[j] + h * up_7[j])
                )
            right[k] -= ((a * right[m] + b * right[m + 1]) + (c * right[m + 2] + d * right[m + 3])) + (
                (e * right[m + 4] + f * right[m + 5]) + (g * right[m + 6] + h * right[m + 7])
            )
        for m in range(whole, k):
            up = square[m, begin:]
            a = up[k - begin]
            for j in range(len(line)):
                line[j] -= a * up[j]
            right[k] -= a * right[m]
        pivot = line[k - begin]
        if not pivot > least:
            return False
        scale = 1 / np.sqrt(pivot)
        for j in range(len(line)):
            line[j] *= scale
        right[k] *= scale
    for k in range(width - 1, -1, -1):
        right[k] /= square[k, k]
        for i in range(k):
            right[i] -= square[i, k] * right[k]
    return True


@nb.njit(cache=True, nogil=True, error_model="numpy")
def gram(rows: Reals) -> Reals:
    """rows' rows, summed in float64, in the type of the rows."""  # [width, width]
    width = rows.shape[1]
    total = np.zeros((width, width))
    add_outer(rows.astype(np.float64), np.ones(len(rows)), len(rows), total)
    for i in range(width):
        total[i, :i] = total[:i, i]
    return total.astype(rows.dtype)
