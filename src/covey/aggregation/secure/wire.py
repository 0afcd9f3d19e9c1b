"""The messages of a round as bytes, and back. `protocol/secure.md` has every layout in prose.

Each begins with "CVS1" and its schema's number; each but the announcement then says which round it is of, and those of
people who sends. A decoder takes exactly the bytes that a message needs and raises MessageError for any others, so equal
messages are equal bytes. What a message may hold in a round is for the phases to check.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from covey.aggregation.secure.graph import SEED_BYTES
from covey.aggregation.secure.keyring import (
    DIGEST_BYTES,
    KEY_BYTES,
    SEALED_BYTES,
    SHARE_BYTES,
    SIGNATURE_BYTES,
)
from covey.errors import MessageError
from covey.messages import secure as schemas
from covey.messages.schema import Schema

MAGIC = b"CVS1"
MOST_PEOPLE = 2**20  # in a round; a longer list is refused before it is read
_U16 = struct.Struct("<H")
_LAYOUT = struct.Struct("<IHIIII")  # round, schema, items, width, shared, people
_U32 = struct.Struct("<I")


class Reader:
    """Takes a message apart from its beginning."""

    def __init__(self, data: bytes, schema: Schema) -> None:
        self._data, self._at, self._name = data, 0, schema.message
        magic, number = self.take(len(MAGIC)), self.numbers(_U16)[0]
        if magic != MAGIC:
            raise MessageError(f"message begins with {magic!r}, expected {MAGIC!r}")
        if number != schema.number:
            raise MessageError(f"message has schema {number}, expected {schema.number} ({self._name})")

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if count > len(self._data) - self._at:
            raise MessageError(
                f"{self._name} ends after {len(self._data)} bytes, expected {self._at + count} or more"
            )
        self._at += count
        return self._data[self._at - count : self._at]

    def numbers(self, layout: struct.Struct) -> tuple[int, ...]:
        """The next numbers."""
        return layout.unpack(self.take(layout.size))

    def number(self) -> int:
        """The next u32."""
        return self.numbers(_U32)[0]

    def count(self, bytes_each: int) -> int:
        """The next u32, how many things of so many bytes follow; they must be there."""
        count = self.number()
        if count > MOST_PEOPLE or count * bytes_each > len(self._data) - self._at:
            raise MessageError(
                f"{self._name} promises {count} entries of {bytes_each} bytes, which are not there"
            )
        return count

    def people(self, count: int) -> tuple[int, ...]:
        """The next so many numbers of people, increasing."""
        if count > MOST_PEOPLE:
            raise MessageError(f"{self._name} lists {count} people, expected {MOST_PEOPLE} at most")
        numbers = np.frombuffer(self.take(4 * count), "<u4").astype(np.int64)
        if np.any(np.diff(numbers) <= 0):
            raise MessageError(
                f"{self._name} lists people out of order or twice, expected increasing numbers"
            )
        return tuple(numbers.tolist())

    def places(self) -> tuple[int, tuple[int, ...]]:
        """How many people the announcement had, and which places among them are marked, in increasing order."""
        count = self.number()
        if count > MOST_PEOPLE:
            raise MessageError(f"{self._name} speaks of {count} people, expected {MOST_PEOPLE} at most")
        bits = np.unpackbits(np.frombuffer(self.take(-(-count // 8)), np.uint8), bitorder="little")
        if bits[count:].any():
            raise MessageError(f"{self._name} marks people beyond the {count} that it speaks of")
        return count, tuple(np.flatnonzero(bits[:count]).tolist())

    def entries(self, bytes_each: int) -> dict[int, bytes]:
        """The next entries, a person's number and so many bytes each, in increasing order."""
        entries, last = dict[int, bytes](), -1
        for _ in range(self.count(4 + bytes_each)):
            number = self.number()
            if number <= last:
                raise MessageError(
                    f"{self._name} has entries out of order or twice, expected increasing numbers"
                )
            entries[number], last = self.take(bytes_each), number
        return entries

    def rest(self) -> bytes:
        """Everything that is left."""
        return self.take(len(self._data) - self._at)

    def end(self) -> None:
        """Raises MessageError where bytes are left."""
        if self._at != len(self._data):
            raise MessageError(f"{self._name} has {len(self._data)} bytes, expected {self._at}")


