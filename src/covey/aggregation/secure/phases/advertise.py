"""Announcement → two public keys for this round, signed by the enrolled key.

One pair is for masks and one for sealing shares: shares of the first private key may be revealed, the second never is.
"""

from collections.abc import Sequence

from covey.aggregation.secure import keyring
from covey.aggregation.secure.agreement import Opening, Rollcall
from covey.aggregation.secure.graph import check_opening
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.member import Member, Memory
from covey.aggregation.secure.phases.checks import Letter, accept, enough
from covey.aggregation.secure.states import Advertised, Announced, Called, Ready
from covey.aggregation.secure.wire import Advertisement, Announcement, Roll
from covey.errors import ConfigError, MessageError, PrivacyError
from covey.messages.updates import TrainingPlan

PHASE = "advertise"


def at_home(state: Ready, received: bytes) -> tuple[Advertised, bytes]:
    """Checks what was announced, and makes the keys."""
    state.spend()
    member, opening = state.member, Opening(state.member.agreement, Announcement.decode(received))
    _check_announcement(member, opening)
    _check_layout(opening, state.plan)
    secrets, number = keyring.RoundSecrets(), member.number
    signature = member.identity.sign(
        opening.keys_statement(number, secrets.mask_public, secrets.sealing_public)
    )
    answer = Advertisement(opening.digest, number, secrets.mask_public, secrets.sealing_public, signature)
    # Remembered from here on: whatever happens to this round, it cannot be announced again.
    known = member.remembering(Memory(opening.announcement.round, member.memory.groups))
    return Advertised(known, state.update, opening, secrets), answer.encode()


def at_server(state: Announced, letters: Sequence[Letter]) -> tuple[Called, dict[int, bytes]]:
    """Takes the keys, opens the seed of the graph, and gives everybody their neighbours' keys."""
    opening, roster = state.opening, state.opening.agreement.roster

    def check(message: Advertisement) -> None:
        check_keys(opening, roster[message.sender], message, keyring.verify)
        keyring.check_usable(message.mask_key)
        keyring.check_usable(message.sealing_key)

    found, rejected = accept(PHASE, opening, letters, opening.people, Advertisement.decode, check)
    enough("sent keys", opening, found, rejected)
    rollcall = Rollcall(opening, state.graph_seed, tuple(found))
    places, count = opening.places(rollcall.advertised), len(opening.people)
    rolls = dict[int, bytes]()
    for number in found:
        keys = {each: found[each].keys for each in rollcall.graph.neighbours(number)}
        rolls[number] = Roll(opening.digest, state.graph_seed, places, count, keys).encode()
    return Called(rollcall, found, (*state.rejected, *rejected)), rolls


def check_keys(opening: Opening, public: bytes, message: Advertisement, verify: keyring.Verify) -> None:
    """Raises MessageError unless the enrolled key signed these keys for this round."""
    statement = opening.keys_statement(message.sender, message.mask_key, message.sealing_key)
    if not verify(public, statement, message.signature):
        raise MessageError(f"the keys of person {message.sender} are not signed by their enrolled key")


def _check_announcement(member: Member, opening: Opening) -> None:
    """Raises PrivacyError for a round that this person did not agree to."""
    agreement, told = member.agreement, opening.announcement
    if told.agreement != agreement.digest:
        raise PrivacyError(
            "the announced round is under another agreement than the one enrolled in: other people, keys or terms; "
            "enrol anew if that is meant"
        )
    if told.round <= member.memory.last_round:
        raise PrivacyError(
            f"round {told.round} is announced, but round {member.memory.last_round} was here already: an old round "
            "played again could reveal more than once; wait for the next"
        )
    check_opening("selection", told.selection_seed, agreement.selection_commitment)
    if told.people != agreement.selection(told.selection_seed).people(told.round):
        raise PrivacyError(
            f"the announced group is not the one that the public seed selects for round {told.round}: somebody was put "
            "in or left out; nothing is answered"
        )
    if member.number not in told.people:
        raise PrivacyError(f"person {member.number} is not in the announced group; nothing is answered")
    try:
        _ = opening.terms
    except ConfigError as error:
        raise PrivacyError(f"the announced round cannot be kept private: {error}") from None


def _check_layout(opening: Opening, plan: TrainingPlan) -> None:
    """Raises MessageError where the announced vector is not that of the plan that this person answered."""
    told, mine = opening.announcement, Layout.of(plan, len(opening.people))
    announced = (told.round, told.schema, told.items, told.width, told.shared)
    expected = (plan.round, mine.schema.number, mine.items, mine.width, mine.shared)
    if announced != expected:
        raise MessageError(
            f"the announced round, schema, items, width and shared values are {announced}, expected {expected}, those of "
            "the plan; fetch the plan and train again"
        )
