"""What all phases check: the round, the people, and that enough of them are left."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, TypeVar

from covey.aggregation.secure.agreement import Opening, Rollcall
from covey.aggregation.secure.states import Rejection
from covey.errors import AbandonedError, MessageError, PrivacyError

Letter = tuple[int, bytes]  # who sent it, as the transport knows; what came


class _FromPerson(Protocol):
    @property
    def round(self) -> bytes: ...
    @property
    def sender(self) -> int: ...


Message = TypeVar("Message", bound=_FromPerson)


def accept(
    phase: str,
    opening: Opening,
    letters: Sequence[Letter],
    expected: Collection[int],
    decode: Callable[[bytes], Message],
    check: Callable[[Message], None],
) -> tuple[dict[int, Message], tuple[Rejection, ...]]:
    """The first good message of each person who was expected to send one, and every other with its reason."""
    found, rejected, asked = dict[int, Message](), list[Rejection](), frozenset(expected)
    for sender, data in letters:
        try:
            if sender not in asked:
                raise MessageError("nothing was asked of this person in this phase")
            if sender in found:
                raise MessageError("a message of this person in this phase is here already")
            message = decode(data)
            _check_origin(opening, sender, message)
            check(message)
        except MessageError as error:
            rejected.append(Rejection(sender, phase, str(error)))
        else:
            found[sender] = message
    return dict(sorted(found.items())), tuple(rejected)


def _check_origin(opening: Opening, sender: int, message: _FromPerson) -> None:
    if message.sender != sender:
        raise MessageError(f"message names person {message.sender} as its sender, expected {sender}")
    if message.round != opening.digest:
        raise MessageError("message is of another round; it may be an old one sent again")


def check_round(opening: Opening, about: bytes, people: int | None = None) -> None:
    """Raises PrivacyError for a message of the server that is not of this round."""
    if about != opening.digest:
        raise PrivacyError(
            "the server's message is of another round than the one announced; nothing is answered"
        )
    if people is not None and people != len(opening.people):
        raise PrivacyError(
            f"the server's list is of {people} people, {len(opening.people)} were announced; nothing is answered"
        )


def check_list(what: str, opening: Opening, me: int, listed: tuple[int, ...], among: tuple[int, ...]) -> None:
    """Raises PrivacyError for a list that leaves this person out, invents people or is too short to hide anybody."""
    if not set(listed) <= set(among):
        raise PrivacyError(
            f"the list of {what} has people who were not in the list before it; nothing is answered"
        )
    if me not in listed:
        raise PrivacyError(f"the list of {what} leaves out person {me}, who is; nothing is answered")
    if len(listed) < opening.least:
        raise PrivacyError(
            f"the list of {what} has {len(listed)} people, expected {opening.least} or more: a smaller sum would hide "
            "too little; nothing is answered"
        )


def check_gaps(rollcall: Rollcall, answered: tuple[int, ...]) -> None:
    """Raises PrivacyError where so many neighbours are missing that the sum could be taken apart."""
    fewest, needed = rollcall.graph.thinnest_gaps(frozenset(answered)), rollcall.opening.terms.shares
    if fewest is not None and fewest < needed:
        raise PrivacyError(
            f"only {fewest} people answered in two gaps of the ring, expected {needed} or more: the sum could be taken "
            "apart there; nothing is answered"
        )


def enough(what: str, opening: Opening, found: Collection[int], rejected: tuple[Rejection, ...]) -> None:
    """Raises AbandonedError where too few people are left to go on."""
    if len(found) < opening.least:
        raise AbandonedError(
            f"{len(found)} of {len(opening.people)} people {what}, expected {opening.least} or more; "
            "nothing was revealed, and another round can begin",
            rejected,
        )
