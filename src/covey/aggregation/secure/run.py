"""A whole round in one process. Every message is written as bytes and read from them, as over a network."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from covey.aggregation.secure import keyring, participant, server
from covey.aggregation.secure.agreement import Agreement
from covey.aggregation.secure.graph import SEED_BYTES, commitment
from covey.aggregation.secure.member import Member
from covey.aggregation.secure.phases.checks import Letter
from covey.aggregation.secure.server import Coordinator
from covey.aggregation.secure.states import AtHome, Ended, Ready, Rejection
from covey.aggregation.secure.terms import Settings
from covey.aggregation.sums import UpdateSum
from covey.errors import ConfigError, CoveyError
from covey.messages.schema import Direction
from covey.messages.updates import ModelUpdate, TrainingPlan

Phase = Literal["advertise", "share", "mask", "acknowledge", "unmask"]
PHASES: tuple[Phase, ...] = ("advertise", "share", "mask", "acknowledge", "unmask")


@dataclass(frozen=True)
class Envelope:
    """A message on its way between the server and one person."""

    phase: Phase
    direction: Direction
    person: int
    data: bytes


Carrier = Callable[
    [Envelope], Sequence[bytes]
]  # what arrives: nothing, the message, something else, it twice


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a round came to."""

    total: UpdateSum | None  # of `people`'s updates; None where the round was abandoned
    abandoned: str | None  # why there is no sum
    people: tuple[int, ...]  # whose updates are in the sum
    rejected: tuple[Rejection, ...]  # messages that the server threw away
    refused: Mapping[int, str]  # people who left the round, and why
    bytes: Mapping[tuple[Phase, Direction], int]  # of everybody together, as sent
    messages: Mapping[tuple[Phase, Direction], int]  # how many those were
    members: Mapping[int, Member] = field(repr=False)  # everybody, with what they remember now


def faithful(envelope: Envelope) -> Sequence[bytes]:
    """Carries every message once and as it is."""
    return (envelope.data,)


def without(absent: Mapping[Phase, Collection[int]], carry: Carrier = faithful) -> Carrier:
    """A carrier that delivers nothing from these people, from the phase on in which they go missing."""
    gone_at = {person: PHASES.index(phase) for phase, people in absent.items() for person in people}

    def carried(envelope: Envelope) -> Sequence[bytes]:
        gone = PHASES.index(envelope.phase) >= gone_at.get(envelope.person, len(PHASES))
        return () if gone and envelope.direction == "up" else carry(envelope)

    return carried


def enrol(
    numbers: Collection[int],
    settings: Settings | None = None,
    people_per_round: int | None = None,
    selection_seed: bytes | None = None,
) -> tuple[Coordinator, dict[int, Member]]:
    """Keys for everybody, an agreement between them, and the server's part. Everybody in each round by default.

    The seed of the selection is published with the first round; it may be given, so that a simulation repeats.
    """
    settings = settings or Settings()
    identities = {number: keyring.Identity() for number in sorted(numbers)}
    roster = {number: each.public for number, each in identities.items()}
    seed = os.urandom(SEED_BYTES) if selection_seed is None else selection_seed
    agreement = Agreement(roster, settings, people_per_round or len(roster), commitment("selection", seed))
    seen = keyring.remembering_verify()
    members = {number: Member(number, each, agreement, verify=seen) for number, each in identities.items()}
    return Coordinator(agreement, seed), members


def run_round(
    coordinator: Coordinator,
    members: Mapping[int, Member],
    plan: TrainingPlan,
    updates: Mapping[int, ModelUpdate],
    *,
    absent: Mapping[Phase, Collection[int]] | None = None,
    carry: Carrier = faithful,
) -> Outcome:
    """One round of the people whose turn it is. Who has no update does not answer; nor does who is absent, from that phase on.

    Changes nothing: the members to go on with are in the outcome.
    """
    state, out = server.announce(coordinator, plan)
    strangers = sorted(set(updates) - set(out))
    if strangers:
        raise ConfigError(
            f"person {strangers[0]} has an update but is not selected for round {plan.round}; train the people of "
            "agreement.selection(seed).people(round)"
        )
    crowd = _Crowd(
        {n: Ready(members[n], plan, each) for n, each in updates.items()}, without(absent or {}, carry)
    )
    for phase in PHASES:
        letters = crowd.answer(phase, out)
        if not isinstance(state, Ended):
            state, out = server.step(state, letters)
    assert isinstance(state, Ended), "a round ends with its last phase"
    kept = {**members, **{number: each.member for number, each in crowd.states.items()}}
    return Outcome(
        state.total,
        state.abandoned,
        state.answered,
        state.rejected,
        crowd.refused,
        dict(crowd.bytes),
        dict(crowd.messages),
        kept,
    )


class _Crowd:
    """Everybody's side of a round, and the account of what was sent."""

    def __init__(self, states: dict[int, AtHome], carry: Carrier) -> None:
        self.states, self.carry = states, carry
        self.refused = dict[int, str]()
        self.bytes = Counter[tuple[Phase, Direction]]()
        self.messages = Counter[tuple[Phase, Direction]]()

    def answer(self, phase: Phase, out: Mapping[int, bytes]) -> list[Letter]:
        """What reaches the server of everybody's answers to these messages."""
        letters = list[Letter]()
        for person, data in out.items():
            for told in self._carried(Envelope(phase, "down", person, data)):
                if person not in self.states or person in self.refused:
                    break
                try:
                    self.states[person], answer = participant.step(self.states[person], told)
                except CoveyError as error:
                    self.refused[person] = str(error)
                    break
                letters += [(person, each) for each in self._carried(Envelope(phase, "up", person, answer))]
        return letters

    def _carried(self, envelope: Envelope) -> Sequence[bytes]:
        self.bytes[envelope.phase, envelope.direction] += len(envelope.data)
        self.messages[envelope.phase, envelope.direction] += 1
        return self.carry(envelope)
