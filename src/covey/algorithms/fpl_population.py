"""FPL's device step over many people at once, and whole passes of rounds of one person in one call.

Both run the compiled `bpr.train_person` that a device runs, and put changes in fixed point by the same function.
"""

from collections.abc import Sequence

import numba as nb
import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.algorithms.crowd import Clipped, Crowd
from covey.messages.fixed import fill_units
from covey.messages.schema import Field
from covey.messages.updates import TrainingPlan
from covey.models import bpr
from covey.privacy.disclosure import Choices, share_of
from covey.splits.histories import Histories
from covey.types import Floats, Ints, ItemFactors, ItemIndex, PersonIndex


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _visit_people(
    recipe: bpr.Recipe, keys: bpr.Keys, choices: Choices, visit: int, people: PersonIndex,
    offsets: Ints, positives: ItemIndex, vectors: Floats, items: ItemFactors, desk: bpr.Desk,
    scale: float, limit: int, item_sums: Ints, senders: Ints, new_vectors: Floats, touched: Ints,
) -> int:  # fmt: skip
    """Adds these people's changes to the sums and fills new_vectors and touched; how many values were clipped."""
    width, clipped = items.shape[1], 0
    units = np.empty(len(desk.rows) * width, np.int32)
    for p in range(len(people)):
        person = people[p]
        new_vectors[p] = vectors[person]
        share = share_of(choices, person, desk.generator)
        mine = positives[offsets[person] : offsets[person + 1]]
        used = bpr.train_person(recipe, keys, share, person, visit, mine, new_vectors[p], items, desk)
        clipped += fill_units(desk.changes.reshape(-1)[: used * width], 1.0, scale, limit, units)
        for row in range(used):
            item = desk.rows[row]
            senders[item] += 1
            for j in range(width):
                item_sums[item, j] += units[row * width + j]
        touched[p] = used
    return clipped


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _rounds_of_one(
    recipe: bpr.Recipe, keys: bpr.Keys, choices: Choices, first_round: int, people: PersonIndex,
    offsets: Ints, positives: ItemIndex, vectors: Floats, items: ItemFactors, desk: bpr.Desk,
    scale: float, limit: int, worth: float, rate: float, touched: Ints,
) -> int:  # fmt: skip
    """A round for each of these people in turn: the visit, and the server's step on the rows that it sent.

    Changes vectors and items in place and fills touched; how many values were clipped.
    """
    width, clipped = items.shape[1], 0
    units = np.empty(len(desk.rows) * width, np.int32)
    for n in range(len(people)):
        person = people[n]
        share = share_of(choices, person, desk.generator)
        mine = positives[offsets[person] : offsets[person + 1]]
        used = bpr.train_person(
            recipe, keys, share, person, first_round + n, mine, vectors[person], items, desk
        )  # fmt: skip
        clipped += fill_units(desk.changes.reshape(-1)[: used * width], 1.0, scale, limit, units)
        for row in range(used):
            item = desk.rows[row]
            for j in range(width):
                # As `from_fixed` and `server_step` have it: worth first, then the rate, then one rounding.
                moved = np.float64(items[item, j]) + rate * (np.float64(units[row * width + j]) * worth)
                items[item, j] = np.float32(moved)
        touched[n] = used
    return clipped


class OneByOne(Crowd[bpr.Desk]):
    """FPL's visits over a population, a thread a worker; rounds of one person also many in one call."""

    def __init__(
        self,
        recipe: bpr.Recipe,
        keys: bpr.Keys,
        choices: Choices,
        histories: Histories,
        desks: Sequence[bpr.Desk],
    ) -> None:
        self.recipe, self.keys, self.choices = recipe, keys, choices
        self.offsets, self.positives = bpr.liked_items(
            histories.offsets, histories.item, histories.item_count
        )
        # A visit is T triples, whatever the person has.
        alike = np.full(histories.people_count, recipe.triples, np.int64)
        super().__init__(histories, desks, self._visit, work=alike)

    def _visit(
        self, desk: bpr.Desk, plan: TrainingPlan, vectors: Floats, people: PersonIndex, total: UpdateSum,
        new_vectors: Floats, touched: Ints,
    ) -> Clipped:  # fmt: skip
        field = plan.schema.item_field
        clipped = _visit_people(
            self.recipe, self.keys, self.choices, plan.round, people, self.offsets, self.positives, vectors,
            plan.items, desk, *_fixed(field), total.items, total.senders, new_vectors, touched,
        )  # fmt: skip
        return {field.name: int(clipped)}

    def rounds_of_one(
        self, plan: TrainingPlan, vectors: Floats, people: PersonIndex
    ) -> tuple[dict[str, Floats], Floats, Ints, Clipped]:
        """What as many rounds come to, one person each, from this plan's on: the model's arrays, everybody's
        vectors, the rows that each round touched, and the values clipped a field."""
        # One copy for all rounds: a round that fails must leave what it began with.
        items, vectors, field = plan.items.copy(), vectors.copy(), plan.schema.item_field
        touched = np.zeros(len(people), np.int64)
        clipped = _rounds_of_one(
            self.recipe, self.keys, self.choices, plan.round, people, self.offsets, self.positives, vectors, items,
            self.desks[0], *_fixed(field), field.step or 1.0, self.recipe.learning_rate, touched,
        )  # fmt: skip
        return {"items": items}, vectors, touched, {field.name: int(clipped)}


def _fixed(field: Field) -> tuple[float, int]:
    """Units of one, and the limit in units."""
    return 1 / (field.step or 1.0), field.units


def one_by_one(
    recipe: bpr.Recipe, keys: bpr.Keys, choices: Choices, factors: int, histories: Histories, workers: int
) -> OneByOne:
    """The population step over these people."""
    desks = [bpr.desk(recipe, histories.item_count, factors + 1) for _ in range(workers)]
    return OneByOne(recipe, keys, choices, histories, desks)
