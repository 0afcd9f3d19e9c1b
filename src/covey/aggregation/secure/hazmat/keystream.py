"""Streams of bytes that a 256-bit key makes: AES-256 in counter mode (NIST SP 800-38A), the counter from zero.

A key makes one stream, so no part of it is ever used for anything else.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

Bytes = npt.NDArray[np.uint8]

_COUNTER_FROM_ZERO = bytes(16)


class Keystream:
    """The stream of one key, read from its beginning on."""

    __slots__ = ("_encryptor",)

    def __init__(self, key: bytes) -> None:
        # AES256 and not AES: a key of another length is an error and not a weaker cipher.
        self._encryptor: Any = Cipher(algorithms.AES256(key), modes.CTR(_COUNTER_FROM_ZERO)).encryptor()

    def fill(self, zeros: Bytes, into: Bytes) -> None:
        """Writes the next len(zeros) bytes of the stream; zeros are what is encrypted to get them."""
        self._encryptor.update_into(zeros, into)
