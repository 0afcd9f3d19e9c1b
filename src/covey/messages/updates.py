"""The two messages of every system: the plan that goes down and the update that comes up.

All updates have one shape: rows of the item table with whole numbers for each, and whole numbers that belong to no
item. What the numbers mean, their step and their range are the schema's to say (`catalogue.UPDATE_SCHEMAS`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from covey.errors import MessageError
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.schema import Schema
from covey.types import Floats, ItemIndex


@dataclass(frozen=True, eq=False)
class TrainingPlan:
    """What the server asks for in one round, and the model to start from. The same bytes go to everybody.

    Reveals nothing of the person who receives it; what the model itself remembers of those who trained it is
    the residual risk that every shared model has.
    """

    round: int
    kind: str  # one of UPDATE_SCHEMAS: what a device answers with
    recipe: Any  # a NamedTuple of numbers: how to work at home
    items: Floats  # [items, width]
    network: Floats  # [weights]
    answer_size: int | None = None  # numbers in an answer that belong to no item; None: one a network weight

    @property
    def schema(self) -> Schema:
        """What an answer looks like."""
        return UPDATE_SCHEMAS[self.kind]

    @property
    def shared_size(self) -> int:
        """How many numbers of an answer belong to no item."""
        return len(self.network) if self.answer_size is None else self.answer_size


@dataclass(frozen=True, eq=False)
class ModelUpdate:
    """What one person's visit came to, in fixed point.

    What it reveals to whoever can read it alone is said field by field in its schema. Summed with others it reveals
    the sums.
    """

    round: int
    kind: str
    rows: ItemIndex  # [touched] increasing
    item_values: npt.NDArray[np.int32]  # [touched, width]
    shared_values: npt.NDArray[np.int32]  # [shared size]
    instances: int = 0  # stays 0 where the schema has no such field
    clipped: int = 0  # counted at home and not sent: values that the declared range cut off

    @property
    def schema(self) -> Schema:
        return UPDATE_SCHEMAS[self.kind]

    def check(self, plan: TrainingPlan) -> None:
        """Raises MessageError unless this is a well-formed answer to that plan."""
        if self.round != plan.round:
            raise MessageError(
                f"update is for round {self.round}, but round {plan.round} is open; fetch the plan and train again"
            )
        if self.kind != plan.kind:
            raise MessageError(f"update is made for {self.kind!r}, the round aggregates {plan.kind!r}")
        self._check_shapes(plan)
        if self.instances < 0:
            raise MessageError(f"update claims {self.instances} instances; expected 0 or more")
        if self.instances and not self.schema.counts_instances:
            raise MessageError(f"update claims {self.instances} instances; a {self.kind!r} update has none")
        for field, values in (
            (self.schema.item_field if self.schema.says_of_items else None, self.item_values),
            (self.schema.shared_field, self.shared_values),
        ):
            if field and len(values) and max(abs(int(values.min())), abs(int(values.max()))) > field.units:
                raise MessageError(
                    f"update's {field.name} go beyond ±{field.units}, the range that its schema declares"
                )

    def _check_shapes(self, plan: TrainingPlan) -> None:
        items, width = plan.items.shape
        expected = (len(self.rows), width), (plan.shared_size,)
        if (self.item_values.shape, self.shared_values.shape) != expected:
            raise MessageError(
                f"update has values {self.item_values.shape} and {self.shared_values.shape}, "
                f"expected {expected[0]} and {expected[1]}"
            )
        if len(self.rows) and not self.schema.says_of_items:
            raise MessageError(
                f"update says something of {len(self.rows)} items; a {self.kind!r} update says nothing of them"
            )
        # Count before summing: the sum cannot show duplicates.
        if len(self.rows) and (self.rows[0] < 0 or self.rows[-1] >= items or np.any(np.diff(self.rows) <= 0)):
            raise MessageError(f"update's rows must be increasing item numbers from 0 to {items - 1}")
