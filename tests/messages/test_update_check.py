"""ModelUpdate.check: each way of being malformed is refused with its reason."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from covey.errors import MessageError
from covey.messages.ncf import UPDATE_SCHEMAS, ModelUpdate, TrainingPlan
from covey.models.local import Recipe

PLAN = TrainingPlan(
    4, "per-item", Recipe(4, 1, 64, 0.001, True), np.zeros((5, 2), np.float32), np.zeros(3, np.float32)
)


def rows(*numbers: int) -> Any:
    return np.array(numbers, np.int32)


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.int32)


GOOD = ModelUpdate(4, "per-item", rows(0, 4), zeros(2, 2), zeros(3), 10)


def test_a_good_update_passes() -> None:
    GOOD.check(PLAN)
    replace(GOOD, rows=rows(), item_deltas=zeros(0, 2), instances=0).check(PLAN)


MALFORMED = [
    ({"round": 3}, "round 3, but round 4 is open; fetch the plan and train again"),
    ({"aggregation": "simple"}, "made for 'simple', the round aggregates 'per-item'"),
    ({"item_deltas": zeros(2, 3)}, "deltas"),
    ({"item_deltas": zeros(3, 2)}, "deltas"),
    ({"item_deltas": zeros(4)}, "deltas"),
    ({"network_deltas": zeros(4)}, "deltas"),
    ({"rows": rows(1), "item_deltas": zeros(2, 2)}, "deltas"),
    ({"rows": rows(-1, 0)}, "increasing item numbers from 0 to 4"),
    ({"rows": rows(0, 5)}, "increasing item numbers from 0 to 4"),
    ({"rows": rows(3, 3)}, "increasing"),
    ({"rows": rows(4, 0)}, "increasing"),
    ({"instances": -1}, "-1 instances"),
    ({"item_deltas": zeros(2, 2) + 2**30 + 1}, "item_deltas go beyond"),
    ({"item_deltas": zeros(2, 2) + np.iinfo(np.int32).min}, "item_deltas go beyond"),
    ({"network_deltas": zeros(3) - 2**30 - 1}, "network_deltas go beyond"),
]


@pytest.mark.parametrize(("change", "reason"), MALFORMED)
def test_a_malformed_update_is_refused_with_its_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(MessageError, match=reason):
        replace(GOOD, **change).check(PLAN)


@pytest.mark.parametrize("aggregation", UPDATE_SCHEMAS)
def test_the_declared_range_is_open_to_its_very_limit(aggregation: str) -> None:
    schema, plan = UPDATE_SCHEMAS[aggregation], replace(PLAN, aggregation=aggregation)
    at_limit = replace(
        GOOD,
        aggregation=aggregation,
        item_deltas=zeros(2, 2) + schema.field("item_deltas").units,
        network_deltas=zeros(3) - schema.field("network_deltas").units,
    )
    at_limit.check(plan)
