"""Elliptic curves: X25519 for secrets that two people share (RFC 7748), Ed25519 for signatures (RFC 8032)."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from covey.errors import MessageError

KEY_BYTES = 32
SIGNATURE_BYTES = 64


def agreement_public(private: bytes) -> bytes:
    """The X25519 public key of these 32 private bytes."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def agree(private: bytes, public: bytes) -> bytes:
    """The 32 bytes that only the holders of either private key can work out.

    Raises MessageError for a public key of small order: with it the result would be the same for everybody.
    """
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(public)
        )
    except ValueError:
        raise MessageError(
            "a public key is no usable point of Curve25519; make a new pair and send its key"
        ) from None


def signing_public(private: bytes) -> bytes:
    """The Ed25519 public key of these 32 private bytes."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, statement: bytes) -> bytes:
    """A signature under the statement, 64 bytes."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(statement)


def is_signed(public: bytes, statement: bytes, signature: bytes) -> bool:
    """Whether the owner of the public key signed the statement."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, statement)
    except (InvalidSignature, ValueError):
        return False
    return True
