"""The tables of docs/reference/what-leaves-the-device.md, from the schemas of the messages."""

from covey.messages.catalogue import SCHEMAS
from covey.messages.schema import Field, Schema
from covey_docs.markers import table

_HEAD = ["field", "axes", "on the wire", "one step", "range", "what it reveals to who reads it alone"]
_TYPES = {"<i4": "i32", "<i8": "i64", "<f4": "f32", "<f8": "f64", "<u1": "u8", "<u4": "u32"}


def message(name: str) -> str:
    """The table of one message's fields."""
    schema = next(schema for schema in SCHEMAS if schema.message == name)
    return table(_HEAD, [_row(field) for field in schema.fields])


def overview(_: str) -> str:
    """The list of all messages."""
    rows = [[f"`{each.message}`", _direction(each), str(each.number), _fields(each)] for each in SCHEMAS]
    return table(["message", "direction", "number on the wire", "fields"], rows)


def _row(field: Field) -> list[str]:
    axes = " × ".join(field.axes) or "one"
    step, limit = "-", "any"
    if field.step is not None and field.limit is not None:
        step, limit = f"2^{_power(field.step)}", f"±{field.limit:g}, clipped beyond"
    return [f"`{field.name}`", axes, _TYPES[field.wire], step, limit, field.reveals]


def _power(step: float) -> int:
    mantissa, power = float(step).hex().split("p")
    if mantissa != "0x1.0000000000000":
        raise ValueError(f"step {step} is no power of two")
    return int(power)


def _direction(schema: Schema) -> str:
    return {"up": "device to server", "down": "server to device"}[schema.direction]


def _fields(schema: Schema) -> str:
    return ", ".join(f"`{field.name}`" for field in schema.fields)
