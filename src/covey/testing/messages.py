"""Strategies for hypothesis: plans and well-formed updates, small and at the edges of what their schema allows."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.schema import Field
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models.local import Recipe

Round = tuple[TrainingPlan, list[ModelUpdate]]


@st.composite
def plans(draw: st.DrawFn) -> TrainingPlan:
    """A plan for a few items, factors and weights."""
    items, width, weights = draw(st.integers(1, 6)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    kind = draw(st.sampled_from(list(UPDATE_SCHEMAS)))
    return TrainingPlan(
        draw(st.integers(0, 2**32 - 1)),
        kind,
        Recipe(4, 2, 64, 0.001, True),
        np.zeros((items, width), np.float32),
        np.zeros(weights, np.float32),
        weights if UPDATE_SCHEMAS[kind].shared_field else 0,
    )


@st.composite
def updates(draw: st.DrawFn, plan: TrainingPlan) -> ModelUpdate:
    """A well-formed answer to the plan, from somebody who touched some rows, all of them or none."""
    items, width = plan.items.shape
    schema = plan.schema

    def values(field: Field | None, shape: tuple[int, ...]) -> Any:
        units = field.units if field else 0
        return draw(hnp.arrays(np.int32, shape, elements=st.integers(-units, units)))

    named = draw(st.sets(st.integers(0, items - 1))) if schema.says_of_items else set[int]()
    rows = np.array(sorted(named), np.int32)
    return ModelUpdate(
        plan.round,
        plan.kind,
        rows,
        values(schema.item_field if len(rows) else None, (len(rows), width)),
        values(schema.shared_field, (plan.shared_size,)),
        draw(st.integers(0, 2**40)) if schema.counts_instances else 0,
    )


@st.composite
def rounds(draw: st.DrawFn, least: int = 0, most: int = 6) -> Round:
    """A plan and a few people's answers to it."""
    plan = draw(plans())
    return plan, draw(st.lists(updates(plan), min_size=least, max_size=most))


@st.composite
def answers(draw: st.DrawFn) -> tuple[TrainingPlan, ModelUpdate]:
    """A plan and one answer to it."""
    plan = draw(plans())
    return plan, draw(updates(plan))
