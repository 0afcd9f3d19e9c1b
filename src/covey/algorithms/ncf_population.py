"""FedNCF's device step over many people at once: the same compiled `train_person`, one person after another.

What a device would put in a message is put in fixed point by the same function and added to whole-number sums
straight away, so that a round of 100,000 people makes no 100,000 messages. The algorithm contract checks that the
sums equal those of `on_device`, bit by bit.
"""

from concurrent.futures import ThreadPoolExecutor

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.aggregation.sums import UpdateSum
from covey.messages.fixed import fill_units
from covey.messages.ncf import UPDATE_SCHEMAS, TrainingPlan
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


def even_shares(work: Ints, shares: int) -> list[Ints]:
    """Positions 0..len(work)-1 in `shares` groups of about the same work, largest piece first."""
    load = np.zeros(shares, np.int64)
    groups: list[list[int]] = [[] for _ in range(shares)]
    for position in np.argsort(-work, kind="stable"):
        lightest = int(load.argmin())
        groups[lightest].append(int(position))
        load[lightest] += work[position] + 1
    return [np.array(group, np.int64) for group in groups]


class Crowd:
    """Runs rounds over a population with a few threads, each at a desk of its own."""

    def __init__(
        self, shape: ncf.Shape, recipe: local.Recipe, keys: local.Keys, histories: Histories, workers: int
    ) -> None:
        self.shape, self.recipe, self.keys, self.histories = shape, recipe, keys, histories
        largest = int(histories.counts.max(initial=0))
        self.desks = [local.desk(shape, recipe, histories.item_count, largest) for _ in range(workers)]
        self.threads = ThreadPoolExecutor(workers) if workers > 1 else None

    def round(
        self, plan: TrainingPlan, vectors: Floats, people: PersonIndex
    ) -> tuple[UpdateSum, Floats, Ints, dict[str, int]]:
        """The sums of a round, the people's new vectors, the rows each touched, and the values clipped a field."""
        new_vectors, touched = (
            np.empty((len(people), vectors.shape[1]), np.float32),
            np.zeros(len(people), np.int64),
        )
        shares = even_shares(self.histories.counts[people], len(self.desks))

        def work(desk: local.Desk, positions: Ints) -> tuple[UpdateSum, _Counts]:
            total, totals = UpdateSum.empty(plan), np.zeros(3, np.int64)
            mine, rows = (
                np.empty((len(positions), vectors.shape[1]), np.float32),
                np.zeros(len(positions), np.int64),
            )
            schema = UPDATE_SCHEMAS[plan.aggregation]
            item, net = schema.field("item_deltas"), schema.field("network_deltas")
            _train_people(
                self.shape, self.recipe, self.keys, plan.round, people[positions],
                self.histories.offsets, self.histories.item, vectors, plan.items, plan.network, desk,
                plan.aggregation == "weighted", item.units / (item.limit or 1), item.units,
                plan.aggregation != "simple", net.units / (net.limit or 1), net.units,
                total.items, total.senders, total.network, mine, rows, totals,
            )  # fmt: skip
            new_vectors[positions], touched[positions] = mine, rows
            total.instances, total.people = int(totals[0]), len(positions)
            return total, totals

        if self.threads is None:
            results = [work(desk, share) for desk, share in zip(self.desks, shares, strict=True)]
        else:
            results = list(self.threads.map(work, self.desks, shares))
        total, counts = results[0]
        for other, more in results[1:]:
            total, counts = total.merge(other), counts + more
        return total, new_vectors, touched, {"item_deltas": int(counts[1]), "network_deltas": int(counts[2])}

    def close(self) -> None:
        """Ends the threads."""
        if self.threads is not None:
            self.threads.shutdown()
