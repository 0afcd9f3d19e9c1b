"""One visit of one person: draw instances, keep only the rows they touch, train, and say what changed.

`train_person` is the compiled function that the simulator runs over a population and a device runs for its owner.
It knows the person's training rows, the shared item rows and the network, and nothing else: an item that was held
out is drawn as a negative like any other item that the person does not have, for a device does not know the future.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import draws, ncf, optimizers
from covey.types import Floats, ItemIndex


class Recipe(NamedTuple):
    """What a training plan says about the work at home."""

    negatives: int  # drawn for each positive
    local_epochs: int
    batch_size: int
    learning_rate: float
    adam: bool  # otherwise SGD


class Keys(NamedTuple):
    """Where a device's streams start."""

    negatives: np.uint64
    batches: np.uint64


class Desk(NamedTuple):
    """Room for one visit, made once for the largest history and used again for the next person."""

    slot: npt.NDArray[np.int32]  # [items] local row of an item, -1 where it has none
    rows: ItemIndex  # [instances] item of each local row
    item: ItemIndex  # [instances] item of each instance
    item_row: ItemIndex  # [instances] its local row
    user_row: ItemIndex  # [instances] always 0: one person
    label: Floats  # [instances]
    table: Floats  # [instances, width] local copy of the touched item rows
    table_slope: Floats
    table_first: Floats
    table_second: Floats
    user_slope: Floats  # [1, width]
    user_moments: Floats  # [2, width]
    network: Floats  # [network size]
    network_slope: Floats
    network_moments: Floats  # [2, network size]
    batch: ncf.Workspace
    generator: draws.Generator


def desk(shape: ncf.Shape, recipe: Recipe, item_count: int, largest_history: int) -> Desk:
    """Room for people with at most `largest_history` training rows."""
    instances = max(1, largest_history * (1 + recipe.negatives))
    width, size = shape.width, shape.network_size

    def index(fill: int, count: int) -> npt.NDArray[np.int32]:
        return np.full(count, fill, np.int32)

    def table() -> Floats:
        return np.zeros((min(instances, item_count), width), np.float32)

    return Desk(
        slot=index(-1, item_count),
        rows=index(0, min(instances, item_count)),
        item=index(0, instances),
        item_row=index(0, instances),
        user_row=index(0, instances),
        label=np.zeros(instances, np.float32),
        table=table(),
        table_slope=table(),
        table_first=table(),
        table_second=table(),
        user_slope=np.zeros((1, width), np.float32),
        user_moments=np.zeros((2, width), np.float32),
        network=np.zeros(size, np.float32),
        network_slope=np.zeros(size, np.float32),
        network_moments=np.zeros((2, size), np.float32),
        batch=ncf.workspace(shape, min(recipe.batch_size, instances)),
        generator=np.zeros(1, np.uint64),
    )


@nb.njit(cache=True, nogil=True)
def draw_instances(
    positives: ItemIndex,
    negatives: int,
    slot: npt.NDArray[np.int32],
    item: ItemIndex,
    label: Floats,
    generator: draws.Generator,
) -> int:
    """Fills item and label: every positive, and for each `negatives` items that are no positive; their number.

    A person who has everything gets no negatives. Leaves slot -1 everywhere but at the positives, where it is -2.
    """
    for p in range(len(positives)):
        slot[positives[p]] = np.int32(-2)
    per_positive = negatives if len(positives) < len(slot) else 0
    count = 0
    for p in range(len(positives)):
        item[count], label[count] = positives[p], np.float32(1)
        count += 1
        for _ in range(per_positive):
            drawn = draws.below(generator, len(slot))
            while slot[drawn] == np.int32(-2):
                drawn = draws.below(generator, len(slot))
            item[count], label[count] = drawn, np.float32(0)
            count += 1
    return count


@nb.njit(cache=True, nogil=True)
def shuffle(item: ItemIndex, label: Floats, count: int, generator: draws.Generator) -> None:
    """Shuffles the first `count` instances."""
    for left in range(count - 1, 0, -1):
        other = draws.below(generator, left + 1)
        item[left], item[other] = item[other], item[left]
        label[left], label[other] = label[other], label[left]


