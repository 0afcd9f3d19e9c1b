"""The two messages of FedNCF: the plan that goes down and the update that comes up.

An update holds *changes* against the plan's model, not the new values. The averages are the same (a row that a
person left alone changed by zero), a change needs fewer bits than a value, and rows that did not change need not
travel at all.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covey.errors import MessageError
from covey.messages.schema import Field, Schema
from covey.models.local import Recipe
from covey.types import Floats, ItemIndex

AGGREGATIONS = ("per-item", "weighted", "simple")

_ROWS = Field(
    "rows",
    ("touched",),
    "<i4",
    "which items this person trained on this round: their own hidden among the sampled ones (4 to 1 by default), but "
    "their own come back round after round",
)
_REVEALS_ITEMS = "how this person's visit moved each of those items; the direction tells liked from sampled"
_REVEALS_NETWORK = "how this person's visit moved the shared network; little about any one item"
_INSTANCES = Field(
    "instances", (), "<i8", "how much this person has: their interactions times (1 + negatives)"
)

# One person's change of a weight in one visit is far below 64; times their instances it stays below 2**14.
_STEP, _LIMIT = 2.0**-24, 64.0
_WEIGHED_STEP, _WEIGHED_LIMIT = 2.0**-16, 2.0**14


def _deltas(name: str, axes: tuple[str, ...], reveals: str, weighed: bool) -> Field:
    if weighed:
        return Field(name, axes, "<i4", reveals + "; times their instances", _WEIGHED_STEP, _WEIGHED_LIMIT)
    return Field(name, axes, "<i4", reveals, _STEP, _LIMIT)


def _update_schema(number: int, message: str, items_weighed: bool, network_weighed: bool) -> Schema:
    return Schema(
        message,
        number,
        "up",
        (
            _ROWS,
            _deltas("item_deltas", ("touched", "factor"), _REVEALS_ITEMS, items_weighed),
            _deltas("network_deltas", ("weight",), _REVEALS_NETWORK, network_weighed),
            _INSTANCES,
        ),
    )


UPDATE_SCHEMAS = {
    "per-item": _update_schema(2, "PerItemUpdate", items_weighed=False, network_weighed=True),
    "weighted": _update_schema(3, "WeightedUpdate", items_weighed=True, network_weighed=True),
    "simple": _update_schema(4, "SimpleUpdate", items_weighed=False, network_weighed=False),
}

PLAN_SCHEMA = Schema(
    "TrainingPlan",
    1,
    "down",
    (
        Field(
            "items",
            ("item", "factor"),
            "<f4",
            "nothing of the receiver; the whole table goes to everybody alike",
        ),
        Field("network", ("weight",), "<f4", "nothing of the receiver; the same for everybody"),
        Field(
            "recipe", (), "<f8", "nothing of the receiver: negatives, epochs, batch size, rate and optimizer"
        ),
    ),
)


@dataclass(frozen=True, eq=False)
class TrainingPlan:
    """What the server asks for in one round, and the model to start from. The same bytes go to everybody.

    Reveals nothing of the person who receives it; what the model itself remembers of those who trained it is
    the residual risk that every shared model has.
    """

    round: int
    aggregation: str  # one of AGGREGATIONS: decides by what a device multiplies before it rounds
    recipe: Recipe
    items: Floats  # [items, width]
    network: Floats  # [weights]


@dataclass(frozen=True, eq=False)
class ModelUpdate:
    """What one person's visit changed, in fixed point.

    Reveals to whoever can read it alone: which items were touched (the person's own among sampled ones), how each
    was moved, and how many interactions the person has. Summed with others it reveals the sums.
    """

    round: int
    aggregation: str
    rows: ItemIndex  # [touched] increasing
    item_deltas: npt.NDArray[np.int32]  # [touched, width]
    network_deltas: npt.NDArray[np.int32]  # [weights]
    instances: int
    clipped: int = 0  # counted at home and not sent: values that the declared range cut off

    @property
    def schema(self) -> Schema:
        return UPDATE_SCHEMAS[self.aggregation]

    def check(self, plan: TrainingPlan) -> None:
        """Raises MessageError unless this is a well-formed answer to that plan."""
        if self.round != plan.round:
            raise MessageError(
                f"update is for round {self.round}, but round {plan.round} is open; fetch the plan and train again"
            )
        if self.aggregation != plan.aggregation:
            raise MessageError(
                f"update is made for {self.aggregation!r}, the round aggregates {plan.aggregation!r}"
            )
        items, width = plan.items.shape
        if (
            self.item_deltas.shape != (len(self.rows), width)
            or self.network_deltas.shape != plan.network.shape
        ):
            raise MessageError(
                f"update has deltas {self.item_deltas.shape} and {self.network_deltas.shape}, "
                f"expected {(len(self.rows), width)} and {plan.network.shape}"
            )
        # Count before summing: the sum cannot show duplicates.
        if len(self.rows) and (self.rows[0] < 0 or self.rows[-1] >= items or np.any(np.diff(self.rows) <= 0)):
            raise MessageError(f"update's rows must be increasing item numbers from 0 to {items - 1}")
        if self.instances < 0:
            raise MessageError(f"update claims {self.instances} instances; expected 0 or more")
        for name, values in (("item_deltas", self.item_deltas), ("network_deltas", self.network_deltas)):
            limit = self.schema.field(name).units
            if len(values) and max(abs(int(values.min())), abs(int(values.max()))) > limit:
                raise MessageError(f"update's {name} go beyond ±{limit}, the range that its schema declares")


SCHEMAS: tuple[Schema, ...] = (PLAN_SCHEMA, *UPDATE_SCHEMAS.values())
