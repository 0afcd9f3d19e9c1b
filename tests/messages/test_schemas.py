"""The schemas: closed, distinct, in range, and every field says what it reveals."""

import numpy as np
import pytest

from covey.messages.catalogue import SCHEMAS, UPDATE_SCHEMAS
from covey.messages.ncf import AGGREGATIONS, NCF_UPDATES
from covey.messages.schema import Field, Schema

FIELDS = [(schema, field) for schema in SCHEMAS for field in schema.fields]
every_field = pytest.mark.parametrize(
    ("schema", "field"), FIELDS, ids=[f"{s.message}.{f.name}" for s, f in FIELDS]
)


def test_every_aggregation_has_a_schema_and_every_schema_a_number_of_its_own() -> None:
    assert tuple(NCF_UPDATES) == AGGREGATIONS
    assert (
        len({schema.number for schema in SCHEMAS})
        == len({schema.message for schema in SCHEMAS})
        == len(SCHEMAS)
    )


@every_field
def test_every_field_says_what_it_reveals(schema: Schema, field: Field) -> None:
    assert len(field.reveals.split()) >= 3
    assert schema.field(field.name) is field


@every_field
def test_fields_are_little_endian_on_the_wire(schema: Schema, field: Field) -> None:
    assert field.wire.startswith("<")
    assert np.dtype(field.wire).itemsize == int(field.wire[-1])  # as the ledger counts


@every_field
def test_a_declared_limit_fits_the_wire_and_billions_of_them_fit_a_sum(schema: Schema, field: Field) -> None:
    if field.step is None:
        return
    assert field.units <= np.iinfo(field.wire).max
    assert field.units * 2**32 < 2**63  # four billion people at the limit
    # A step that is a power of two makes worth = units x step exact.
    assert np.frexp(field.step)[0] == 0.5


def test_everything_that_is_averaged_goes_up_in_fixed_point() -> None:
    for schema in UPDATE_SCHEMAS.values():
        assert schema.direction == "up"
        assert {field.name for field in schema.fields if field.step is None} <= {"rows", "instances"}


def test_an_unknown_field_is_an_error() -> None:
    with pytest.raises((StopIteration, KeyError, ValueError)):
        UPDATE_SCHEMAS["simple"].field("history")