@nb.njit(cache=True, nogil=True)
def number_rows(
    item: ItemIndex, count: int, slot: npt.NDArray[np.int32], rows: ItemIndex, item_row: ItemIndex
) -> int:
    """Gives touched items local rows in the order of first touch; their number. Leaves slot clean for the next."""
    # First touch first: until a row's turn has come the optimizer need not look at it.
    used = 0
    for n in range(count):
        if slot[item[n]] < 0:
            slot[item[n]] = np.int32(used)
            rows[used] = item[n]
            used += 1
        item_row[n] = slot[item[n]]
    for row in range(used):
        slot[rows[row]] = np.int32(-1)
    return used


@nb.njit(cache=True, nogil=True, error_model="numpy")
def train_person(
    shape: ncf.Shape,
    recipe: Recipe,
    keys: Keys,
    person: int,
    visit: int,
    positives: ItemIndex,
    user: Floats,
    items: Floats,
    network: Floats,
    desk: Desk,
) -> tuple[int, int]:
    """Trains one person; how many instances and how many item rows that took.

    user [1, width] is changed in place. What changed of the shared model is left in the desk: desk.table[:rows]
    are the new rows of items desk.rows[:rows], desk.network is the new network.
    """
    draws.restart(desk.generator, keys.negatives, person, visit)
    count = draw_instances(positives, recipe.negatives, desk.slot, desk.item, desk.label, desk.generator)
    draws.restart(desk.generator, keys.batches, person, visit)
    shuffle(desk.item, desk.label, count, desk.generator)
    used = number_rows(desk.item, count, desk.slot, desk.rows, desk.item_row)
    _lay_out(items, network, used, recipe.adam, desk)
    _epochs(shape, recipe, user, count, desk)
    return count, used


@nb.njit(cache=True, nogil=True)
def _lay_out(items: Floats, network: Floats, used: int, adam: bool, desk: Desk) -> None:
    """Copies what the visit touches to the desk and puts the optimizer at rest: a fresh one each visit."""
    for row in range(used):
        for j in range(items.shape[1]):
            desk.table[row, j] = items[desk.rows[row], j]
    desk.network[:] = network
    desk.user_slope[:] = 0
    desk.network_slope[:] = 0
    if adam:
        desk.user_moments[:] = 0
        desk.network_moments[:] = 0


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _epochs(shape: ncf.Shape, recipe: Recipe, user: Floats, count: int, desk: Desk) -> None:
    """The local epochs: batch after batch, a step each, reshuffled from the second epoch on."""
    reached = 0
    steps = 0
    for epoch in range(recipe.local_epochs):
        if epoch > 0:
            shuffle(desk.item_row, desk.label, count, desk.generator)
        for begin in range(0, count, recipe.batch_size):
            end = min(begin + recipe.batch_size, count)
            batch_rows = desk.item_row[begin:end]
            known = reached
            for b in range(len(batch_rows)):
                reached = max(reached, batch_rows[b] + 1)
            ncf.batch_gradient(
                shape, user, desk.table, desk.network, desk.user_row[begin:end], batch_rows, desk.label[begin:end],
                desk.user_slope, desk.table_slope, desk.network_slope, desk.batch,
            )  # fmt: skip
            _step(recipe, user, batch_rows, known * user.shape[1], reached * user.shape[1], steps, desk)
            steps += 1


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _step(
    recipe: Recipe,
    user: Floats,
    batch_rows: ItemIndex,
    known: int,
    reached: int,
    steps_done: int,
    desk: Desk,
) -> None:
    """One optimizer step: Adam over everything that the visit has touched so far, SGD over the batch's rows.

    Of the table's numbers the first `known` had a gradient before, those from there to `reached` have their first.
    Both leave the table's slopes zero for the next batch and the next visit.
    """
    rate = recipe.learning_rate
    if recipe.adam:
        table, slope = desk.table.reshape(-1), desk.table_slope.reshape(-1)
        first, second = desk.table_first.reshape(-1), desk.table_second.reshape(-1)
        optimizers.adam(table, slope, first, second, known, steps_done, rate)
        new = slice(known, reached)
        optimizers.adam_first(table[new], slope[new], first[new], second[new], steps_done, rate)
        u, n = desk.user_moments, desk.network_moments
        optimizers.adam(user[0], desk.user_slope[0], u[0], u[1], user.shape[1], steps_done, rate)
        optimizers.adam(desk.network, desk.network_slope, n[0], n[1], len(desk.network), steps_done, rate)
    else:
        optimizers.sgd_rows(desk.table, desk.table_slope, batch_rows, rate)
        optimizers.sgd(user[0], desk.user_slope[0], user.shape[1], rate)
        optimizers.sgd(desk.network, desk.network_slope, len(desk.network), rate)
