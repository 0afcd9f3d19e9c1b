"""A device step over many people at once: the people shared out to a few threads, each at a desk of its own.

What a device would put in a message is put in fixed point by the same function and added to whole-number sums
straight away, so that a round of 100,000 people makes no 100,000 messages. The algorithm contract checks that the
sums equal those of `on_device`, bit by bit.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.messages.updates import TrainingPlan
from covey.splits.histories import Histories
from covey.types import Floats, Ints, PersonIndex

Desk = TypeVar("Desk")
Clipped = dict[str, int]  # field -> values that its range cut off


# desk, plan, vectors, people, sum, new vectors, touched -> visits the people one after another, adds to the sum, fills
# the last two and returns the clipped values a field
VisitPeople = Callable[[Desk, TrainingPlan, Floats, PersonIndex, UpdateSum, Floats, Ints], Clipped]


class Crowd(Generic[Desk]):
    """Runs rounds over a population with as many threads as desks."""

    def __init__(
        self,
        histories: Histories,
        desks: Sequence[Desk],
        visit: VisitPeople[Desk],
        work: Ints | None = None,
    ) -> None:
        self.histories, self.desks, self.visit = histories, desks, visit
        self.work = histories.counts if work is None else work  # [people] what a visit costs
        self.threads = ThreadPoolExecutor(len(desks)) if len(desks) > 1 else None

    def round(
        self, plan: TrainingPlan, vectors: Floats, people: PersonIndex
    ) -> tuple[UpdateSum, Floats, Ints, Clipped]:
        """The sums of a round, the people's new vectors, the rows each touched, and the values clipped a field."""
        new_vectors = np.empty((len(people), vectors.shape[1]), vectors.dtype)
        touched = np.zeros(len(people), np.int64)
        shares = even_shares(self.work[people], len(self.desks))

        def work(desk: Desk, positions: Ints) -> tuple[UpdateSum, Clipped]:
            total = UpdateSum.empty(plan)
            mine, rows = (
                np.empty_like(new_vectors, shape=(len(positions), vectors.shape[1])),
                np.zeros_like(positions),
            )
            clipped = self.visit(desk, plan, vectors, people[positions], total, mine, rows)
            new_vectors[positions], touched[positions] = mine, rows
            total.people = len(positions)
            return total, clipped

        if self.threads is None:
            results = [work(desk, share) for desk, share in zip(self.desks, shares, strict=True)]
        else:
            results = list(self.threads.map(work, self.desks, shares))
        total, clipped = results[0]
        for other, more in results[1:]:
            total = total.merge(other)
            clipped = {name: count + more[name] for name, count in clipped.items()}
        return total, new_vectors, touched, clipped

    def close(self) -> None:
        """Ends the threads."""
        if self.threads is not None:
            self.threads.shutdown()


def even_shares(work: Ints, shares: int) -> list[Ints]:
    """Positions 0..len(work)-1 in `shares` groups of about the same work, largest piece first."""
    if shares == 1 or (len(work) and (work == work[0]).all()):
        return np.array_split(np.arange(len(work)), shares)
    load = np.zeros(shares, np.int64)
    groups: list[list[int]] = [[] for _ in range(shares)]
    for position in np.argsort(-work, kind="stable"):
        lightest = int(load.argmin())
        groups[lightest].append(int(position))
        load[lightest] += work[position] + 1
    return [np.array(group, np.int64) for group in groups]