def _start(schema: Schema, *parts: bytes) -> bytes:
    return b"".join((MAGIC, _U16.pack(schema.number), *parts))


def place_bytes(places: Sequence[int], people: int) -> bytes:
    """How many people there are, and a bit for each, the first in the lowest bit of the first byte."""
    bits = np.zeros(people, np.uint8)
    bits[list(places)] = 1
    return _U32.pack(people) + np.packbits(bits, bitorder="little").tobytes()


def _entry_bytes(entries: dict[int, bytes]) -> bytes:
    return _U32.pack(len(entries)) + b"".join(
        _U32.pack(number) + entries[number] for number in sorted(entries)
    )


@dataclass(frozen=True)
class Announcement:
    """Server to everybody asked: a round begins."""

    agreement: bytes
    round: int
    schema: int
    items: int
    width: int
    shared: int
    graph_commitment: bytes
    selection_seed: bytes
    people: tuple[int, ...]

    def encode(self) -> bytes:
        layout = _LAYOUT.pack(self.round, self.schema, self.items, self.width, self.shared, len(self.people))
        body = (self.agreement, layout, self.graph_commitment, self.selection_seed)
        return _start(schemas.ANNOUNCEMENT, *body, np.array(self.people, "<u4").tobytes())

    @classmethod
    def decode(cls, data: bytes) -> "Announcement":
        reader = Reader(data, schemas.ANNOUNCEMENT)
        agreement = reader.take(DIGEST_BYTES)
        *layout, count = reader.numbers(_LAYOUT)
        commitment, seed = reader.take(DIGEST_BYTES), reader.take(SEED_BYTES)
        people = reader.people(count)
        reader.end()
        round_id, schema, items, width, shared = layout
        return cls(agreement, round_id, schema, items, width, shared, commitment, seed, people)


@dataclass(frozen=True)
class Advertisement:
    """A person to the server: the public keys of this round, signed by the enrolled key."""

    round: bytes
    sender: int
    mask_key: bytes
    sealing_key: bytes
    signature: bytes

    BYTES = 2 * KEY_BYTES + SIGNATURE_BYTES  # of keys and signature

    @property
    def keys(self) -> bytes:
        """What is passed on to neighbours."""
        return self.mask_key + self.sealing_key + self.signature

    @classmethod
    def of_keys(cls, about: bytes, sender: int, keys: bytes) -> "Advertisement":
        """The advertisement whose keys were passed on."""
        cut = KEY_BYTES, 2 * KEY_BYTES
        return cls(about, sender, keys[: cut[0]], keys[cut[0] : cut[1]], keys[cut[1] :])

    def encode(self) -> bytes:
        return _start(schemas.ADVERTISEMENT, self.round, _U32.pack(self.sender), self.keys)

    @classmethod
    def decode(cls, data: bytes) -> "Advertisement":
        reader = Reader(data, schemas.ADVERTISEMENT)
        about, sender, keys = reader.take(DIGEST_BYTES), reader.number(), reader.take(cls.BYTES)
        reader.end()
        return cls.of_keys(about, sender, keys)


@dataclass(frozen=True)
class Roll:
    """Server to each who advertised: the opened seed, who else advertised, and the neighbours' keys."""

    round: bytes
    graph_seed: bytes
    advertised: tuple[int, ...]  # places
    people: int
    neighbours: dict[int, bytes]  # number -> keys and signature

    def encode(self) -> bytes:
        places = place_bytes(self.advertised, self.people)
        return _start(schemas.ROLL, self.round, self.graph_seed, places, _entry_bytes(self.neighbours))

    @classmethod
    def decode(cls, data: bytes) -> "Roll":
        reader = Reader(data, schemas.ROLL)
        about, seed = reader.take(DIGEST_BYTES), reader.take(SEED_BYTES)
        people, places = reader.places()
        neighbours = reader.entries(Advertisement.BYTES)
        reader.end()
        return cls(about, seed, places, people, neighbours)


