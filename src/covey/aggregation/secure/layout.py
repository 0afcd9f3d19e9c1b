"""An update as one vector of unsigned integers, and the sum of such vectors as an UpdateSum.

Parts follow each other: the item values row after row, for each item whether the person sent its row, the shared values,
the instances. A person who left an item alone has zeros there, so every vector of a round has the same length and tells
nothing by it. A part's values have as many whole bytes as the sum of a whole group at the declared limits needs; a
negative number is its two's complement. So the sum can never wrap, and it has the bits of the plain sum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from covey.aggregation.secure.planes import BLOCK_VALUES, MOST_BYTES, Words, block_bytes
from covey.aggregation.sums import UpdateSum
from covey.errors import ConfigError, MessageError
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.schema import Schema
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.types import Ints

MOST_INSTANCES = 2**40  # of one person; the schemas declare no limit, and a sum under masks needs one


@dataclass(frozen=True)
class Part:
    """Values of one kind: how many, how large one person's can be, and the bytes of each in a sum."""

    name: str
    count: int
    limit: int  # largest magnitude of one person's value
    signed: bool
    people: int

    @property
    def bits(self) -> int:
        """Bits that hold the sum of everybody's values at the limit."""
        return (self.people * self.limit).bit_length() + self.signed

    @property
    def width(self) -> int:
        """Bytes of a value."""
        return -(-self.bits // 8)


@dataclass(frozen=True)
class Block:
    """Where a block of values is in the vector and in its bytes."""

    values: slice
    width: int  # bytes of a value
    place: slice  # in the bytes


@dataclass(frozen=True)
class Layout:
    """How updates of one round stand in a vector; everybody in the round uses the same."""

    kind: str
    items: int
    width: int  # numbers of an item row
    shared: int
    people: int  # the most that can be in the sum

    @classmethod
    def of(cls, plan: TrainingPlan, people: int) -> "Layout":
        """The layout of the answers of so many people to a plan."""
        items, width = plan.items.shape
        return cls(plan.kind, items, width, plan.shared_size, people)

    @property
    def schema(self) -> Schema:
        """The schema of the updates."""
        return UPDATE_SCHEMAS[self.kind]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts that this round's updates have, in their order."""
        schema, found = self.schema, list[Part]()
        if schema.says_of_items:
            units = schema.item_field.units
            found.append(Part("item values", self.items * self.width, units, True, self.people))
            found.append(Part("senders", self.items, 1, False, self.people))
        if schema.shared_field:
            found.append(Part("shared values", self.shared, schema.shared_field.units, True, self.people))
        if schema.counts_instances:
            found.append(Part("instances", 1, MOST_INSTANCES, False, self.people))
        wide = next((part for part in found if part.width > MOST_BYTES), None)
        if wide:
            raise ConfigError(
                f"the {wide.name} of {self.people} people need {wide.bits} bits to add up, expected 64 at most; "
                "ask fewer people a round"
            )
        return tuple(part for part in found if part.count)

    @cached_property
    def value_count(self) -> int:
        """Values of a vector."""
        return sum(part.count for part in self.parts)

    @cached_property
    def byte_count(self) -> int:
        """Bytes of a vector."""
        return sum(part.count * part.width for part in self.parts)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The vector cut into blocks, in the order of its bytes; no block has values of two parts."""
        return tuple(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        first, place = 0, 0
        for part in self.parts:
            for begin in range(0, part.count, BLOCK_VALUES):
                count = min(BLOCK_VALUES, part.count - begin)
                values = slice(first + begin, first + begin + count)
                yield Block(values, part.width, slice(place, place + count * part.width))
                place += count * part.width
            first += part.count

    def pack(self, update: ModelUpdate) -> Words:
        """A person's vector, not masked. The update must have been checked against its plan."""
        if update.kind != self.kind:
            raise MessageError(f"update is made for {update.kind!r}, the round adds up {self.kind!r}")
        if update.instances > MOST_INSTANCES:
            raise MessageError(
                f"update claims {update.instances} instances; a masked sum holds {MOST_INSTANCES} a person at most"
            )
        total = UpdateSum(
            np.zeros((self.items, self.width), np.int64),
            np.zeros(self.items, np.int64),
            np.zeros(self.shared, np.int64),
        )
        total.add(update)
        return self._vector(total)

    def _vector(self, total: UpdateSum) -> Words:
        sources: dict[str, Ints] = {
            "item values": total.items.reshape(-1),
            "senders": total.senders,
            "shared values": total.shared,
            "instances": np.array([total.instances], np.int64),
        }
        # A view: two's complement is what int64 already is.
        return np.concatenate([np.zeros(0, np.int64), *(sources[part.name] for part in self.parts)]).view(
            np.uint64
        )

    def encode(self, vector: Words) -> bytes:
        """The vector as bytes, each value modulo 2^(8 width)."""
        return b"".join(block_bytes(vector[block.values], block.width) for block in self.blocks)

    def unpack(self, total: Words, people: int) -> UpdateSum:
        """The sum of these people's updates, from the sum of their vectors without its masks.

        Raises MessageError where a total is beyond what so many people can send. That is the only place where a masked
        value out of range can be seen, and it does not say whose it was.
        """
        found, first = dict[str, Ints](), 0
        for part in self.parts:
            found[part.name] = _read(part, total[first : first + part.count], people)
            first += part.count
        nothing = np.zeros(0, np.int64)
        items = found.get("item values", np.zeros(self.items * self.width, np.int64))
        return UpdateSum(
            items.reshape(self.items, self.width),
            found.get("senders", np.zeros(self.items, np.int64)),
            found.get("shared values", np.zeros(self.shared, np.int64)),
            int(found.get("instances", nothing).sum()),
            people,
        )


def _read(part: Part, words: Words, people: int) -> Ints:
    """The part's totals as signed numbers; MessageError where one is beyond the people's limit."""
    unused = np.uint64(64 - 8 * part.width)
    shifted = words << unused
    values = (
        (shifted.view(np.int64) >> np.int64(unused)) if part.signed else (shifted >> unused).view(np.int64)
    )
    most = people * part.limit
    least = -most if part.signed else 0
    if len(values) and (values.min() < least or values.max() > most):
        raise MessageError(
            f"a total of the {part.name} is beyond what {people} people can send, {least} to {most}: somebody's values "
            "were out of range, or a mask did not cancel; discard the round"
        )
    return values
