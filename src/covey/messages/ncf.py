"""What FedNCF's devices send: one schema a way to average.

An update holds *changes* against the plan's model, not the new values. The averages are the same (a row that a
person left alone changed by zero), a change needs fewer bits than a value, and rows that did not change need not
travel at all.
"""

from covey.messages.schema import Field, Schema

AGGREGATIONS = ("per-item", "weighted", "simple")

_ROWS = Field(
    "rows",
    ("touched",),
    "<i4",
    "which items this person trained on this round: their own hidden among the sampled ones (4 to 1 by default), but "
    "their own come back round after round",
)
_REVEALS_ITEMS = "how this person's visit moved each of those items; the direction tells liked from sampled"
_REVEALS_NETWORK = "how this person's visit moved the shared network; little about any one item"
_INSTANCES = Field(
    "instances", (), "<i8", "how much this person has: their interactions times (1 + negatives)"
)

# One person's change of a weight in one visit is far below 64; times their instances it stays below 2**14.
_STEP, _LIMIT = 2.0**-24, 64.0
_WEIGHED_STEP, _WEIGHED_LIMIT = 2.0**-16, 2.0**14


def _deltas(name: str, axes: tuple[str, ...], reveals: str, weighed: bool) -> Field:
    if weighed:
        return Field(name, axes, "<i4", reveals + "; times their instances", _WEIGHED_STEP, _WEIGHED_LIMIT)
    return Field(name, axes, "<i4", reveals, _STEP, _LIMIT)


def _update_schema(number: int, message: str, items_weighed: bool, network_weighed: bool) -> Schema:
    return Schema(
        message,
        number,
        "up",
        (
            _ROWS,
            _deltas("item_deltas", ("touched", "factor"), _REVEALS_ITEMS, items_weighed),
            _deltas("network_deltas", ("weight",), _REVEALS_NETWORK, network_weighed),
            _INSTANCES,
        ),
    )


NCF_UPDATES = {
    "per-item": _update_schema(2, "PerItemUpdate", items_weighed=False, network_weighed=True),
    "weighted": _update_schema(3, "WeightedUpdate", items_weighed=True, network_weighed=True),
    "simple": _update_schema(4, "SimpleUpdate", items_weighed=False, network_weighed=False),
}
