"""FedNCF's device step over many people at once: the same compiled `train_person`, one person after another."""

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.aggregation.sums import UpdateSum
from covey.algorithms.crowd import Clipped, Crowd
from covey.messages.fixed import fill_units
from covey.messages.updates import TrainingPlan
from covey.models import local, ncf
from covey.splits.histories import Histories
from covey.types import Floats, Ints, ItemIndex, PersonIndex

_Counts = npt.NDArray[np.int64]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _train_people(
    shape: ncf.Shape, recipe: local.Recipe, keys: local.Keys, visit: int, people: PersonIndex,
    offsets: Ints, history_items: ItemIndex, vectors: Floats, items: Floats, network: Floats, desk: local.Desk,
    weigh_items: bool, item_scale: float, item_limit: int, weigh_network: bool, network_scale: float, network_limit: int,
    item_sums: Ints, senders: Ints, network_sums: Ints, new_vectors: Floats, touched: _Counts, totals: _Counts,
) -> None:  # fmt: skip
    """Adds these people's changes to the sums; fills new_vectors, touched and totals (instances, clipped x 2)."""
    for p in range(len(people)):
        person = people[p]
        positives = history_items[offsets[person] : offsets[person + 1]]
        new_vectors[p] = vectors[person]
        count, used = local.train_person(
            shape, recipe, keys, person, visit, positives, new_vectors[p : p + 1], items, network, desk
        )
        # The visit is over, so its rows make room for their changes, and its moments for the whole numbers.
        width = items.shape[1]
        change, units = desk.table.reshape(-1)[: used * width], desk.table_first.reshape(-1).view(np.int32)
        for row in range(used):
            for j in range(width):
                desk.table[row, j] -= items[desk.rows[row], j]
        totals[1] += fill_units(change, float(count if weigh_items else 1), item_scale, item_limit, units)
        for row in range(used):
            item = desk.rows[row]
            senders[item] += 1
            for j in range(width):
                item_sums[item, j] += units[row * width + j]
        desk.network[:] -= network
        units = desk.network_moments[0].view(np.int32)
        weight = float(count if weigh_network else 1)
        totals[2] += fill_units(desk.network, weight, network_scale, network_limit, units)
        for n in range(len(network)):
            network_sums[n] += units[n]
        touched[p] = used
        totals[0] += count


def crowd(
    shape: ncf.Shape, recipe: local.Recipe, keys: local.Keys, histories: Histories, workers: int
) -> Crowd[local.Desk]:
    """FedNCF's visits over these people, a thread a worker."""
    largest = int(histories.counts.max(initial=0))
    desks = [local.desk(shape, recipe, histories.item_count, largest) for _ in range(workers)]

    def visit(
        desk: local.Desk, plan: TrainingPlan, vectors: Floats, people: PersonIndex, total: UpdateSum,
        new_vectors: Floats, touched: Ints,
    ) -> Clipped:  # fmt: skip
        totals = np.zeros(3, np.int64)
        item, net = plan.schema.field("item_deltas"), plan.schema.field("network_deltas")
        _train_people(
            shape, recipe, keys, plan.round, people, histories.offsets, histories.item, vectors, plan.items,
            plan.network, desk, plan.kind == "weighted", item.units / (item.limit or 1), item.units,
            plan.kind != "simple", net.units / (net.limit or 1), net.units,
            total.items, total.senders, total.shared, new_vectors, touched, totals,
        )  # fmt: skip
        total.instances = int(totals[0])
        return {item.name: int(totals[1]), net.name: int(totals[2])}

    return Crowd(histories, desks, visit)
