"""Central NCF: the federated kernels' mathematics with everybody's rows in one place, as a yardstick.

An epoch draws negatives anew for every person, shuffles all instances together and takes Adam or SGD steps over
the whole tables, as PyTorch's dense optimizers do.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import draws, local, ncf, optimizers
from covey.types import Floats, Ints, ItemIndex


class Tables(NamedTuple):
    """The whole model, with room for its gradient and Adam's moments; changed in place."""

    users: Floats  # [people, width]
    items: Floats  # [items, width]
    network: Floats  # [weights]
    slopes: tuple[Floats, Floats, Floats]
    firsts: tuple[Floats, Floats, Floats]
    seconds: tuple[Floats, Floats, Floats]


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
    batch_size: int, rate: float, adam: bool, steps_done: int, room: ncf.Workspace,
) -> int:  # fmt: skip
    """One pass over the instances in their order; the optimizer steps done so far."""
    parts = (tables.users.reshape(-1), tables.items.reshape(-1), tables.network)
    for begin in range(0, len(label), batch_size):
        end = min(begin + batch_size, len(label))
        ncf.batch_gradient(
            shape, tables.users, tables.items, tables.network, person[begin:end], item[begin:end], label[begin:end],
            tables.slopes[0].reshape(tables.users.shape), tables.slopes[1].reshape(tables.items.shape),
            tables.slopes[2], room,
        )  # fmt: skip
        for n in range(3):
            if adam:
                optimizers.adam(
                    parts[n],
                    tables.slopes[n],
                    tables.firsts[n],
                    tables.seconds[n],
                    len(parts[n]),
                    steps_done,
                    rate,
                )
            else:
                optimizers.sgd(parts[n], tables.slopes[n], len(parts[n]), rate)
        steps_done += 1
    return steps_done


def tables_of(
    users: Floats, items: Floats, network: Floats, moments: dict[str, npt.NDArray[np.float32]]
) -> Tables:
    """Tables over these arrays (not copies); moments by name, at rest where missing."""
    parts = {"users": users, "items": items, "network": network}

    def zeros_or(kind: str) -> tuple[Floats, Floats, Floats]:
        made = [
            moments.get(f"{kind}/{name}", np.zeros(part.size, np.float32)) for name, part in parts.items()
        ]
        return made[0], made[1], made[2]

    return Tables(users, items, network, zeros_or("slope"), zeros_or("first"), zeros_or("second"))
