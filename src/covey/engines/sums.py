"""How a round's updates are added up: in the clear, or under masks, so that the server learns the sum and no update.

Either way the sum is the same to the bit: `PlainSums` and `SecureSums` answer alike, and differ in what travels.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from covey.aggregation.secure import Settings, enrol, run_round
from covey.aggregation.secure.graph import Selection
from covey.aggregation.secure.run import PHASES, Outcome, Phase
from covey.aggregation.secure.terms import terms_for
from covey.aggregation.sums import UpdateSum
from covey.algorithms.base import PopulationStep
from covey.device.private import Population
from covey.errors import ConfigError
from covey.messages.codecs import header_bytes
from covey.messages.ledger import Ledger
from covey.messages.schema import Direction
from covey.messages.secure import SECURE_MESSAGES
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.random import stream
from covey.splits.histories import Histories
from covey.types import Floats, Ints, PersonIndex

DIRECTIONS: tuple[Direction, ...] = ("down", "up")
_IN_THE_SUM = ("acknowledge", "unmask")  # who goes missing from these phases on has sent their vector already


@dataclass(frozen=True)
class SumSettings:
    """What a run asks of its sums."""

    secure: bool = False
    neighbours: int = -1  # of each person in the graph of masks; 0: everybody; -1: as few as suffice
    least_people: int = 10  # in a secure sum
    least_difference: int = 10  # people by which two secure sums of one person may differ
    dropout: float = 0.0  # share of a round's people who go missing in the middle of it

    def protocol(self) -> Settings:
        """The terms that everybody agrees to."""
        return Settings(
            least_people=self.least_people,
            least_difference=self.least_difference,
            neighbours=None if self.neighbours < 0 else self.neighbours,
        )


IN_THE_CLEAR = SumSettings()


class Added(NamedTuple):
    """What became of a round's updates."""

    total: UpdateSum | None  # None where the round was given up
    people: PersonIndex  # whose updates are in the sum
    vectors: Floats  # [in the sum, width] their new private vectors
    touched: Ints  # [in the sum] rows that each touched
    clipped: dict[str, int]
    trouble: str = ""  # why there is no sum


class Sums(Protocol):
    """Adds up a round."""

    @property
    def settings(self) -> SumSettings:
        """What the run asks of its sums."""
        ...

    def add(self, plan: TrainingPlan, population: Population, people: PersonIndex) -> Added:
        """The sum of these people's updates."""
        ...

    def account(self, ledger: Ledger, plan: TrainingPlan, added: Added) -> None:
        """Enters the messages that came up in that round."""
        ...


def missing(seed: int, round_number: int, people: PersonIndex, share: float) -> dict[Phase, list[int]]:
    """Who goes missing in a simulated round, by the phase from which on; drawn anew for each round."""
    count = int(share * len(people))
    if not count:
        return {}
    draws = stream(seed, "dropouts", round_number)
    gone = draws.choice(people, count, replace=False)
    phases = draws.integers(0, len(PHASES), count)
    found: dict[Phase, list[int]] = {}
    for person, phase in zip(gone.tolist(), phases.tolist(), strict=True):
        found.setdefault(PHASES[phase], []).append(person)
    return found


def public_seed(seed: int) -> bytes:
    """The seed of who takes part when, published as rounds begin. It keeps nothing secret."""
    return hashlib.blake2b(f"selection {seed}".encode(), digest_size=32).digest()


