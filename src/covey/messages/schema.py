"""What a message may hold: named fields, each with its axes, its range in fixed point and what it reveals.

Anything that is summed over people travels as whole numbers of a declared step. Whole numbers add up to the same
sum in any order, on any number of machines, in the clear or under masks; a value beyond its declared limit is
clipped and counted, never wrapped around.
"""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["up", "down"]


@dataclass(frozen=True)
class Field:
    """One array of a message."""

    name: str
    axes: tuple[str, ...]
    wire: str  # numpy dtype on the wire, little-endian
    reveals: str
    step: float | None = None  # what one unit is worth; None where the field is not in fixed point
    limit: float | None = None  # largest magnitude; beyond it a value is clipped and counted

    @property
    def units(self) -> int:
        """The limit in units of the step."""
        if self.step is None or self.limit is None:
            raise ValueError(f"field {self.name!r} is not in fixed point and has no limit in units")
        return round(self.limit / self.step)


@dataclass(frozen=True)
class Schema:
    """The closed list of fields of one message."""

    message: str
    number: int  # stands for the schema on the wire
    direction: Direction
    fields: tuple[Field, ...]

    @property
    def says_of_items(self) -> bool:
        """Whether an update says anything of single items."""
        return any("touched" in field.axes for field in self.fields)

    @property
    def item_field(self) -> Field:
        """What is said of each touched row, in fixed point."""
        return next(field for field in self.fields if field.step is not None and "touched" in field.axes)

    @property
    def shared_field(self) -> Field | None:
        """What belongs to no item, in fixed point; None where an update says nothing of the kind."""
        return next(
            (field for field in self.fields if field.step is not None and "touched" not in field.axes), None
        )

    @property
    def counts_instances(self) -> bool:
        """Whether an update says how much it was made from."""
        return any(field.name == "instances" for field in self.fields)

    def field(self, name: str) -> Field:
        """The field of that name."""
        return next(field for field in self.fields if field.name == name)
