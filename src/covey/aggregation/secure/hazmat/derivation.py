"""Keys from secrets (HKDF-SHA256, RFC 5869), and hashes that commit to a value."""

from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

DERIVED_BYTES = 32


def derive(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """A 256-bit key that the secret, the salt and the info make, and that says nothing of the secret."""
    return HKDF(SHA256(), DERIVED_BYTES, salt, info).derive(secret)


def digest(*parts: bytes) -> bytes:
    """SHA-256 of the parts one after another, 32 bytes."""
    hashing = Hash(SHA256())
    for part in parts:
        hashing.update(part)
    return hashing.finalize()
