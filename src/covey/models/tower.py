"""A tower of dense ReLU layers over a batch, forward and backward.

A batch lies along the last axis, layer below layer in one array: `units[layer's first row + unit, instance]`.
The inner loops take four outputs and four inputs at a time, which is what keeps the processor's multipliers busy.
They are fused and reassociated: a tower's last bits depend on the processor, not on threads, order or people.
"""

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.types import Floats

Widths = npt.NDArray[np.int64]  # [layers + 1] input width, then the hidden layers


@nb.njit(cache=True, nogil=True, error_model="numpy")
def forward(
    widths: Widths, network: Floats, weights_at: int, units: Floats, common: Floats, size: int
) -> int:
    """Fills the activations above the input rows units[:widths[0], :size]; the first row of the last layer.

    The first len(common) inputs are the same for the whole batch: their values stand in `common`, their rows are
    not read, and the first layer works them out once.
    """
    below, weight = 0, weights_at
    for layer in range(1, len(widths)):
        width_in, width_out = widths[layer - 1], widths[layer]
        above, bias = below + width_in, weight + width_in * width_out
        skip = len(common) if layer == 1 else 0
        for o in range(width_out):
            begin = network[bias + o]
            for k in range(skip):
                begin += network[weight + o * width_in + k] * common[k]
            units[above + o, :size] = begin
        _multiply_add(
            units,
            above,
            width_out,
            units,
            below + skip,
            width_in - skip,
            network,
            weight + skip,
            width_in,
            1,
            size,
        )
        for o in range(width_out):
            out = units[above + o]
            for b in range(size):
                out[b] = max(out[b], np.float32(0))
        below, weight = above, bias + width_out
    return below


@nb.njit(cache=True, nogil=True, error_model="numpy")
def backward(
    widths: Widths, network: Floats, network_slope: Floats, units: Floats, slopes: Floats,
    common: Floats, common_slope: Floats, size: int,
) -> None:  # fmt: skip
    """From the slopes of the last layer's rows to those of the input rows; adds to the weights' slopes.

    The slopes of the inputs that the batch has in common are added to `common_slope`.
    """
    end = len(network)
    above = widths.sum() - widths[-1]
    for back in range(1, len(widths)):
        layer = len(widths) - back
        width_in, width_out = widths[layer - 1], widths[layer]
        bias, weight = end - width_out, end - width_out - width_in * width_out
        below = above - width_in
        skip = len(common) if layer == 1 else 0
        for o in range(width_out):
            out, active = slopes[above + o], units[above + o]
            for b in range(size):
                out[b] = out[b] if active[b] > np.float32(0) else np.float32(0)
            of_batch = total(out, size)
            network_slope[bias + o] += of_batch
            for k in range(skip):
                network_slope[weight + o * width_in + k] += of_batch * common[k]
                common_slope[k] += of_batch * network[weight + o * width_in + k]
        _add_products(
            network_slope,
            weight + skip,
            width_in,
            slopes,
            above,
            width_out,
            units,
            below + skip,
            width_in - skip,
            size,
        )
        slopes[below + skip : below + width_in, :size] = 0
        _multiply_add(
            slopes,
            below + skip,
            width_in - skip,
            slopes,
            above,
            width_out,
            network,
            weight + skip,
            1,
            width_in,
            size,
        )
        end, above = weight, below


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz"})
def total(values: Floats, size: int) -> np.float32:
    """Sum of the first `size` values."""
    result = np.float32(0)
    for b in range(size):
        result += values[b]
    return result


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def dot(left: Floats, right: Floats, size: int) -> np.float32:
    """Sum of the first `size` products."""
    result = np.float32(0)
    for b in range(size):
        result += left[b] * right[b]
    return result


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _multiply_add(
    out: Floats, out_at: int, outs: int, into: Floats, in_at: int, ins: int,
    weights: Floats, at: int, out_stride: int, in_stride: int, size: int,
) -> None:  # fmt: skip
    """out[out_at + o] += sum over i of weights[at + o * out_stride + i * in_stride] * into[in_at + i]."""
    blocked_outs, blocked_ins = outs - outs % 4, ins - ins % 4
    for o in range(0, blocked_outs, 4):
        y0, y1, y2, y3 = out[out_at + o], out[out_at + o + 1], out[out_at + o + 2], out[out_at + o + 3]
        for i in range(0, blocked_ins, 4):
            x0, x1, x2, x3 = into[in_at + i], into[in_at + i + 1], into[in_at + i + 2], into[in_at + i + 3]
            w = at + o * out_stride + i * in_stride
            a0, a1, a2, a3 = _four(weights, w, in_stride)
            b0, b1, b2, b3 = _four(weights, w + out_stride, in_stride)
            c0, c1, c2, c3 = _four(weights, w + 2 * out_stride, in_stride)
            d0, d1, d2, d3 = _four(weights, w + 3 * out_stride, in_stride)
            for b in range(size):
                v0, v1, v2, v3 = x0[b], x1[b], x2[b], x3[b]
                y0[b] += a0 * v0 + a1 * v1 + a2 * v2 + a3 * v3
                y1[b] += b0 * v0 + b1 * v1 + b2 * v2 + b3 * v3
                y2[b] += c0 * v0 + c1 * v1 + c2 * v2 + c3 * v3
                y3[b] += d0 * v0 + d1 * v1 + d2 * v2 + d3 * v3
    # What the blocks leave over: whole rows of outputs, and the last inputs of the others.
    for o in range(outs):
        y = out[out_at + o]
        for i in range(blocked_ins if o < blocked_outs else 0, ins):
            weight, x = weights[at + o * out_stride + i * in_stride], into[in_at + i]
            for b in range(size):
                y[b] += weight * x[b]


@nb.njit(cache=True, nogil=True)
def _four(weights: Floats, at: int, stride: int) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    return weights[at], weights[at + stride], weights[at + 2 * stride], weights[at + 3 * stride]


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _add_products(
    into: Floats, at: int, stride: int,
    left: Floats, left_at: int, lefts: int, right: Floats, right_at: int, rights: int, size: int,
) -> None:  # fmt: skip
    """into[at + l * stride + r] += left[left_at + l] · right[right_at + r]."""
    blocked_lefts, blocked_rights = lefts - lefts % 2, rights - rights % 4
    for p in range(0, blocked_lefts, 2):
        y, z = left[left_at + p], left[left_at + p + 1]
        for r in range(0, blocked_rights, 4):
            x0, x1, x2, x3 = (
                right[right_at + r],
                right[right_at + r + 1],
                right[right_at + r + 2],
                right[right_at + r + 3],
            )
            s0 = s1 = s2 = s3 = t0 = t1 = t2 = t3 = np.float32(0)
            for b in range(size):
                v0, v1, v2, v3 = x0[b], x1[b], x2[b], x3[b]
                s0 += y[b] * v0
                s1 += y[b] * v1
                s2 += y[b] * v2
                s3 += y[b] * v3
                t0 += z[b] * v0
                t1 += z[b] * v1
                t2 += z[b] * v2
                t3 += z[b] * v3
            cell, next_cell = at + p * stride + r, at + (p + 1) * stride + r
            into[cell] += s0
            into[cell + 1] += s1
            into[cell + 2] += s2
            into[cell + 3] += s3
            into[next_cell] += t0
            into[next_cell + 1] += t1
            into[next_cell + 2] += t2
            into[next_cell + 3] += t3
    for p in range(lefts):
        for r in range(blocked_rights if p < blocked_lefts else 0, rights):
            into[at + p * stride + r] += dot(left[left_at + p], right[right_at + r], size)
