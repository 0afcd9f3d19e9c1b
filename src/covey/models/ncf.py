"""Neural collaborative filtering (He et al., 2017): GMF, MLP and NeuMF as one kernel.

GMF is NeuMF without the tower, MLP is NeuMF without the product. A person's row and an item's row hold the
product's factors first, then the tower's: [gmf | mlp]. The network is one flat array:

    output weights [gmf_factors + last hidden], output bias, then a layer at a time weights [out, in], biases [out]

`batch_gradient` is the whole mathematics: a forward and a backward pass of binary cross-entropy over one batch.
Inside it a batch lies along the last axis, so that every inner loop runs over neighbours in memory.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import numerics
from covey.types import Floats, ItemIndex

MODELS = ("gmf", "mlp", "neumf")


class Shape(NamedTuple):
    """Sizes of a model: which parts it has and how wide they are."""

    gmf_factors: int  # 0: no product
    mlp_factors: int  # 0: no tower
    layers: npt.NDArray[np.int64]  # [layers + 1] widths: 2 * mlp_factors, then the hidden layers

    @property
    def width(self) -> int:
        """Numbers in a person's or an item's row."""
        return self.gmf_factors + self.mlp_factors

    @property
    def last(self) -> int:
        """Units of the tower that reach the output."""
        return int(self.layers[-1]) if self.mlp_factors else 0

    @property
    def network_size(self) -> int:
        """Numbers in the network array."""
        tower = int((self.layers[:-1] * self.layers[1:] + self.layers[1:]).sum()) if self.mlp_factors else 0
        return self.gmf_factors + self.last + 1 + tower

    def forward_operations(self) -> int:
        """Multiply-adds, biases and activations of scoring one (person, item): the published FLOPs count."""
        tower = int((self.layers[:-1] * self.layers[1:] + 2 * self.layers[1:]).sum()) if self.mlp_factors else 0
        return 2 * self.gmf_factors + tower + self.last + 1 + 4

    def training_operations(self) -> int:
        """Floating-point operations of one training instance, forward and backward, multiply and add apart."""
        tower = int((6 * self.layers[:-1] * self.layers[1:] + 4 * self.layers[1:]).sum()) if self.mlp_factors else 0
        return 10 * self.gmf_factors + tower + 6 * self.last + 20


def shape_of(model: str, factors: int, hidden: tuple[int, ...]) -> Shape:
    """The sizes of one of MODELS."""
    gmf = 0 if model == "mlp" else factors
    mlp = 0 if model == "gmf" else factors
    return Shape(gmf, mlp, np.array((2 * mlp, *hidden) if mlp else (0,), np.int64))


class Workspace(NamedTuple):
    """Room for one batch, made once and used again."""

    product: Floats  # [gmf_factors, batch] person's factor times item's
    units: Floats  # [sum of layer widths, batch] activations, layer below layer
    slopes: Floats  # [sum of layer widths, batch] their gradients
    logit: Floats  # [batch]


def workspace(shape: Shape, batch_size: int) -> Workspace:
    """Room for batches of at most `batch_size` instances."""
    units = int(shape.layers.sum())
    return Workspace(
        np.zeros((shape.gmf_factors, batch_size), np.float32),
        np.zeros((units, batch_size), np.float32),
        np.zeros((units, batch_size), np.float32),
        np.zeros(batch_size, np.float32),
    )


@nb.njit(cache=True, nogil=True, error_model="numpy")
def batch_gradient(
    shape: Shape,
    users: Floats,
    items: Floats,
    network: Floats,
    user_row: ItemIndex,
    item_row: ItemIndex,
    label: Floats,
    users_slope: Floats,
    items_slope: Floats,
    network_slope: Floats,
    room: Workspace,
) -> None:
    """Adds the gradient of the batch's mean binary cross-entropy to the three slope arrays."""
    _forward(shape, users, items, network, user_row, item_row, room)
    size = len(label)
    share = np.float32(1.0) / np.float32(size)
    for b in range(size):
        room.logit[b] = (numerics.sigmoid(room.logit[b]) - label[b]) * share
    _output_backward(shape, users, items, network, user_row, item_row, users_slope, items_slope, network_slope, room, size)
    if shape.mlp_factors > 0:
        _tower_backward(shape, network, network_slope, room, size)
        _tower_input_backward(shape, user_row, item_row, users_slope, items_slope, room, size)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _forward(
    shape: Shape, users: Floats, items: Floats, network: Floats, user_row: ItemIndex, item_row: ItemIndex, room: Workspace
) -> None:
    """Fills room.logit for the instances (user_row[b], item_row[b])."""
    gmf, mlp, size = shape.gmf_factors, shape.mlp_factors, len(user_row)
    last = shape.layers[-1] if mlp > 0 else 0
    logit, product = room.logit, room.product
    bias = network[gmf + last]
    for b in range(size):
        total = bias
        u, i = user_row[b], item_row[b]
        for f in range(gmf):
            both = users[u, f] * items[i, f]
            product[f, b] = both
            total += network[f] * both
        logit[b] = total
    if mlp > 0:
        units = room.units
        for b in range(size):
            u, i = user_row[b], item_row[b]
            for f in range(mlp):
                units[f, b] = users[u, gmf + f]
                units[mlp + f, b] = items[i, gmf + f]
        top = _tower_forward(shape, network, units, size)
        for f in range(last):
            weight = network[gmf + f]
            for b in range(size):
                logit[b] += weight * units[top + f, b]


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _tower_forward(shape: Shape, network: Floats, units: Floats, size: int) -> int:
    """Runs the hidden layers over units[:, :size]; the row where the last layer's activations begin."""
    weight = shape.gmf_factors + shape.layers[-1] + 1
    below = 0
    for layer in range(1, len(shape.layers)):
        width_in, width_out = shape.layers[layer - 1], shape.layers[layer]
        above = below + width_in
        bias = weight + width_in * width_out
        for o in range(width_out):
            row = weight + o * width_in
            out = units[above + o]
            for b in range(size):
                out[b] = network[bias + o]
            _add_rows(out, units, below, width_in, network, row, size)
            for b in range(size):
                out[b] = max(out[b], np.float32(0))
        weight = bias + width_out
        below = above
    return below


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _add_rows(out: Floats, rows: Floats, begin: int, count: int, weights: Floats, at: int, size: int) -> None:
    """out += sum over k of weights[at + k] * rows[begin + k], four rows a pass."""
    k = 0
    while k + 4 <= count:
        w0, w1, w2, w3 = weights[at + k], weights[at + k + 1], weights[at + k + 2], weights[at + k + 3]
        r0, r1, r2, r3 = rows[begin + k], rows[begin + k + 1], rows[begin + k + 2], rows[begin + k + 3]
        for b in range(size):
            out[b] += w0 * r0[b] + w1 * r1[b] + w2 * r2[b] + w3 * r3[b]
        k += 4
    while k < count:
        w0 = weights[at + k]
        r0 = rows[begin + k]
        for b in range(size):
            out[b] += w0 * r0[b]
        k += 1


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _dot(left: Floats, right: Floats, size: int) -> np.float32:
    """Sum of products. Reassociated: its last bits depend on the width of the processor's vectors."""
    total = np.float32(0)
    for b in range(size):
        total += left[b] * right[b]
    return total


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _add_dots(into: Floats, at: int, left: Floats, rows: Floats, begin: int, count: int, size: int) -> None:
    """into[at + k] += left · rows[begin + k] for k below count, four rows a pass; reassociated like _dot."""
    k = 0
    while k + 4 <= count:
        r0, r1, r2, r3 = rows[begin + k], rows[begin + k + 1], rows[begin + k + 2], rows[begin + k + 3]
        s0 = s1 = s2 = s3 = np.float32(0)
        for b in range(size):
            s0 += left[b] * r0[b]
            s1 += left[b] * r1[b]
            s2 += left[b] * r2[b]
            s3 += left[b] * r3[b]
        into[at + k] += s0
        into[at + k + 1] += s1
        into[at + k + 2] += s2
        into[at + k + 3] += s3
        k += 4
    while k < count:
        into[at + k] += _dot(left, rows[begin + k], size)
        k += 1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _output_backward(
    shape: Shape,
    users: Floats,
    items: Floats,
    network: Floats,
    user_row: ItemIndex,
    item_row: ItemIndex,
    users_slope: Floats,
    items_slope: Floats,
    network_slope: Floats,
    room: Workspace,
    size: int,
) -> None:
    """Backward through the output and the product; leaves the slope of the tower's last layer in room.slopes."""
    gmf = shape.gmf_factors
    last = shape.layers[-1] if shape.mlp_factors > 0 else 0
    slope = room.logit
    for b in range(size):
        u, i, d = user_row[b], item_row[b], slope[b]
        for f in range(gmf):
            pull = d * network[f]
            users_slope[u, f] += pull * items[i, f]
            items_slope[i, f] += pull * users[u, f]
            network_slope[f] += d * room.product[f, b]
        network_slope[gmf + last] += d
    top = shape.layers.sum() - last
    for f in range(last):
        weight = network[gmf + f]
        network_slope[gmf + f] += _dot(slope, room.units[top + f], size)
        for b in range(size):
            room.slopes[top + f, b] = weight * slope[b]


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _tower_backward(shape: Shape, network: Floats, network_slope: Floats, room: Workspace, size: int) -> None:
    """Backward through the hidden layers, from the last to the tower's input."""
    units, slopes = room.units, room.slopes
    end = len(network)
    above = shape.layers.sum() - shape.layers[-1]
    for back in range(1, len(shape.layers)):
        layer = len(shape.layers) - back
        width_in, width_out = shape.layers[layer - 1], shape.layers[layer]
        bias, weight = end - width_out, end - width_out - width_in * width_out
        below = above - width_in
        for k in range(width_in):
            for b in range(size):
                slopes[below + k, b] = np.float32(0)
        for o in range(width_out):
            out, active = slopes[above + o], units[above + o]
            for b in range(size):
                out[b] = out[b] if active[b] > np.float32(0) else np.float32(0)
        for o in range(width_out):
            network_slope[bias + o] += _sum(slopes[above + o], size)
            _add_dots(network_slope, weight + o * width_in, slopes[above + o], units, below, width_in, size)
        _spread(slopes, below, width_in, above, width_out, network, weight, size)
        end, above = weight, below


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "nsz"})
def _sum(values: Floats, size: int) -> np.float32:
    total = np.float32(0)
    for b in range(size):
        total += values[b]
    return total


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _spread(
    slopes: Floats, below: int, width_in: int, above: int, width_out: int, network: Floats, weight: int, size: int
) -> None:
    """slopes[below + k] += sum over o of weights[o, k] * slopes[above + o], two outputs a pass."""
    for k in range(width_in):
        into = slopes[below + k]
        o = 0
        while o + 2 <= width_out:
            w0, w1 = network[weight + o * width_in + k], network[weight + (o + 1) * width_in + k]
            r0, r1 = slopes[above + o], slopes[above + o + 1]
            for b in range(size):
                into[b] += w0 * r0[b] + w1 * r1[b]
            o += 2
        while o < width_out:
            w0 = network[weight + o * width_in + k]
            r0 = slopes[above + o]
            for b in range(size):
                into[b] += w0 * r0[b]
            o += 1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _tower_input_backward(
    shape: Shape, user_row: ItemIndex, item_row: ItemIndex, users_slope: Floats, items_slope: Floats, room: Workspace, size: int
) -> None:
    """Adds the slopes of the tower's input to the rows that it was gathered from."""
    gmf, mlp = shape.gmf_factors, shape.mlp_factors
    for b in range(size):
        u, i = user_row[b], item_row[b]
        for f in range(mlp):
            users_slope[u, gmf + f] += room.slopes[f, b]
            items_slope[i, gmf + f] += room.slopes[mlp + f, b]
