"""FCF's device step over many people at once: the same compiled `visit`, one person after another."""

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.aggregation.sums import UpdateSum
from covey.algorithms.crowd import Clipped, Crowd
from covey.errors import ConfigError
from covey.messages.fixed import in_units
from covey.messages.updates import TrainingPlan
from covey.models import factorization as fz
from covey.splits.histories import Histories
from covey.types import Floats, Ints, ItemIndex, PersonIndex

_Counts = npt.NDArray[np.int64]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_row(slope: np.float32, bearing: Floats, weight: float, scale: float, limit: int, line: Ints) -> int:
    """Adds slope times bearing in fixed point to an item's sums; how many were clipped."""
    clipped = 0
    for j in range(len(bearing)):
        units, cut = in_units(slope * bearing[j], weight, scale, limit)
        line[j] += units
        clipped += cut
    return clipped


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _add_outer_product(bearing: Floats, scale: float, limit: int, sums: Ints) -> int:
    """Adds the upper triangle of x x', line after line, in fixed point to its sums; how many were clipped."""
    clipped, at, width = 0, 0, len(bearing)
    for i in range(width):
        clipped += _add_row(bearing[i], bearing[i:], 1.0, scale, limit, sums[at : at + width - i])
        at += width - i
    return clipped


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _visit_people(
    recipe: fz.Recipe, people: PersonIndex, offsets: Ints, history_items: ItemIndex,
    values: npt.NDArray[np.float32], vectors: Floats, table: Floats, centre: float, base: Floats, dense: bool,
    desk: fz.Desk, weight: float, scale: float, limit: int, outer_scale: float,
    outer_limit: int, item_sums: Ints, senders: Ints, shared_sums: Ints, new_vectors: Floats, touched: _Counts,
    clipped: _Counts,
) -> int:  # fmt: skip
    """Adds these people's gradients to the sums; the first person whose factors are not determined, or -1."""
    cut_off = cut_off_shared = 0
    for p in range(len(people)):
        begin, end = offsets[people[p]], offsets[people[p] + 1]
        items = history_items[begin:end]
        new_vectors[p] = vectors[people[p]]
        solved, left = fz.visit(
            recipe, items, values[begin:end], table, centre, base, dense, new_vectors[p], desk
        )
        if not solved:
            return people[p]
        count = len(table) if dense else len(items)
        for n in range(count):
            item = n if dense else items[n]
            senders[item] += 1
            cut_off += _add_row(desk.slopes[n], desk.bearing, weight, scale, limit, item_sums[item])
        touched[p] = count
        if len(shared_sums):
            cut_off_shared += _add_outer_product(desk.bearing, outer_scale, outer_limit, shared_sums)
            if recipe.unobserved == 0:
                units, cut = in_units(np.float32(left), 1.0, outer_scale, outer_limit)
                shared_sums[-1] += units
                cut_off_shared += cut
    clipped[0], clipped[1] = cut_off, cut_off_shared
    return -1


def crowd(histories: Histories, width: int, dense: bool, workers: int) -> Crowd[fz.Desk]:
    """FCF's visits over these people, a thread a worker."""
    largest = int(histories.counts.max(initial=0))
    answers = histories.item_count if dense else largest
    desks = [fz.desk(largest, width, answers) for _ in range(workers)]

    def visit(
        desk: fz.Desk, plan: TrainingPlan, vectors: Floats, people: PersonIndex, total: UpdateSum,
        new_vectors: Floats, touched: Ints,
    ) -> Clipped:  # fmt: skip
        clipped = np.zeros(2, np.int64)
        item, shared = plan.schema.item_field, plan.schema.shared_field
        stuck = _visit_people(
            plan.recipe, people, histories.offsets, histories.item, histories.value, vectors, plan.items,
            fz.centre_of(plan.network), fz.base_of(plan.recipe, plan.items), dense, desk,
            fz.release_weight(plan.recipe),
            item.units / (item.limit or 1), item.units,
            shared.units / (shared.limit or 1) if shared else 0.0, shared.units if shared else 0,
            total.items, total.senders, total.shared, new_vectors, touched, clipped,
        )  # fmt: skip
        if stuck >= 0:
            raise undetermined(int(stuck), len(histories.of(int(stuck))), plan.items.shape[1])
        counts = {item.name: int(clipped[0])}
        return {**counts, shared.name: int(clipped[1])} if shared else counts

    return Crowd(histories, desks, visit)


def undetermined(person: int, rows: int, width: int) -> ConfigError:
    """What to say of somebody whose factors have no one solution."""
    return ConfigError(
        f"the {width} factors of person {person} are not determined by their {rows} rows; "
        "raise regularization above 0"
    )
