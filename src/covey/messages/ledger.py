"""The account of what crossed the boundary: messages, bytes and clipped values, field by field."""

from dataclasses import dataclass, field

from covey.messages.schema import Schema

_COUNTS = ("messages", "values", "bytes", "clipped")


@dataclass
class Ledger:
    """Running totals a (message, field); `entries` is what a report shows and a checkpoint keeps."""

    totals: dict[tuple[str, str, str], dict[str, int]] = field(default_factory=dict)
    reveals: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def record(
        self, schema: Schema, messages: int, values: dict[str, int], clipped: dict[str, int] | None = None
    ) -> None:
        """Adds messages of one schema: how many values of each field they held, and how many were clipped."""
        for one in schema.fields:
            at = (schema.direction, schema.message, one.name)
            self.reveals[at] = one.reveals
            total = self.totals.setdefault(at, dict.fromkeys(_COUNTS, 0))
            total["messages"] += messages
            total["values"] += values[one.name]
            total["bytes"] += values[one.name] * int(one.wire[-1])
            total["clipped"] += (clipped or {}).get(one.name, 0)

    def record_overhead(self, schema: Schema, messages: int, header_bytes: int) -> None:
        """Adds what the messages weigh beside their fields."""
        at = (schema.direction, schema.message, "header")
        self.reveals[at] = "the format, the round and the sizes of the fields"
        total = self.totals.setdefault(at, dict.fromkeys(_COUNTS, 0))
        total["messages"] += messages
        total["bytes"] += messages * header_bytes

    def record_whole(self, schema: Schema, messages: int, total_bytes: int) -> None:
        """Adds messages whose bytes are not counted field by field."""
        at = (schema.direction, schema.message, "all fields")
        self.reveals[at] = "; ".join(dict.fromkeys(field.reveals for field in schema.fields))
        total = self.totals.setdefault(at, dict.fromkeys(_COUNTS, 0))
        total["messages"] += messages
        total["bytes"] += total_bytes

    def bytes(self, direction: str) -> int:
        """Bytes of all messages in one direction."""
        return sum(total["bytes"] for at, total in self.totals.items() if at[0] == direction)

    def entries(self) -> list[dict[str, str | int]]:
        """A row a field: direction, message, field, reveals, messages, values, bytes, clipped."""
        return [
            {"direction": at[0], "message": at[1], "field": at[2], "reveals": self.reveals[at], **total}
            for at, total in sorted(self.totals.items())
        ]

    @classmethod
    def of(cls, entries: list[dict[str, str | int]]) -> "Ledger":
        """The ledger whose entries these are."""
        ledger = cls()
        for entry in entries:
            at = (str(entry["direction"]), str(entry["message"]), str(entry["field"]))
            ledger.reveals[at] = str(entry["reveals"])
            ledger.totals[at] = {name: int(entry[name]) for name in _COUNTS}
        return ledger