@dataclass(frozen=True)
class Dealing:
    """A person to the server: a commitment to the seed of their own mask, and sealed shares for the neighbours."""

    round: bytes
    sender: int
    commitment: bytes
    sealed: dict[int, bytes]  # receiver -> sealed shares

    def encode(self) -> bytes:
        body = (self.round, _U32.pack(self.sender), self.commitment, _entry_bytes(self.sealed))
        return _start(schemas.DEALING, *body)

    @classmethod
    def decode(cls, data: bytes) -> "Dealing":
        reader = Reader(data, schemas.DEALING)
        about, sender, commitment = reader.take(DIGEST_BYTES), reader.number(), reader.take(DIGEST_BYTES)
        sealed = reader.entries(SEALED_BYTES)
        reader.end()
        return cls(about, sender, commitment, sealed)


@dataclass(frozen=True)
class Delivery:
    """Server to each who dealt: who dealt, and what the neighbours sealed for the receiver."""

    round: bytes
    dealt: tuple[int, ...]  # places
    people: int
    sealed: dict[int, bytes]  # sender -> sealed shares

    def encode(self) -> bytes:
        places = place_bytes(self.dealt, self.people)
        return _start(schemas.DELIVERY, self.round, places, _entry_bytes(self.sealed))

    @classmethod
    def decode(cls, data: bytes) -> "Delivery":
        reader = Reader(data, schemas.DELIVERY)
        about = reader.take(DIGEST_BYTES)
        people, places = reader.places()
        sealed = reader.entries(SEALED_BYTES)
        reader.end()
        return cls(about, places, people, sealed)


@dataclass(frozen=True)
class MaskedVector:
    """A person to the server: the update under masks."""

    round: bytes
    sender: int
    vector: bytes

    def encode(self) -> bytes:
        return _start(schemas.MASKED, self.round, _U32.pack(self.sender), self.vector)

    @classmethod
    def decode(cls, data: bytes) -> "MaskedVector":
        reader = Reader(data, schemas.MASKED)
        return cls(reader.take(DIGEST_BYTES), reader.number(), reader.rest())


@dataclass(frozen=True)
class Answerers:
    """Server to each whose vector came: whose vectors are in the sum."""

    round: bytes
    answered: tuple[int, ...]  # places
    people: int

    def encode(self) -> bytes:
        return _start(schemas.ANSWERERS, self.round, place_bytes(self.answered, self.people))

    @classmethod
    def decode(cls, data: bytes) -> "Answerers":
        reader = Reader(data, schemas.ANSWERERS)
        about = reader.take(DIGEST_BYTES)
        people, places = reader.places()
        reader.end()
        return cls(about, places, people)


@dataclass(frozen=True)
class Acknowledgement:
    """A person to the server: a signature under the lists that they were shown."""

    round: bytes
    sender: int
    signature: bytes

    def encode(self) -> bytes:
        return _start(schemas.ACKNOWLEDGEMENT, self.round, _U32.pack(self.sender), self.signature)

    @classmethod
    def decode(cls, data: bytes) -> "Acknowledgement":
        reader = Reader(data, schemas.ACKNOWLEDGEMENT)
        about, sender, signature = reader.take(DIGEST_BYTES), reader.number(), reader.take(SIGNATURE_BYTES)
        reader.end()
        return cls(about, sender, signature)


@dataclass(frozen=True)
class Evidence:
    """Server to each who acknowledged: the others' signatures under the same lists."""

    round: bytes
    signatures: dict[int, bytes]

    def encode(self) -> bytes:
        return _start(schemas.EVIDENCE, self.round, _entry_bytes(self.signatures))

    @classmethod
    def decode(cls, data: bytes) -> "Evidence":
        reader = Reader(data, schemas.EVIDENCE)
        about, signatures = reader.take(DIGEST_BYTES), reader.entries(SIGNATURE_BYTES)
        reader.end()
        return cls(about, signatures)


@dataclass(frozen=True)
class Revelation:
    """A person to the server: one share of each person whose shares they hold, of one kind or the other."""

    round: bytes
    sender: int
    shares: dict[int, bytes]  # whose secret -> share

    def encode(self) -> bytes:
        return _start(schemas.REVELATION, self.round, _U32.pack(self.sender), _entry_bytes(self.shares))

    @classmethod
    def decode(cls, data: bytes) -> "Revelation":
        reader = Reader(data, schemas.REVELATION)
        about, sender, shares = reader.take(DIGEST_BYTES), reader.number(), reader.entries(SHARE_BYTES)
        reader.end()
        return cls(about, sender, shares)
