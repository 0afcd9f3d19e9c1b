"""Roll → shares of both secrets of this round, sealed for each neighbour.

Whoever drops out later leaves a mask in the sum that only the neighbours together can take off.
"""

from collections.abc import Sequence

from covey.aggregation.secure import keyring
from covey.aggregation.secure.agreement import Rollcall
from covey.aggregation.secure.graph import check_opening
from covey.aggregation.secure.phases.advertise import check_keys
from covey.aggregation.secure.phases.checks import Letter, accept, check_list, check_round, enough
from covey.aggregation.secure.states import Advertised, Called, Delivered, Shared
from covey.aggregation.secure.wire import Advertisement, Dealing, Delivery, Roll
from covey.errors import MessageError, PrivacyError

PHASE = "share"


def at_home(state: Advertised, received: bytes) -> tuple[Shared, bytes]:
    """Checks the graph and the neighbours' keys, and deals."""
    state.spend()
    member, opening, secrets = state.member, state.opening, state.secrets
    roll = Roll.decode(received)
    check_round(opening, roll.round, roll.people)
    check_opening("graph", roll.graph_seed, opening.announcement.graph_commitment)
    advertised = opening.numbers(roll.advertised)
    check_list("people who sent keys", opening, member.number, advertised, opening.people)
    rollcall = Rollcall(opening, roll.graph_seed, advertised)
    keys = _neighbours_keys(state, rollcall, roll)
    agreed = {number: _agreed(secrets.sealing_private, each) for number, each in keys.items()}
    shares = keyring.deal_shares(secrets, sorted([member.number, *keys]), opening.terms.shares)
    sealed = {
        number: keyring.seal_shares(agreed[number], rollcall.digest, member.number, number, shares[number])
        for number in keys
    }
    commitment = keyring.seed_commitment(secrets.seed, rollcall.digest, member.number)
    answer = Dealing(opening.digest, member.number, commitment, sealed)
    mask_keys = {number: each.mask_key for number, each in keys.items()}
    own_share = shares[member.number][: keyring.SHARE_BYTES]
    return Shared(member, state.update, rollcall, secrets, mask_keys, agreed, own_share), answer.encode()


def at_server(state: Called, letters: Sequence[Letter]) -> tuple[Delivered, dict[int, bytes]]:
    """Takes the sealed shares and gives each of them to whom it is for."""
    rollcall, opening = state.rollcall, state.rollcall.opening

    def check(message: Dealing) -> None:
        expected = rollcall.graph.neighbours(message.sender)
        if tuple(message.sealed) != expected:
            raise MessageError(
                f"shares are dealt to {len(message.sealed)} people, expected the {len(expected)} neighbours"
            )

    found, rejected = accept(PHASE, opening, letters, rollcall.advertised, Dealing.decode, check)
    enough("dealt shares", opening, found, rejected)
    mask_keys = {number: state.advertisements[number].mask_key for number in found}
    new = Delivered(rollcall, mask_keys, found, (*state.rejected, *rejected))
    places, count = opening.places(new.dealt), len(opening.people)
    deliveries = dict[int, bytes]()
    for number in found:
        sealed = {each: found[each].sealed[number] for each in rollcall.partners(number, new.dealt)}
        deliveries[number] = Delivery(opening.digest, places, count, sealed).encode()
    return new, deliveries


def _neighbours_keys(state: Advertised, rollcall: Rollcall, roll: Roll) -> dict[int, Advertisement]:
    """The neighbours' keys; PrivacyError where the graph or a key is not what it has to be."""
    member, opening = state.member, state.opening
    expected = rollcall.graph.neighbours(member.number)
    if tuple(roll.neighbours) != expected:
        raise PrivacyError(
            "the neighbours that the server shows are not those that follow from the seed and the list of people; "
            "nothing is answered"
        )
    found = dict[int, Advertisement]()
    for number, keys in roll.neighbours.items():
        found[number] = Advertisement.of_keys(opening.digest, number, keys)
        try:
            check_keys(opening, member.agreement.roster[number], found[number], member.verify)
        except MessageError as error:
            raise PrivacyError(
                f"{error}: the server may have put its own in their place; nothing is answered"
            ) from None
    return found


def _agreed(private: bytes, neighbour: Advertisement) -> bytes:
    try:
        return keyring.agree(private, neighbour.sealing_key)
    except MessageError as error:
        raise PrivacyError(f"person {neighbour.sender}: {error}; nothing is answered") from None
