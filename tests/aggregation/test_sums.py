"""Sums of updates and the three averages."""

from collections.abc import Sequence

import numpy as np
import pytest

from covey.aggregation.averages import mean_change
from covey.aggregation.sums import UpdateSum
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.fixed import to_fixed
from covey.messages.ncf import NCF_UPDATES
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models.local import Recipe
from covey.testing import AggregatorContract

RECIPE = Recipe(4, 1, 64, 0.001, True)


class TestUpdateSum(AggregatorContract):
    def make(self, plan: TrainingPlan, updates: Sequence[ModelUpdate]) -> UpdateSum:
        total = UpdateSum.empty(plan)
        for update in updates:
            total.add(update)
        return total


def plan_for(aggregation: str, items: Sequence[float], network: Sequence[float] = (0.0,)) -> TrainingPlan:
    table = np.array(items, np.float32)[:, None]
    return TrainingPlan(0, aggregation, RECIPE, table, np.array(network, np.float32))


def answer(
    plan: TrainingPlan, instances: int, changes: dict[int, float], network: Sequence[float] = (0.0,)
) -> ModelUpdate:
    """One person's update: item -> change, and the network's change, in the units of the plan's aggregation."""
    schema = UPDATE_SCHEMAS[plan.kind]
    item_weight = instances if plan.kind == "weighted" else 1
    network_weight = 1 if plan.kind == "simple" else instances
    rows = np.array(sorted(changes), np.int32)
    deltas = np.array([[changes[int(row)] * item_weight] for row in rows]).reshape(len(rows), 1)
    items, _ = to_fixed(deltas, schema.field("item_deltas"))
    weights, _ = to_fixed(np.array(network) * network_weight, schema.field("network_deltas"))
    update = ModelUpdate(plan.round, plan.kind, rows, items, weights, instances)
    update.check(plan)
    return update


def mean_of(plan: TrainingPlan, *updates: ModelUpdate) -> tuple[list[float], list[float]]:
    total = TestUpdateSum().make(plan, updates)
    items, network = mean_change(total, plan.kind)
    return items[:, 0].tolist(), network.tolist()


@pytest.mark.parametrize(
    ("aggregation", "published"),
    [
        ("per-item", 0.047),
        ("weighted", (150 * 0.047 + 170 * 0.04) / 320),  # .04328, printed as .0433
        ("simple", 0.0435),
    ],
)
def test_the_worked_example_of_section_3_3(aggregation: str, published: float) -> None:
    """P1 (150 items) moves a weight from .04 to .047; P2 (170 items) has not got that item and leaves it alone."""
    plan = plan_for(aggregation, [0.04, 0.5])
    items, _ = mean_of(plan, answer(plan, 150, {0: 0.007}), answer(plan, 170, {1: 0.0}))
    assert 0.04 + items[0] == pytest.approx(published, abs=1e-6)


def test_per_item_mean_divides_by_senders_not_by_cohort() -> None:
    plan = plan_for("per-item", [0.0, 0.0, 0.0])
    items, _ = mean_of(
        plan,
        answer(plan, 5, {0: 0.5, 1: 0.25}),
        answer(plan, 500, {0: 0.25}),
        answer(plan, 5, {}),
        answer(plan, 5, {}),
    )
    assert items == [0.375, 0.25, 0.0]


def test_weighted_mean_counts_who_left_an_item_alone_as_no_change() -> None:
    plan = plan_for("weighted", [0.0, 0.0])
    assert mean_of(plan, answer(plan, 10, {0: 0.5}), answer(plan, 30, {1: 0.25}))[0] == [0.125, 0.1875]


def test_simple_mean_gives_everybody_one_voice() -> None:
    plan = plan_for("simple", [0.0])
    items, network = mean_of(plan, answer(plan, 1, {0: 0.5}, [1.0]), answer(plan, 999, {}, [0.0]))
    assert (items, network) == ([0.25], [0.5])


@pytest.mark.parametrize("aggregation", ["per-item", "weighted"])
def test_the_network_is_averaged_by_instances(aggregation: str) -> None:
    plan = plan_for(aggregation, [0.0])
    _, network = mean_of(plan, answer(plan, 10, {}, [1.0]), answer(plan, 30, {}, [0.5]))
    assert network == [0.625]


@pytest.mark.parametrize("aggregation", NCF_UPDATES)
def test_the_mean_of_nobody_is_no_change(aggregation: str) -> None:
    plan = plan_for(aggregation, [0.1, 0.2])
    assert mean_of(plan) == ([0.0, 0.0], [0.0])


def test_a_sum_of_very_many_extreme_updates_does_not_wrap() -> None:
    plan = plan_for("per-item", [0.0])
    extreme = answer(plan, 2**40, {0: 64.0}, [64.0 / 2**40])
    total = UpdateSum.empty(plan)
    total.add(extreme)
    for _ in range(31):  # doubled 31 times: two billion people
        total = total.merge(total)
    assert total.people == total.senders[0] == 2**31
    assert mean_change(total, "per-item")[0].tolist() == [[64.0]]
