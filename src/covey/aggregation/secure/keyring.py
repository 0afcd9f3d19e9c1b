"""Every key, commitment and share of a round, made from primitives under names that say what they are for.

A label stands before everything that is hashed, signed or derived, so that nothing made for one purpose passes for
another: LABEL, a word for the purpose, a zero byte.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from covey.aggregation.secure.hazmat import curves, sealing, shamir
from covey.aggregation.secure.hazmat.derivation import DERIVED_BYTES, derive, digest
from covey.errors import MessageError
from covey.privacy.home import StaysHome

LABEL = b"covey secure/1 "
DIGEST_BYTES = DERIVED_BYTES
KEY_BYTES = curves.KEY_BYTES
SIGNATURE_BYTES = curves.SIGNATURE_BYTES
SHARE_BYTES = shamir.SHARE_BYTES
SEALED_BYTES = 2 * SHARE_BYTES + sealing.OVERHEAD_BYTES
MOST_NUMBER = shamir.PRIME - 2  # of a person; their point in Shamir's sharing is one more

Verify = Callable[[bytes, bytes, bytes], bool]  # public key, statement, signature
Check = Callable[[bytes], bool]  # whether a secret that was given back is right


def labelled(purpose: str, *parts: bytes) -> bytes:
    """The parts behind the label of their purpose."""
    return b"".join((LABEL, purpose.encode(), b"\0", *parts))


def fingerprint(purpose: str, *parts: bytes) -> bytes:
    """SHA-256 of the labelled parts, 32 bytes."""
    return digest(labelled(purpose, *parts))


def number_bytes(*numbers: int) -> bytes:
    """Numbers as u32, little-endian."""
    return b"".join(number.to_bytes(4, "little") for number in numbers)


class Identity(StaysHome):
    """A person's long-term signing key, drawn by the operating system. Only its public half is enrolled."""

    __slots__ = ("_private", "public")

    def __init__(self) -> None:
        self._private = os.urandom(KEY_BYTES)
        self.public = curves.signing_public(self._private)

    def sign(self, statement: bytes) -> bytes:
        """A signature under a labelled statement."""
        return curves.sign(self._private, statement)


class RoundSecrets(StaysHome):
    """What one person draws for one round: two key pairs and the seed of their own mask."""

    __slots__ = ("mask_private", "mask_public", "sealing_private", "sealing_public", "seed")

    def __init__(self) -> None:
        self.mask_private, self.sealing_private, self.seed = (os.urandom(KEY_BYTES) for _ in range(3))
        self.mask_public = curves.agreement_public(self.mask_private)
        self.sealing_public = curves.agreement_public(self.sealing_private)


def verify(public: bytes, statement: bytes, signature: bytes) -> bool:
    """Whether the owner of the enrolled key signed the statement."""
    return curves.is_signed(public, statement, signature)


def remembering_verify() -> Verify:
    """`verify` that does not look at the same signature twice.

    For simulations: a thousand people in one process look at the same thousand signatures.
    """
    return lru_cache(maxsize=2**14)(verify)


def check_usable(public: bytes) -> None:
    """Raises MessageError for a public key with which everybody would agree on the same secret."""
    curves.agree(os.urandom(KEY_BYTES), public)


def public_of(private: bytes) -> bytes:
    """The public half of a mask key."""
    return curves.agreement_public(private)


def agree(private: bytes, public: bytes) -> bytes:
    """The secret of two key pairs, from either private half."""
    return curves.agree(private, public)


def pair_mask_key(agreed: bytes, roll: bytes, one: int, other: int) -> bytes:
    """The key of two people's common mask, from the secret of their mask keys."""
    low, high = sorted((one, other))
    return derive(agreed, roll, labelled("pair mask", number_bytes(low, high)))


def own_mask_key(seed: bytes, roll: bytes, number: int) -> bytes:
    """The key of a person's own mask."""
    return derive(seed, roll, labelled("own mask", number_bytes(number)))


def seed_commitment(seed: bytes, roll: bytes, number: int) -> bytes:
    """What a person publishes of their seed: the seed given back by shares can be checked against it."""
    return derive(seed, roll, labelled("seed commitment", number_bytes(number)))


def deal_shares(secrets: RoundSecrets, holders: Sequence[int], threshold: int) -> dict[int, bytes]:
    """For each holder a share of the seed and a share of the mask key, one after the other."""
    points = [holder + 1 for holder in holders]
    of_seed = shamir.deal(secrets.seed, points, threshold)
    of_key = shamir.deal(secrets.mask_private, points, threshold)
    return {holder: of_seed[n] + of_key[n] for n, holder in enumerate(holders)}


def sealing_key(agreed: bytes, roll: bytes, sender: int, receiver: int) -> bytes:
    """The key of what one person seals for another, from the secret of their sealing keys; one for each direction."""
    return derive(agreed, roll, labelled("sealed shares", number_bytes(sender, receiver)))


def bound_to(roll: bytes, sender: int, receiver: int) -> bytes:
    """What sealed shares are bound to beside their key."""
    return labelled("sealed shares", roll, number_bytes(sender, receiver))


def seal_shares(agreed: bytes, roll: bytes, sender: int, receiver: int, shares: bytes) -> bytes:
    """The shares as only the receiver can read them."""
    return sealing.seal(sealing_key(agreed, roll, sender, receiver), shares, bound_to(roll, sender, receiver))


def open_shares(agreed: bytes, roll: bytes, sender: int, receiver: int, sealed: bytes) -> tuple[bytes, bytes]:
    """The share of the sender's seed and the share of their mask key; MessageError where they do not open."""
    key = sealing_key(agreed, roll, sender, receiver)
    shares = sealing.unseal(key, sealed, bound_to(roll, sender, receiver))
    for share in (of_seed := shares[:SHARE_BYTES], of_key := shares[SHARE_BYTES:]):
        check_share(share)
    return of_seed, of_key


def check_share(share: bytes) -> None:
    """Raises MessageError unless the bytes are a share."""
    shamir.elements_of(share)


def recover(shares: Mapping[int, bytes], threshold: int, is_right: Check) -> tuple[bytes, list[int]]:
    """The secret that passes the check, and the holders whose shares were found wrong on the way.

    Raises MessageError where there are too few shares or no run of them, around in a circle, gives a right secret.
    """
    holders = sorted(shares)
    if len(holders) < threshold:
        raise MessageError(f"{len(holders)} shares are there, {threshold} are needed")
    for first in range(len(holders)):
        chosen = list(islice(holders * 2, first, first + threshold))
        points, values = [holder + 1 for holder in chosen], [shares[holder] for holder in chosen]
        try:
            secret = shamir.combine(points, values)
        except MessageError:
            continue
        if is_right(secret):
            # Looked at only where a wrong share was in the way: it takes longer than the secret.
            others = [holder for holder in holders if holder not in chosen] if first else []
            return secret, [each for each in others if not _lies_on(shares[each], each, points, values)]
        if len(holders) == threshold:
            break
    raise MessageError("the shares that came do not give the secret that was committed to")


def _lies_on(share: bytes, holder: int, points: Sequence[int], values: Sequence[bytes]) -> bool:
    return bool((shamir.value_at(holder + 1, points, values) == shamir.elements_of(share)).all())
