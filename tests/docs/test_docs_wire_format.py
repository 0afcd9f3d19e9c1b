"""protocol/vectors/update.json against the code: examples both ways, refusals, and fixed point."""

import json

import numpy as np
import pytest
from repository import ROOT

from covey.errors import MessageError
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.codecs import codec, header_bytes
from covey.messages.fixed import from_fixed, to_fixed
from covey.messages.schema import Field
from covey.messages.updates import ModelUpdate

VECTORS = json.loads((ROOT / "protocol/vectors/update.json").read_text("utf-8"))
RAW = codec("raw")


def update_of(vector: dict) -> ModelUpdate:
    rows = np.array(vector["rows"], np.int32)
    return ModelUpdate(
        vector["round"],
        vector["kind"],
        rows,
        np.array(vector["item_values"], np.int32).reshape(len(rows), vector["width"]),
        np.array(vector["shared_values"], np.int32),
        vector["instances"],
    )


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda vector: vector["what"])
def test_an_update_is_written_as_the_page_says(vector):
    assert RAW.encode(update_of(vector)).hex() == vector["bytes"]


@pytest.mark.parametrize("vector", VECTORS["valid"], ids=lambda vector: vector["what"])
def test_the_bytes_are_read_as_the_page_says(vector):
    read, expected = RAW.decode(bytes.fromhex(vector["bytes"])), update_of(vector)
    assert (read.round, read.kind, read.instances) == (
        expected.round,
        expected.kind,
        expected.instances,
    )
    for name in ("rows", "item_values", "shared_values"):
        np.testing.assert_array_equal(getattr(read, name), getattr(expected, name), strict=True)


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["what"])
def test_bytes_that_are_no_message_are_refused_with_the_reason(vector):
    with pytest.raises(MessageError, match=vector["refusal"]):
        RAW.decode(bytes.fromhex(vector["bytes"]))


@pytest.mark.parametrize("vector", VECTORS["fixed_point"], ids=lambda vector: vector["what"])
def test_a_number_becomes_as_many_steps_as_the_page_says(vector):
    field = Field("any", (), "<i4", "", 2.0 ** vector["step_power"], vector["range"])
    units, clipped = to_fixed(np.array([vector["value"]]), field)
    assert (int(units[0]), bool(clipped)) == (vector["units"], vector["clipped"])
    back = from_fixed(units.astype(np.int64), field)[0]
    assert back == vector["units"] * 2.0 ** vector["step_power"]


def test_every_schema_of_an_update_has_an_example():
    assert {vector["kind"] for vector in VECTORS["valid"]} == set(UPDATE_SCHEMAS)


def test_the_page_names_the_sizes_that_the_code_writes():
    page = (ROOT / "protocol/README.md").read_text("utf-8")
    empty = next(vector for vector in VECTORS["valid"] if not vector["rows"])
    assert len(empty["bytes"]) // 2 == header_bytes() + 4 * len(empty["shared_values"]) + 8
    assert f"## The header, {header_bytes()} bytes" in page
    for name, schema in UPDATE_SCHEMAS.items():
        assert f"{schema.number} (`{schema.message}`)" in page, name
