"""Everybody's signatures → one share of each neighbour: of the own mask's seed of who answered, of the mask key of who
did not. Never both: which it is follows from the one list that was signed, and nobody can ask.
"""

from collections.abc import Sequence

from covey.aggregation.secure import keyring
from covey.aggregation.secure.masks import add_masks
from covey.aggregation.secure.phases.checks import Letter, accept, check_round
from covey.aggregation.secure.planes import Words
from covey.aggregation.secure.states import Acknowledged, Ended, Finished, Listed, Proved
from covey.aggregation.secure.wire import Evidence, Revelation
from covey.errors import AbandonedError, MessageError, PrivacyError

PHASE = "unmask"


def at_home(state: Acknowledged, received: bytes) -> tuple[Finished, bytes]:
    """Checks the signatures, and reveals."""
    state.spend()
    member, rollcall, opening = state.member, state.rollcall, state.rollcall.opening
    evidence = Evidence.decode(received)
    check_round(opening, evidence.round)
    _check_evidence(state, evidence)
    answered, shares = frozenset(state.answered), {member.number: state.own_share}
    for owner, sealed in state.sealed.items():
        try:
            of_seed, of_key = keyring.open_shares(
                state.agreed[owner], rollcall.digest, owner, member.number, sealed
            )
        except MessageError:
            continue  # what one neighbour sealed badly costs that neighbour a holder and nobody else anything
        shares[owner] = of_seed if owner in answered else of_key
    return Finished(member), Revelation(opening.digest, member.number, shares).encode()


def at_server(state: Proved, letters: Sequence[Letter]) -> tuple[Ended, dict[int, bytes]]:
    """Gives the secrets back from their shares and takes the masks off the sum."""
    listed, rollcall = state.listed, state.listed.rollcall
    opening = rollcall.opening

    def check(message: Revelation) -> None:
        held = {message.sender, *rollcall.partners(message.sender, listed.dealt)}
        if not set(message.shares) <= held:
            raise MessageError("shares are revealed that this person does not hold")
        for share in message.shares.values():
            keyring.check_share(share)

    found, rejected = accept(PHASE, opening, letters, state.acknowledged, Revelation.decode, check)
    shares: dict[int, dict[int, bytes]] = {number: {} for number in listed.dealt}  # owner -> holder -> share
    for sender, message in found.items():
        for owner, share in message.shares.items():
            shares[owner][sender] = share
    try:
        total = opening.layout.unpack(unmasked(listed, shares), len(listed.answered))
    except (AbandonedError, MessageError) as error:
        raise AbandonedError(str(error), rejected) from None
    return Ended(total, None, listed.answered, (*state.rejected, *rejected)), {}


def unmasked(listed: Listed, shares: dict[int, dict[int, bytes]]) -> Words:
    """The sum of the answerers' vectors without any mask; AbandonedError where a secret cannot be given back."""
    rollcall, roll = listed.rollcall, listed.rollcall.digest
    answered, layout = frozenset(listed.answered), listed.rollcall.opening.layout
    # What answerers added is subtracted and the other way round.
    plus, minus = list[bytes](), list[bytes]()
    for owner in listed.dealt:
        if owner in answered:
            minus.append(keyring.own_mask_key(_seed_of(listed, owner, shares[owner]), roll, owner))
            continue
        left = [each for each in rollcall.partners(owner, listed.dealt) if each in answered]
        private = _mask_key_of(listed, owner, shares[owner]) if left else b""
        for other in left:
            agreed = keyring.agree(private, listed.mask_keys[other])
            (minus if other < owner else plus).append(keyring.pair_mask_key(agreed, roll, owner, other))
    vector = listed.masked_total.copy()
    add_masks(vector, layout, plus, minus)
    return vector


def _seed_of(listed: Listed, owner: int, shares: dict[int, bytes]) -> bytes:
    roll, committed = listed.rollcall.digest, listed.commitments[owner]
    return _recovered(
        listed, owner, shares, lambda seed: keyring.seed_commitment(seed, roll, owner) == committed
    )


def _mask_key_of(listed: Listed, owner: int, shares: dict[int, bytes]) -> bytes:
    return _recovered(
        listed, owner, shares, lambda private: keyring.public_of(private) == listed.mask_keys[owner]
    )


def _recovered(listed: Listed, owner: int, shares: dict[int, bytes], is_right: keyring.Check) -> bytes:
    try:
        secret, _ = keyring.recover(shares, listed.rollcall.opening.terms.shares, is_right)
    except MessageError as error:
        raise AbandonedError(
            f"the masks of person {owner} cannot be taken off: {error}; the sum stays hidden, and another round can begin"
        ) from None
    return secret


def _check_evidence(state: Acknowledged, evidence: Evidence) -> None:
    """Raises PrivacyError unless enough answerers signed the lists that this person signed."""
    member, rollcall, opening = state.member, state.rollcall, state.rollcall.opening
    statement = rollcall.answerers_statement(state.dealt, state.answered)
    answered, signed = frozenset(state.answered), 0
    for number, signature in evidence.signatures.items():
        if number in answered and member.verify(member.agreement.roster[number], statement, signature):
            signed += 1
        if signed == opening.least:
            return
    raise PrivacyError(
        f"{signed} people signed the list of answerers that this person was shown, expected {opening.least} or more: others "
        "may have been shown other lists; no share is revealed"
    )
