"""The closed list: every message of every system. What is not here does not leave a device."""

from covey.messages.fcf import FCF_UPDATES
from covey.messages.fedsplit import FEDSPLIT_DOWN, FEDSPLIT_UPDATES
from covey.messages.fpl import FPL_UPDATES
from covey.messages.ncf import NCF_UPDATES
from covey.messages.schema import Field, Schema
from covey.messages.secure import SECURE_MESSAGES

PLAN_SCHEMA = Schema(
    "TrainingPlan",
    1,
    "down",
    (
        Field(
            "items",
            ("item", "factor"),
            "<f4",
            "nothing of the receiver; the whole table goes to everybody alike",
        ),
        Field("network", ("weight",), "<f4", "nothing of the receiver; the same for everybody"),
        Field("recipe", ("setting",), "<f8", "nothing of the receiver: how to work at home"),
    ),
)

# kind of a round -> what its devices send
UPDATE_SCHEMAS: dict[str, Schema] = {**NCF_UPDATES, **FCF_UPDATES, **FPL_UPDATES, **FEDSPLIT_UPDATES}

SCHEMAS: tuple[Schema, ...] = (PLAN_SCHEMA, *UPDATE_SCHEMAS.values(), *FEDSPLIT_DOWN, *SECURE_MESSAGES)
