"""Messages as bytes. `raw` writes every field as its schema says, little-endian, behind a short header.

magic "CVY1" | schema u16 | round u32 | touched rows u32 | width u32 | shared values u32 | fields in order
"""

import struct
from typing import Protocol

import numpy as np

from covey.errors import MessageError, unknown
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.schema import Schema
from covey.messages.updates import ModelUpdate, TrainingPlan

_MAGIC = b"CVY1"
_HEADER = struct.Struct("<4sHIIII")
_INSTANCES = struct.Struct("<q")
_KIND_OF = {schema.number: name for name, schema in UPDATE_SCHEMAS.items()}


class Codec(Protocol):
    """Turns updates into bytes and back; the round trip changes nothing."""

    name: str

    def encode(self, update: ModelUpdate) -> bytes:
        """The update as bytes."""
        ...

    def decode(self, data: bytes) -> ModelUpdate:
        """The update that the bytes hold; MessageError where they hold none."""
        ...


class Raw:
    """Every field as it is."""

    name = "raw"

    def encode(self, update: ModelUpdate) -> bytes:
        header = _HEADER.pack(
            _MAGIC,
            update.schema.number,
            update.round,
            len(update.rows),
            update.item_values.shape[1],
            len(update.shared_values),
        )
        arrays = (update.rows, update.item_values, update.shared_values)
        body = b"".join(np.ascontiguousarray(array, "<i4").tobytes() for array in arrays)
        return header + body + (_INSTANCES.pack(update.instances) if update.schema.counts_instances else b"")

    def decode(self, data: bytes) -> ModelUpdate:
        if len(data) < _HEADER.size:
            raise MessageError(f"message of {len(data)} bytes is shorter than its header of {_HEADER.size}")
        magic, number, round_id, touched, width, shared = _HEADER.unpack_from(data)
        if magic != _MAGIC:
            raise MessageError(f"message begins with {magic!r}, expected {_MAGIC!r}")
        if number not in _KIND_OF:
            raise MessageError(f"message has schema {number}, expected one of {sorted(_KIND_OF)}")
        schema = UPDATE_SCHEMAS[_KIND_OF[number]]
        expected = update_bytes(schema, touched, width, shared)
        if len(data) != expected:
            raise MessageError(f"message has {len(data)} bytes, its header promises {expected}")
        values = np.frombuffer(data, "<i4", count=touched * (1 + width) + shared, offset=_HEADER.size)
        rows, rest = values[:touched], values[touched:]
        counted = schema.counts_instances
        instances = _INSTANCES.unpack_from(data, len(data) - _INSTANCES.size)[0] if counted else 0
        return ModelUpdate(
            round_id,
            _KIND_OF[number],
            rows.astype(np.int32),
            rest[: touched * width].reshape(touched, width).astype(np.int32),
            rest[touched * width :].astype(np.int32),
            instances,
        )


CODECS: dict[str, Codec] = {"raw": Raw()}


def codec(name: str) -> Codec:
    """The codec of that name."""
    if name not in CODECS:
        raise unknown("codec", name, CODECS)
    return CODECS[name]


def update_bytes(schema: Schema, touched: int, width: int, shared: int) -> int:
    """Bytes of a raw update that touches so many rows."""
    counted = _INSTANCES.size if schema.counts_instances else 0
    return _HEADER.size + 4 * (touched * (1 + width) + shared) + counted


def header_bytes() -> int:
    """Bytes of a message before its fields."""
    return _HEADER.size


def plan_bytes(plan: TrainingPlan) -> int:
    """Bytes of a raw plan: the header, the recipe, the whole table and the network."""
    return _HEADER.size + 8 * len(plan.recipe) + 4 * (plan.items.size + plan.network.size)