@dataclass(frozen=True)
class PublicSchedule:
    """Who takes part in which round by a published seed: anybody can check that nobody was picked out."""

    selection: Selection

    @property
    def people_per_round(self) -> int:
        return self.selection.people_per_round

    @property
    def rounds_a_pass(self) -> int:
        """Rounds until everybody has taken part once."""
        return -(-len(self.selection.enrolled) // self.people_per_round)

    def people(self, round_id: int) -> PersonIndex:
        """The people of a round, counted from 0."""
        return np.array(self.selection.people(round_id), np.int32)


class PlainSums:
    """Adds in the clear, over many people at once."""

    def __init__(self, step: PopulationStep, settings: SumSettings, seed: int) -> None:
        self.step, self.settings, self.seed = step, settings, seed

    def add(self, plan: TrainingPlan, population: Population, people: PersonIndex) -> Added:
        gone = missing(self.seed, plan.round, people, self.settings.dropout)
        silent = [person for phase, who in gone.items() if phase not in _IN_THE_SUM for person in who]
        there = people[~np.isin(people, silent)]
        total, vectors, touched, clipped = self.step.round(plan, population.vectors, there)
        return Added(total, there, vectors, touched, clipped)

    def account(self, ledger: Ledger, plan: TrainingPlan, added: Added) -> None:
        record_updates(ledger, plan, added.touched, added.clipped)


def record_updates(ledger: Ledger, plan: TrainingPlan, touched: Ints, clipped: dict[str, int]) -> None:
    """Enters updates in the clear, one for each entry of touched."""
    people, rows, schema = len(touched), int(touched.sum()), plan.schema
    values = {"rows": rows, schema.item_field.name: rows * plan.items.shape[1], "instances": people}
    if schema.shared_field:
        values[schema.shared_field.name] = people * plan.shared_size
    ledger.record(schema, people, values, clipped)
    ledger.record_overhead(schema, people, header_bytes())


@dataclass
class SecureSums:
    """Adds under masks: every message of the protocol is written as bytes and read from them, in one process.

    The keys are the operating system's and a run that goes on has new ones; the sums do not depend on them.
    """

    algorithm: Any
    train: Histories
    settings: SumSettings
    people_per_round: int
    traffic: Outcome | None = None  # of the round that was added last

    def __post_init__(self) -> None:
        # Refuse at once what every round would be refused for.
        terms_for(self.settings.protocol(), self.people_per_round)
        self.coordinator, self.members = enrol(
            range(self.train.people_count),
            self.settings.protocol(),
            self.people_per_round,
            public_seed(self.algorithm.seed),
        )

    def add(self, plan: TrainingPlan, population: Population, people: PersonIndex) -> Added:
        updates: dict[int, ModelUpdate] = {}
        vectors: dict[int, Floats] = {}
        for person in people.tolist():
            updates[person], private = self.algorithm.on_device(
                plan, population.state(person), self.train.of(person)
            )
            vectors[person] = private.vector
        gone = missing(self.algorithm.seed, plan.round, people, self.settings.dropout)
        outcome = run_round(self.coordinator, self.members, plan, updates, absent=gone)
        self.members = dict(outcome.members)
        self.traffic = outcome
        counted = np.array(outcome.people if outcome.total is not None else (), np.int32)
        width = population.vectors.shape[1]
        return Added(
            outcome.total,
            counted,
            np.concatenate([np.zeros((0, width), np.float32), *(vectors[each] for each in counted.tolist())]),
            np.array([len(updates[each].rows) for each in counted.tolist()], np.int64),
            {"all fields": sum(updates[each].clipped for each in counted.tolist())},
            outcome.abandoned or "",
        )

    def account(self, ledger: Ledger, plan: TrainingPlan, added: Added) -> None:
        if self.traffic is not None:
            record_traffic(ledger, self.traffic)


def record_traffic(ledger: Ledger, outcome: Outcome) -> None:
    """Enters what a round of the protocol sent, phase by phase."""
    in_turn = iter(SECURE_MESSAGES)
    for phase in PHASES:
        for direction in DIRECTIONS:
            schema = next(in_turn)
            assert schema.direction == direction
            at = (phase, direction)
            ledger.record_whole(schema, outcome.messages.get(at, 0), outcome.bytes.get(at, 0))


def added_under_masks(
    updates: Sequence[ModelUpdate], item_count: int, round_number: int, settings: SumSettings
) -> tuple[UpdateSum, Outcome]:
    """The sum of one message from each of several groups, none of which the server sees alone; and what it took."""
    kind, width = updates[0].kind, updates[0].item_values.shape[1]
    plan = TrainingPlan(
        round_number, kind, (), np.zeros((item_count, width), np.float32), np.zeros(0, np.float32), 0
    )
    # An enrolment of its own: everybody who has a message is in its one round.
    coordinator, members = enrol(range(len(updates)), settings.protocol())
    outcome = run_round(coordinator, members, plan, dict(enumerate(updates)))
    if outcome.total is None:
        raise ConfigError(
            f"the groups' messages could not be added up under masks: {outcome.abandoned}; "
            "lower least_people, or take more groups"
        )
    return outcome.total, outcome
