"""Small rounds of secure aggregation for tests, and ways to come between."""

from collections.abc import Callable, Collection, Sequence

import numpy as np

from covey.aggregation.secure.member import Member
from covey.aggregation.secure.run import Carrier, Envelope, Outcome, Phase, enrol, run_round
from covey.aggregation.secure.server import Coordinator
from covey.aggregation.secure.terms import Settings
from covey.aggregation.sums import UpdateSum
from covey.messages.schema import Direction
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models.local import Recipe
from covey.random import stream

FULL = Settings(least_people=2, least_difference=1, neighbours=0)
SPARSE = Settings(least_people=2, least_difference=1, dropped=0.1, corrupt=0.05)


def plan_of(round_id: int = 0, items: int = 5, width: int = 2, kind: str = "per-item") -> TrainingPlan:
    recipe = Recipe(4, 1, 64, 0.001, True)
    return TrainingPlan(round_id, kind, recipe, np.zeros((items, width), np.float32), np.zeros(3, np.float32))


def update_of(plan: TrainingPlan, person: int) -> ModelUpdate:
    """Somebody's answer, at the ends of the range now and then."""
    draws = stream(11, "updates", plan.round, person)
    rows = np.flatnonzero(draws.integers(0, 2, len(plan.items))).astype(np.int32)
    ends = np.array([-(2**30), 2**30, 0, 1, -1, 12345])

    def values(*shape: int) -> np.ndarray:
        return draws.choice(ends, shape).astype(np.int32)

    return ModelUpdate(
        plan.round,
        plan.kind,
        rows,
        values(len(rows), plan.items.shape[1]),
        values(3),
        int(draws.integers(0, 99)),
    )


class Town:
    """Enrolled people who remember from round to round."""

    def __init__(
        self, numbers: Collection[int], settings: Settings = FULL, people_per_round: int = 0
    ) -> None:
        self.coordinator: Coordinator
        self.members: dict[int, Member]
        self.updates: dict[int, ModelUpdate] = {}
        self.coordinator, self.members = enrol(numbers, settings, people_per_round or None)

    def selected(self, round_id: int) -> tuple[int, ...]:
        seed = self.coordinator.selection_seed
        return self.coordinator.agreement.selection(seed).people(round_id)

    def round(
        self,
        plan: TrainingPlan | None = None,
        absent: dict[Phase, Collection[int]] | None = None,
        carry: Carrier | None = None,
    ) -> Outcome:
        plan = plan or plan_of()
        self.updates = {person: update_of(plan, person) for person in self.selected(plan.round)}
        more = {"carry": carry} if carry else {}
        done = run_round(self.coordinator, self.members, plan, self.updates, absent=absent, **more)
        self.members = dict(done.members)
        return done

    def plain(self, people: Sequence[int], plan: TrainingPlan | None = None) -> UpdateSum:
        """The sum of these people's last updates in the clear."""
        total = UpdateSum.empty(plan or plan_of())
        for person in people:
            total.add(self.updates[person])
        return total


def between(
    phase: Phase, direction: Direction, change: Callable[[bytes], bytes | None], *people: int
) -> Carrier:
    """A carrier that changes what these people send or get in a phase, or everybody's; None loses it."""

    def carry(envelope: Envelope) -> Sequence[bytes]:
        meant = (envelope.phase, envelope.direction) == (phase, direction)
        if not meant or (people and envelope.person not in people):
            return (envelope.data,)
        changed = change(envelope.data)
        return () if changed is None else (changed,)

    return carry
