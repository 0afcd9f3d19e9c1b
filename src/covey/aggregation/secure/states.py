"""Where a person and the server are in a round. A phase takes a state and what came, and gives the next state.

A person's state is good for one step: two answers from one state could reveal both secrets of a neighbour, so a second
step raises PrivacyError. The server's states are plain values.
"""

from dataclasses import dataclass, field

import numpy as np

from covey.aggregation.secure.agreement import Opening, Rollcall
from covey.aggregation.secure.keyring import RoundSecrets
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.member import Member
from covey.aggregation.secure.planes import Words
from covey.aggregation.secure.wire import Advertisement, Dealing
from covey.aggregation.sums import UpdateSum
from covey.errors import PrivacyError
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.privacy.home import StaysHome


@dataclass(eq=False, repr=False)
class AtHome(StaysHome):
    """A person in a round."""

    member: Member
    spent: bool = field(default=False, init=False)

    def spend(self) -> None:
        """Marks the state as used; PrivacyError the second time."""
        if self.spent:
            raise PrivacyError(
                f"person {self.member.number} has answered from this state already; a second answer could reveal what "
                "the first one hides. Go on from the new state, or wait for the next round"
            )
        self.spent = True


@dataclass(eq=False, repr=False)
class Ready(AtHome):
    """Has trained and waits for an announcement."""

    plan: TrainingPlan
    update: ModelUpdate

    def __post_init__(self) -> None:
        self.update.check(self.plan)


@dataclass(eq=False, repr=False)
class Advertised(AtHome):
    """Has sent public keys and waits for the roll."""

    update: ModelUpdate
    opening: Opening
    secrets: RoundSecrets


@dataclass(eq=False, repr=False)
class Shared(AtHome):
    """Has dealt shares and waits for those of others."""

    update: ModelUpdate
    rollcall: Rollcall
    secrets: RoundSecrets
    mask_keys: dict[int, bytes]  # neighbour -> their public mask key
    agreed: dict[int, bytes]  # neighbour -> the secret of both sealing keys
    own_share: bytes  # of the seed of the own mask


@dataclass(eq=False, repr=False)
class Masked(AtHome):
    """Has sent the masked vector and waits to hear whose vectors came. The update is gone from the state."""

    rollcall: Rollcall
    dealt: tuple[int, ...]
    sealed: dict[int, bytes]
    agreed: dict[int, bytes]
    own_share: bytes


@dataclass(eq=False, repr=False)
class Acknowledged(AtHome):
    """Has signed a list of answerers and waits to see that enough others signed the same."""

    rollcall: Rollcall
    dealt: tuple[int, ...]
    answered: tuple[int, ...]
    sealed: dict[int, bytes]
    agreed: dict[int, bytes]
    own_share: bytes


@dataclass(eq=False, repr=False)
class Finished(AtHome):
    """Has revealed shares; what is left is the member with a new memory."""


@dataclass(frozen=True)
class Rejection:
    """A message that the server threw away, and why."""

    sender: int
    phase: str
    reason: str


@dataclass(frozen=True, eq=False)
class Announced:
    """The server waits for keys."""

    opening: Opening
    graph_seed: bytes
    rejected: tuple[Rejection, ...] = ()


@dataclass(frozen=True, eq=False)
class Called:
    """The server waits for shares."""

    rollcall: Rollcall
    advertisements: dict[int, Advertisement]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True, eq=False)
class Delivered:
    """The server waits for masked vectors."""

    rollcall: Rollcall
    mask_keys: dict[int, bytes]
    dealings: dict[int, Dealing]
    rejected: tuple[Rejection, ...]

    @property
    def dealt(self) -> tuple[int, ...]:
        """Who dealt shares."""
        return tuple(sorted(self.dealings))


@dataclass(frozen=True, eq=False)
class Listed:
    """The server waits for signatures under the list of answerers."""

    rollcall: Rollcall
    mask_keys: dict[int, bytes]
    commitments: dict[int, bytes]  # of everybody who dealt
    masked_total: Words  # the answerers' masked vectors, added up
    answered: tuple[int, ...]
    rejected: tuple[Rejection, ...]

    @property
    def dealt(self) -> tuple[int, ...]:
        """Who dealt shares."""
        return tuple(sorted(self.commitments))


@dataclass(frozen=True, eq=False)
class Proved:
    """The server waits for shares to take the masks off."""

    listed: Listed
    acknowledged: tuple[int, ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True, eq=False)
class Ended:
    """The round is over: a sum of the answerers' updates, or the reason why there is none."""

    total: UpdateSum | None
    abandoned: str | None
    answered: tuple[int, ...]
    rejected: tuple[Rejection, ...]


def no_words(layout: Layout) -> Words:
    """The sum of nobody's vectors."""
    return np.zeros(layout.value_count, np.uint64)
