"""List of answerers → a signature under that list.

Nobody reveals a share before enough people have signed one and the same list. A server that shows different lists to
different people cannot collect enough signatures for two of them.
"""

from collections.abc import Sequence

from covey.aggregation.secure import keyring
from covey.aggregation.secure.member import Memory
from covey.aggregation.secure.phases.checks import Letter, accept, check_gaps, check_list, check_round, enough
from covey.aggregation.secure.states import Acknowledged, Listed, Masked, Proved
from covey.aggregation.secure.wire import Acknowledgement, Answerers, Evidence
from covey.errors import MessageError

PHASE = "acknowledge"


def at_home(state: Masked, received: bytes) -> tuple[Acknowledged, bytes]:
    """Checks that the sum would hide everybody, also beside earlier sums, and signs."""
    state.spend()
    member, rollcall, opening = state.member, state.rollcall, state.rollcall.opening
    message = Answerers.decode(received)
    check_round(opening, message.round, message.people)
    answered = opening.numbers(message.answered)
    check_list("answerers", opening, member.number, answered, state.dealt)
    check_gaps(rollcall, answered)
    group = frozenset(answered)
    member.memory.check_group(group, member.agreement.settings.least_difference)
    # Remembered before the sum is known to come about: with this signature it can, without this person.
    known = member.remembering(Memory(member.memory.last_round, member.memory.groups | {group}))
    signature = member.identity.sign(rollcall.answerers_statement(state.dealt, answered))
    answer = Acknowledgement(opening.digest, member.number, signature)
    new = Acknowledged(known, rollcall, state.dealt, answered, state.sealed, state.agreed, state.own_share)
    return new, answer.encode()


def at_server(state: Listed, letters: Sequence[Letter]) -> tuple[Proved, dict[int, bytes]]:
    """Takes the signatures and shows them to everybody who signed."""
    rollcall, opening = state.rollcall, state.rollcall.opening
    statement, roster = rollcall.answerers_statement(state.dealt, state.answered), opening.agreement.roster

    def check(message: Acknowledgement) -> None:
        if not keyring.verify(roster[message.sender], statement, message.signature):
            raise MessageError("the list of answerers is not signed by this person's enrolled key")

    found, rejected = accept(PHASE, opening, letters, state.answered, Acknowledgement.decode, check)
    enough("signed the list of answerers", opening, found, rejected)
    told = Evidence(opening.digest, {number: each.signature for number, each in found.items()}).encode()
    return Proved(state, tuple(found), (*state.rejected, *rejected)), dict.fromkeys(found, told)
