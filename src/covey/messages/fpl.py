"""What FPL's devices send: the changes of the items of their triples, less those that the person keeps at home.

A change is sent as the gradient says it; the server multiplies by the learning rate. An item's bias travels as the
last number of its row. Nothing belongs to no item, and nothing is counted.
"""

from covey.messages.schema import Field, Schema

PAIRWISE = "pairwise"

_ROWS = Field(
    "rows",
    ("touched",),
    "<i4",
    "which items this person drew: sampled ones that they do not have and, of their own, those that their coin let out; "
    "over many rounds, own items that are never let out can stand out as never drawn",
)
_DELTAS = Field(
    "item_deltas",
    ("touched", "factor and bias"),
    "<i4",
    "how each of those items should move: the sign of the last number tells an own item from a sampled one, and the "
    "others are this person's vector but for a factor, from which their likely items can be guessed",
    2.0**-24,
    64.0,
)

FPL_UPDATES = {PAIRWISE: Schema("PairwiseUpdate", 10, "up", (_ROWS, _DELTAS))}
