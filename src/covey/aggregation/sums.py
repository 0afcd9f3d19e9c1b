"""Sums of updates. A sum does not know who is in it, and neither order nor grouping can change a bit of it."""

from dataclasses import dataclass

import numpy as np

from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.types import Ints


@dataclass(eq=False)
class UpdateSum:
    """Exact integer totals of the updates of one round."""

    items: Ints  # [items, width] units
    senders: Ints  # [items] how many people sent this row
    shared: Ints  # [shared size] units
    instances: int = 0
    people: int = 0

    @classmethod
    def empty(cls, plan: TrainingPlan) -> "UpdateSum":
        """The neutral sum of a round."""
        items, width = plan.items.shape
        return cls(
            np.zeros((items, width), np.int64),
            np.zeros(items, np.int64),
            np.zeros(plan.shared_size, np.int64),
        )

    def add(self, update: ModelUpdate) -> None:
        """Adds one person's update."""
        # The rows are distinct (ModelUpdate.check), so fancy indexing adds each of them once.
        self.items[update.rows] += update.item_values
        self.senders[update.rows] += 1
        self.shared += update.shared_values
        self.instances += update.instances
        self.people += 1

    def merge(self, other: "UpdateSum") -> "UpdateSum":
        """The sum of everything in either."""
        return UpdateSum(
            self.items + other.items,
            self.senders + other.senders,
            self.shared + other.shared,
            self.instances + other.instances,
            self.people + other.people,
        )

    def equals(self, other: "UpdateSum") -> bool:
        """Whether every total is the same."""
        return (
            np.array_equal(self.items, other.items)
            and np.array_equal(self.senders, other.senders)
            and np.array_equal(self.shared, other.shared)
            and (self.instances, self.people) == (other.instances, other.people)
        )
