"""Central NCF: the federated kernels' mathematics with everybody's rows in one place, as a yardstick.

An epoch draws negatives anew for every person, shuffles all instances together and takes Adam or SGD steps over
the whole tables, as PyTorch's dense optimizers do. Beside them a running mean of the weights can be kept.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import draws, local, ncf, optimizers
from covey.types import Floats, Ints, ItemIndex

_MEANS_AN_EPOCH = 256  # more would cost time and, in single precision, round their small shares away

Parts = tuple[Floats, Floats, Floats]  # of users, items and the network, each flat


class Recipe(NamedTuple):
    """What an epoch does with its instances."""

    batch_size: int
    rate: float
    adam: bool  # otherwise SGD
    regularization: float = 0.0  # lambda of the two rows that an instance reads
    averaging: float = 0.0  # epochs that the running mean looks back over; 0: none is kept


class Tables(NamedTuple):
    """The whole model, with room for its gradient, Adam's moments and its mean; changed in place."""

    users: Floats  # [people, width]
    items: Floats  # [items, width]
    network: Floats  # [weights]
    slopes: Parts
    firsts: Parts
    seconds: Parts
    means: Parts  # read and written where a mean is kept


@nb.njit(cache=True, nogil=True)
def draw_everybody(
    offsets: Ints, history_items: ItemIndex, item_count: int, negatives: int, epoch: int, key: np.uint64
) -> tuple[ItemIndex, ItemIndex, Floats]:
    """The epoch's instances in a shuffled order: person, item, label."""
    room = len(history_items) * (1 + negatives)
    person, item, label = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.float32)
    slot, generator = np.full(item_count, -1, np.int32), np.zeros(1, np.uint64)
    count = 0
    for p in range(len(offsets) - 1):
        positives = history_items[offsets[p] : offsets[p + 1]]
        draws.restart(generator, key, p, epoch)
        drawn = local.draw_instances(positives, negatives, slot, item[count:], label[count:], generator)
        person[count : count + drawn] = p
        slot[positives] = np.int32(-1)
        count += drawn
    draws.restart(generator, key, -1, epoch)
    for left in range(count - 1, 0, -1):
        other = draws.below(generator, left + 1)
        person[left], person[other] = person[other], person[left]
        item[left], item[other] = item[other], item[left]
        label[left], label[other] = label[other], label[left]
    return person[:count], item[:count], label[:count]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def train_epoch(
    shape: ncf.Shape, tables: Tables, person: ItemIndex, item: ItemIndex, label: Floats,
    recipe: Recipe, steps_done: int, room: ncf.Workspace,
) -> int:  # fmt: skip
    """One pass over the instances in their order; the optimizer steps done so far."""
    parts = (tables.users.reshape(-1), tables.items.reshape(-1), tables.network)
    size, adam = recipe.batch_size, recipe.adam
    steps = (len(label) + size - 1) // size
    gap = max(1, steps // _MEANS_AN_EPOCH)
    means_done = steps_done // max(1, steps) * (steps // gap)  # every epoch has as many instances
    for step in range(steps):
        begin, end = step * size, min(step * size + size, len(label))
        ncf.batch_gradient(
            shape, tables.users, tables.items, tables.network, person[begin:end], item[begin:end], label[begin:end],
            tables.slopes[0].reshape(tables.users.shape), tables.slopes[1].reshape(tables.items.shape),
            tables.slopes[2], room,
        )  # fmt: skip
        if recipe.regularization > 0:
            share = np.float32(recipe.regularization / (end - begin))
            _add_penalty(tables.users, tables.slopes[0], person[begin:end], share)
            _add_penalty(tables.items, tables.slopes[1], item[begin:end], share)
        for n in range(3):
            if adam:
                optimizers.adam(
                    parts[n],
                    tables.slopes[n],
                    tables.firsts[n],
                    tables.seconds[n],
                    len(parts[n]),
                    steps_done,
                    recipe.rate,
                )
            else:
                optimizers.sgd(parts[n], tables.slopes[n], len(parts[n]), recipe.rate)
        steps_done += 1
        if recipe.averaging > 0 and (step + 1) % gap == 0:
            means_done += 1
            # The plain mean until there is as much as it looks back over.
            share = np.float32(max(1 / means_done, min(1.0, 1 / (recipe.averaging * (steps // gap)))))
            for n in range(3):
                _approach(tables.means[n], parts[n], share)
    return steps_done


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_penalty(table: Floats, slope: Floats, rows: ItemIndex, share: np.float32) -> None:
    """Adds the slope of share / 2 times a row's square for each time that the row is named."""
    flat, width = table.reshape(-1), table.shape[1]
    for b in range(len(rows)):
        at = rows[b] * width
        for f in range(width):
            slope[at + f] += share * flat[at + f]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _approach(mean: Floats, value: Floats, share: np.float32) -> None:
    """Takes the mean a share of the way to the value."""
    for n in range(len(mean)):
        mean[n] += share * (value[n] - mean[n])


def tables_of(
    users: Floats, items: Floats, network: Floats, moments: dict[str, npt.NDArray[np.float32]]
) -> Tables:
    """Tables over these arrays (not copies); moments and means by name, at rest where missing."""
    parts = {"users": users, "items": items, "network": network}

    def zeros_or(kind: str) -> Parts:
        made = [
            moments.get(f"{kind}/{name}", np.zeros(part.size, np.float32)) for name, part in parts.items()
        ]
        return made[0], made[1], made[2]

    kinds = ("slope", "first", "second", "mean")
    return Tables(users, items, network, *(zeros_or(kind) for kind in kinds))
