"""Neural collaborative filtering (He et al., 2017): GMF, MLP and NeuMF as one kernel.

GMF is NeuMF without the tower, MLP is NeuMF without the product. A person's row and an item's row hold the
product's factors first, then the tower's: [gmf | mlp]. The network is one flat array:

    output weights [gmf_factors + last hidden], output bias, then a layer at a time weights [out, in], biases [out]

`batch_gradient` is the whole mathematics: a forward and a backward pass of binary cross-entropy over one batch.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import numerics, tower
from covey.types import Floats, ItemIndex

MODELS = ("gmf", "mlp", "neumf")
_U1, _U2, _U3, _U4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


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
        tower = (
            int((self.layers[:-1] * self.layers[1:] + 2 * self.layers[1:]).sum()) if self.mlp_factors else 0
        )
        return 2 * self.gmf_factors + tower + self.last + 1 + 4

    def training_operations(self) -> int:
        """Floating-point operations of one training instance, forward and backward, as the kernel does them.

        Multiply and add count apart; the person's half of the first layer is worked out once a batch, not counted.
        """
        tower = 0
        if self.mlp_factors:
            inputs = self.layers[:-1].copy()
            inputs[0] = self.mlp_factors
            tower = int((6 * inputs * self.layers[1:] + 4 * self.layers[1:]).sum())
        return 6 * self.gmf_factors + tower + 6 * self.last + 20


def shape_of(model: str, factors: int, hidden: tuple[int, ...]) -> Shape:
    """The sizes of one of MODELS."""
    gmf = 0 if model == "mlp" else factors
    mlp = 0 if model == "gmf" else factors
    return Shape(gmf, mlp, np.array((2 * mlp, *hidden) if mlp else (0,), np.int64))


class Workspace(NamedTuple):
    """Room for one batch, made once and used again."""

    pull: Floats  # [gmf_factors] output weight times the person's factor
    gathered: Floats  # [gmf_factors] the batch's items, weighed by their slopes
    units: Floats  # [sum of layer widths, batch] activations, layer below layer
    slopes: Floats  # [sum of layer widths, batch] their gradients
    logit: Floats  # [batch]


def workspace(shape: Shape, batch_size: int) -> Workspace:
    """Room for batches of at most `batch_size` instances."""
    units = int(shape.layers.sum())
    return Workspace(
        np.zeros(shape.gmf_factors, np.float32),
        np.zeros(shape.gmf_factors, np.float32),
        np.zeros((units, batch_size), np.float32),
        np.zeros((units, batch_size), np.float32),
        np.zeros(batch_size, np.float32),
    )


@nb.njit(cache=True, nogil=True, error_model="numpy")
def batch_gradient(
    shape: Shape, users: Floats, items: Floats, network: Floats,
    user_row: ItemIndex, item_row: ItemIndex, label: Floats,
    users_slope: Floats, items_slope: Floats, network_slope: Floats, room: Workspace,
) -> None:  # fmt: skip
    """Adds the gradient of the batch's mean binary cross-entropy to the three slope arrays."""
    size = len(label)
    one_person = len(users) == 1
    if one_person:
        _product_of_one(shape, users[0], items, network, item_row, room)
    else:
        _product(shape, users, items, network, user_row, item_row, room)
    if shape.mlp_factors > 0:
        _tower(shape, users, items, network, user_row, item_row, room)
    share = np.float32(1.0) / np.float32(size)
    for b in range(size):
        room.logit[b] = (numerics.sigmoid(room.logit[b]) - label[b]) * share
    if one_person:
        _product_of_one_backward(
            shape, users[0], items, network, item_row, users_slope[0], items_slope, network_slope, room
        )
    else:
        _product_backward(
            shape, users, items, network, user_row, item_row, users_slope, items_slope, network_slope, room
        )
    if shape.mlp_factors > 0:
        _tower_backward(
            shape, users, network, user_row, item_row, users_slope, items_slope, network_slope, room
        )


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _product(
    shape: Shape,
    users: Floats,
    items: Floats,
    network: Floats,
    user_row: ItemIndex,
    item_row: ItemIndex,
    room: Workspace,
) -> None:
    """room.logit = output bias + weighted product of the person's and the item's factors."""
    gmf = shape.gmf_factors
    bias = network[_bias_at(shape)]
    for b in range(len(item_row)):
        u, i = user_row[b], item_row[b]
        logit = bias
        for f in range(gmf):
            logit += network[f] * users[u, f] * items[i, f]
        room.logit[b] = logit


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _product_of_one(
    shape: Shape, user: Floats, items: Floats, network: Floats, item_row: ItemIndex, room: Workspace
) -> None:
    """As _product where the whole batch is one person's: weights and person are multiplied once."""
    gmf = shape.gmf_factors
    bias, pull, logit, flat = network[_bias_at(shape)], room.pull, room.logit, items.reshape(-1)
    for f in range(gmf):
        pull[f] = network[f] * user[f]
    # Unsigned positions: a signed one is checked for counting from the end at every read.
    width, blocks = np.uint64(items.shape[1]), np.uint64(gmf // 4)
    for b in range(len(item_row)):
        at, f = np.uint64(item_row[b]) * width, np.uint64(0)
        # Four sums side by side: one alone would wait for each addition to end.
        s0 = s1 = s2 = s3 = np.float32(0)
        for _ in range(blocks):
            s0 += pull[f] * flat[at + f]
            s1 += pull[f + _U1] * flat[at + f + _U1]
            s2 += pull[f + _U2] * flat[at + f + _U2]
            s3 += pull[f + _U3] * flat[at + f + _U3]
            f += _U4
        while f < np.uint64(gmf):
            s0 += pull[f] * flat[at + f]
            f += _U1
        logit[b] = bias + ((s0 + s1) + (s2 + s3))


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _product_backward(
    shape: Shape, users: Floats, items: Floats, network: Floats, user_row: ItemIndex, item_row: ItemIndex,
    users_slope: Floats, items_slope: Floats, network_slope: Floats, room: Workspace,
) -> None:  # fmt: skip
    """Backward through the product and the output bias, from the slopes in room.logit."""
    gmf, bias_at = shape.gmf_factors, _bias_at(shape)
    for b in range(len(item_row)):
        u, i, slope = user_row[b], item_row[b], room.logit[b]
        for f in range(gmf):
            pull = slope * network[f]
            network_slope[f] += slope * users[u, f] * items[i, f]
            users_slope[u, f] += pull * items[i, f]
            items_slope[i, f] += pull * users[u, f]
        network_slope[bias_at] += slope


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _product_of_one_backward(
    shape: Shape, user: Floats, items: Floats, network: Floats, item_row: ItemIndex,
    user_slope: Floats, items_slope: Floats, network_slope: Floats, room: Workspace,
) -> None:  # fmt: skip
    """As _product_backward for one person: the items' slopes are summed once and shared out at the end."""
    gmf, bias_at = shape.gmf_factors, _bias_at(shape)
    pull, gathered, bias_slope = room.pull, room.gathered, network_slope[bias_at]
    gathered[:] = 0
    for b in range(len(item_row)):
        i, slope = item_row[b], room.logit[b]
        for f in range(gmf):
            gathered[f] += slope * items[i, f]
        for f in range(gmf):
            items_slope[i, f] += slope * pull[f]
        bias_slope += slope
    network_slope[bias_at] = bias_slope
    for f in range(gmf):
        user_slope[f] += network[f] * gathered[f]
        network_slope[f] += user[f] * gathered[f]


@nb.njit(cache=True, nogil=True)
def _bias_at(shape: Shape) -> int:
    """Where the output bias lies in the network array."""
    return shape.gmf_factors + (shape.layers[-1] if shape.mlp_factors > 0 else 0)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _tower(
    shape: Shape,
    users: Floats,
    items: Floats,
    network: Floats,
    user_row: ItemIndex,
    item_row: ItemIndex,
    room: Workspace,
) -> None:
    """Adds the tower's part to room.logit."""
    gmf, mlp, size = shape.gmf_factors, shape.mlp_factors, len(item_row)
    common = _common(shape, users)
    for b in range(size):
        for f in range(mlp):
            room.units[mlp + f, b] = items[item_row[b], gmf + f]
        for f in range(mlp if len(common) == 0 else 0):
            room.units[f, b] = users[user_row[b], gmf + f]
    top = tower.forward(shape.layers, network, _bias_at(shape) + 1, room.units, common, size)
    for f in range(shape.layers[-1]):
        weight, unit = network[gmf + f], room.units[top + f]
        for b in range(size):
            room.logit[b] += weight * unit[b]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _common(shape: Shape, users: Floats) -> Floats:
    """The tower's inputs that a whole batch shares: the person's half where there is one person, else nothing."""
    flat = users.reshape(-1)
    return flat[shape.gmf_factors :] if len(users) == 1 else flat[:0]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _tower_backward(
    shape: Shape, users: Floats, network: Floats, user_row: ItemIndex, item_row: ItemIndex,
    users_slope: Floats, items_slope: Floats, network_slope: Floats, room: Workspace,
) -> None:  # fmt: skip
    """Backward through the tower, from the slopes in room.logit to the rows that its input was gathered from."""
    gmf, mlp, size = shape.gmf_factors, shape.mlp_factors, len(item_row)
    top = shape.layers.sum() - shape.layers[-1]
    for f in range(shape.layers[-1]):
        network_slope[gmf + f] += tower.dot(room.logit, room.units[top + f], size)
        weight, slope = network[gmf + f], room.slopes[top + f]
        for b in range(size):
            slope[b] = weight * room.logit[b]
    common = _common(shape, users)
    tower.backward(
        shape.layers,
        network,
        network_slope,
        room.units,
        room.slopes,
        common,
        _common(shape, users_slope),
        size,
    )
    for b in range(size):
        for f in range(mlp):
            items_slope[item_row[b], gmf + f] += room.slopes[mlp + f, b]
        for f in range(mlp if len(common) == 0 else 0):
            users_slope[user_row[b], gmf + f] += room.slopes[f, b]
