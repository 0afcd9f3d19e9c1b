"""Delivery → the update under its own mask and under the masks in common with neighbours.

Of two neighbours the one with the lower number adds their common mask and the other subtracts it. The own mask keeps the
vector hidden from a server that calls somebody missing whose vector came late.
"""

from collections.abc import Sequence

from covey.aggregation.secure import keyring
from covey.aggregation.secure.masks import add_encoded, add_masks
from covey.aggregation.secure.phases.checks import Letter, accept, check_gaps, check_list, check_round, enough
from covey.aggregation.secure.states import Delivered, Listed, Masked, Shared, no_words
from covey.aggregation.secure.wire import Answerers, Delivery, MaskedVector
from covey.errors import AbandonedError, MessageError, PrivacyError

PHASE = "mask"


def at_home(state: Shared, received: bytes) -> tuple[Masked, bytes]:
    """Checks who is left, and masks."""
    state.spend()
    member, rollcall, opening = state.member, state.rollcall, state.rollcall.opening
    delivery = Delivery.decode(received)
    check_round(opening, delivery.round, delivery.people)
    dealt = opening.numbers(delivery.dealt)
    check_list("people who dealt shares", opening, member.number, dealt, rollcall.advertised)
    partners = rollcall.partners(member.number, dealt)
    if tuple(delivery.sealed) != partners:
        raise PrivacyError(
            "the shares delivered are not those of the neighbours on the list; nothing is answered"
        )
    if len(partners) + 1 < opening.terms.shares:
        raise PrivacyError(
            f"{len(partners)} neighbours are left, expected {opening.terms.shares - 1} or more: fewer masks would hide too "
            "little; nothing is answered"
        )
    layout, vector = opening.layout, opening.layout.pack(state.update)
    plus, minus = mask_keys(state, partners)
    add_masks(vector, layout, plus, minus)
    answer = MaskedVector(opening.digest, member.number, layout.encode(vector))
    new = Masked(member, rollcall, dealt, delivery.sealed, state.agreed, state.own_share)
    return new, answer.encode()


def mask_keys(state: Shared, partners: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
    """Keys of the masks that this person adds, their own first, and of those that they subtract."""
    me, roll, secrets = state.member.number, state.rollcall.digest, state.secrets
    plus, minus = [keyring.own_mask_key(secrets.seed, roll, me)], list[bytes]()
    for other in partners:
        try:
            agreed = keyring.agree(secrets.mask_private, state.mask_keys[other])
        except MessageError as error:
            raise PrivacyError(f"person {other}: {error}; nothing is answered") from None
        (plus if me < other else minus).append(keyring.pair_mask_key(agreed, roll, me, other))
    return plus, minus


def at_server(state: Delivered, letters: Sequence[Letter]) -> tuple[Listed, dict[int, bytes]]:
    """Adds up the masked vectors and tells whose they were."""
    rollcall, opening, dealt = state.rollcall, state.rollcall.opening, state.dealt
    layout = opening.layout

    def check(message: MaskedVector) -> None:
        if len(message.vector) != layout.byte_count:
            raise MessageError(f"masked vector has {len(message.vector)} bytes, expected {layout.byte_count}")

    found, rejected = accept(PHASE, opening, letters, dealt, MaskedVector.decode, check)
    enough("sent their masked vectors", opening, found, rejected)
    answered = tuple(found)
    try:
        check_gaps(rollcall, answered)
    except PrivacyError as error:
        raise AbandonedError(str(error), rejected) from None
    total = no_words(layout)
    for message in found.values():
        add_encoded(total, layout, message.vector)
    commitments = {number: dealing.commitment for number, dealing in state.dealings.items()}
    new = Listed(rollcall, state.mask_keys, commitments, total, answered, (*state.rejected, *rejected))
    told = Answerers(opening.digest, opening.places(answered), len(opening.people)).encode()
    return new, dict.fromkeys(answered, told)
