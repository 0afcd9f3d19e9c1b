"""The raw codec: the contract, and its own header."""

import struct

import numpy as np
import pytest

from covey.errors import ConfigError, MessageError
from covey.messages.codecs import Raw, codec, update_bytes
from covey.messages.updates import ModelUpdate
from covey.testing import CodecContract


class TestRaw(CodecContract):
    def make(self) -> Raw:
        return Raw()

    def size(self, update: ModelUpdate) -> int:
        return update_bytes(
            update.schema, len(update.rows), update.item_values.shape[1], len(update.shared_values)
        )


UPDATE = ModelUpdate(
    round=258,
    kind="per-item",
    rows=np.array([1, 4], np.int32),
    item_values=np.array([[1], [-1]], np.int32),
    shared_values=np.array([3], np.int32),
    instances=10,
)


def test_every_byte_is_where_the_format_says() -> None:
    ours = Raw().encode(UPDATE)
    header = b"CVY1" + b"\x02\x00" + b"\x02\x01\x00\x00" + b"\x02\x00\x00\x00" + b"\x01\x00\x00\x00" * 2
    rows, deltas = b"\x01\x00\x00\x00\x04\x00\x00\x00", b"\x01\x00\x00\x00\xff\xff\xff\xff"
    assert ours == header + rows + deltas + b"\x03\x00\x00\x00" + b"\x0a" + b"\x00" * 7


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "shorter than its header"),
        (b"PNG1" + Raw().encode(UPDATE)[4:], "begins with b'PNG1'"),
        (b"CVY1\x63\x00" + Raw().encode(UPDATE)[6:], "schema 99"),
        (b"CVY1\x01\x00" + Raw().encode(UPDATE)[6:], "schema 1"),  # the plan's: nobody sends plans up
        (Raw().encode(UPDATE)[:-1], "its header promises"),
        (struct.pack("<4sHIIII", b"CVY1", 2, 0, 2**32 - 1, 2**32 - 1, 2**32 - 1), "its header promises"),
    ],
)
def test_what_is_no_update_is_refused_with_its_reason(data: bytes, words: str) -> None:
    with pytest.raises(MessageError, match=words):
        Raw().decode(data)


def test_what_is_decoded_can_be_written_to() -> None:
    # frombuffer gives read-only views; an aggregator may add in place.
    assert Raw().decode(Raw().encode(UPDATE)).item_values.flags.writeable


def test_an_unknown_codec_is_named_with_the_nearest() -> None:
    assert codec("raw").name == "raw"
    with pytest.raises(ConfigError, match="did you mean 'raw'"):
        codec("row")
