"""The account of what FedSPLIT's groups and the server send each other."""

from collections.abc import Collection
from typing import Any

from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.codecs import header_bytes
from covey.messages.fedsplit import GLOBAL_MEAN, GROUP_MEAN, INVITATION, JOINT_PATTERNS
from covey.messages.ledger import Ledger
from covey.messages.updates import ModelUpdate
from covey.server.joint import Joint


class GroupLedger:
    """Enters whole exchanges into a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def means(self, means: Collection[ModelUpdate], invited: int, receivers: int, settings: int) -> None:
        """Invitations, also to groups that do not fit; the means; and the mean of the means to whoever predicts."""
        self._record(INVITATION, invited, {"scale": 2 * invited, "recipe": settings * invited})
        clipped = sum(each.clipped for each in means)
        self._record(
            UPDATE_SCHEMAS[GROUP_MEAN], len(means), {"mean_rating": len(means)}, {"mean_rating": clipped}
        )
        self._record(GLOBAL_MEAN, receivers, {"centre": receivers})

    def updates(self, updates: Collection[ModelUpdate]) -> None:
        """Messages that say something of items, all of one kind."""
        if not updates:
            return
        schema = next(iter(updates)).schema
        name = schema.item_field.name
        values = {
            "rows": sum(len(each.rows) for each in updates),
            name: sum(each.item_values.size for each in updates),
        }
        self._record(schema, len(updates), values, {name: sum(each.clipped for each in updates)})

    def joint(self, joint: Joint, slices: bool, receivers: int) -> None:
        """The joint patterns to whoever predicts with them; to a group in them with its slice, where it needs one."""
        sent = sum(each.size for each in joint.slices.values()) if slices else 0
        values = {
            "patterns": receivers * joint.patterns.size,
            "item_bias": receivers * len(joint.item_bias),
            "slice": sent,
        }
        self._record(JOINT_PATTERNS, receivers, values)

    def _record(
        self, schema: Any, messages: int, values: dict[str, int], clipped: dict[str, int] | None = None
    ) -> None:
        self.ledger.record(schema, messages, values, clipped)
        self.ledger.record_overhead(schema, messages, header_bytes())
