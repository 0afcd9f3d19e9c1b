"""ModelUpdate.check: each way of being malformed is refused with its reason."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from covey.errors import MessageError
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.updates import ModelUpdate, TrainingPlan
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
    replace(GOOD, rows=rows(), item_values=zeros(0, 2), instances=0).check(PLAN)


MALFORMED = [
    ({"round": 3}, "round 3, but round 4 is open; fetch the plan and train again"),
    ({"kind": "simple"}, "made for 'simple', the round aggregates 'per-item'"),
    ({"item_values": zeros(2, 3)}, "values"),
    ({"item_values": zeros(3, 2)}, "values"),
    ({"item_values": zeros(4)}, "values"),
    ({"shared_values": zeros(4)}, "values"),
    ({"rows": rows(1), "item_values": zeros(2, 2)}, "values"),
    ({"rows": rows(-1, 0)}, "increasing item numbers from 0 to 4"),
    ({"rows": rows(0, 5)}, "increasing item numbers from 0 to 4"),
    ({"rows": rows(3, 3)}, "increasing"),
    ({"rows": rows(4, 0)}, "increasing"),
    ({"instances": -1}, "-1 instances"),
    ({"item_values": zeros(2, 2) + 2**30 + 1}, "item_deltas go beyond"),
    ({"item_values": zeros(2, 2) + np.iinfo(np.int32).min}, "item_deltas go beyond"),
    ({"shared_values": zeros(3) - 2**30 - 1}, "network_deltas go beyond"),
]


@pytest.mark.parametrize(("change", "reason"), MALFORMED)
def test_a_malformed_update_is_refused_with_its_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(MessageError, match=reason):
        replace(GOOD, **change).check(PLAN)


def test_instances_are_refused_where_the_schema_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = UPDATE_SCHEMAS["per-item"]
    silent = replace(schema, fields=tuple(field for field in schema.fields if field.name != "instances"))
    monkeypatch.setitem(UPDATE_SCHEMAS, "per-item", silent)
    replace(GOOD, instances=0).check(PLAN)
    with pytest.raises(MessageError, match="a 'per-item' update has none"):
        GOOD.check(PLAN)


def test_rows_are_refused_where_the_schema_says_nothing_of_items() -> None:
    with pytest.raises(MessageError, match="says nothing of them"):
        replace(GOOD, kind="group-mean", instances=0).check(replace(PLAN, kind="group-mean"))


@pytest.mark.parametrize("kind", UPDATE_SCHEMAS)
def test_the_declared_range_is_open_to_its_very_limit(kind: str) -> None:
    schema = UPDATE_SCHEMAS[kind]
    shared = schema.shared_field
    rows = GOOD.rows if schema.says_of_items else GOOD.rows[:0]
    at_limit = replace(
        GOOD,
        kind=kind,
        rows=rows,
        item_values=zeros(len(rows), 2) + (schema.item_field.units if len(rows) else 0),
        shared_values=zeros(3) - shared.units if shared else zeros(0),
        instances=10 if schema.counts_instances else 0,
    )
    at_limit.check(replace(PLAN, kind=kind, answer_size=3 if shared else 0))
