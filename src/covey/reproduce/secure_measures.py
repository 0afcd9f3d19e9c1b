"""What masks cost a person and a round, at the sizes that the FedNCF paper gives: no data set is needed for it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from covey.aggregation.secure import Settings
from covey.aggregation.secure.cost import (
    layout_of,
    masking_seconds,
    numbers_generated,
    random_update,
    round_cost,
)
from covey.aggregation.secure.terms import terms_for
from covey.messages.updates import TrainingPlan

Summary = dict[str, Any]
_TOUCHED = 100  # rows of a measured update; masking is the same work for any number of them


def masking(asks: Mapping[str, Any]) -> Summary:
    """Milliseconds of a person and bytes of a round with `people` of them, each with `neighbours` (0: everybody).

    asks: model (gmf or neumf), items, people, neighbours (-1: as few as suffice), and the shares of people who may be
    dropped and corrupt where they are not the usual ones.
    """
    model, items, people = str(asks["model"]), int(asks["items"]), int(asks["people"])
    neighbours = int(asks.get("neighbours", 0))
    usual = Settings()
    settings = Settings(
        neighbours=None if neighbours < 0 else neighbours,
        dropped=float(asks.get("dropped", usual.dropped)),
        corrupt=float(asks.get("corrupt", usual.corrupt)),
    )
    degree = terms_for(settings, people).neighbours or people - 1
    layout = layout_of(model, items, people)
    plan = TrainingPlan(
        0, "per-item", (), np.zeros((items, layout.width), np.float32), np.zeros(layout.shared, np.float32)
    )
    updates = {number: random_update(plan, min(items, _TOUCHED)) for number in range(people)}
    cost = round_cost(plan, updates, settings)
    home_ms = {phase: 1000 * seconds / people for phase, seconds in cost.home_s.items()}
    sent = sum(count for (_, direction), count in cost.bytes.items() if direction == "up")
    return {
        "metrics": {
            "masking_ms": 1000 * masking_seconds(layout, degree + 1),
            "agreement_ms": 1000 * cost.agreement_s / people,
            "unmasking_ms": home_ms["unmask"],
            "home_ms": sum(home_ms.values()),
            "neighbours": float(degree),
            "numbers_generated": float(numbers_generated(model, items, people)),
            "vector_kb": layout.byte_count / 1000,
            "upload_kb_a_round": sent / people / 1000,
        },
        "rounds": 1,
        "global_rounds": 1.0,
        "split": "no data: sizes alone",
        "curve": None,
    }


def mask_numbers(asks: Mapping[str, Any]) -> Summary:
    """Numbers that one person's masks are made of: with everybody, as figure 4 counts them, and with as few as suffice."""
    model, items, people = str(asks["model"]), int(asks["items"]), int(asks["people"])
    with_all = numbers_generated(model, items, people)
    degree = terms_for(Settings(), people).neighbours or people - 1
    return {
        "metrics": {
            "numbers_generated": float(with_all),
            "numbers_generated_sparse": float(with_all // (people - 1) * degree),
            "neighbours": float(degree),
        },
        "rounds": 1,
        "global_rounds": 1.0,
        "split": "no data: sizes alone",
        "curve": None,
    }
