"""Encryption that nobody can change unnoticed: ChaCha20-Poly1305 (RFC 8439), with a fresh random nonce each time.

ChaCha20 rather than AES: shares are sealed on phones too, and it takes the same time on processors without AES.
"""

import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from covey.errors import MessageError

NONCE_BYTES = 12
TAG_BYTES = 16
OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES


def seal(key: bytes, plain: bytes, bound_to: bytes) -> bytes:
    """Nonce and ciphertext; opens only with the key and with what it is bound to."""
    return sealed_with(os.urandom(NONCE_BYTES), key, plain, bound_to)


def sealed_with(nonce: bytes, key: bytes, plain: bytes, bound_to: bytes) -> bytes:
    """`seal` with a nonce given, for test vectors: a nonce that comes twice under one key gives both texts away."""
    return nonce + ChaCha20Poly1305(key).encrypt(nonce, plain, bound_to)


def unseal(key: bytes, sealed: bytes, bound_to: bytes) -> bytes:
    """What was sealed; MessageError where the key, the text or what it is bound to is another."""
    try:
        return ChaCha20Poly1305(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound_to)
    except (InvalidTag, ValueError):
        raise MessageError(
            "sealed shares do not open: they were changed or meant for somebody else"
        ) from None
