"""What FCF's devices send: gradients of the item factors, for every item or for those that a person has.

A gradient is `slope x`, with x the person's own vector, and x x' is x up to its sign. So a single message, read
alone, gives away the vector and with it the history. Only sums over many people hide anything.
"""

from covey.messages.schema import Field, Schema

PAYLOADS = ("own", "all")

_SLOPES = (
    "the person's vector, up to its length and sign, and by the size of each row which items they have and how well "
    "the model knew it; divided by 1 + alpha"
)
_STEP, _LIMIT = 2.0**-24, 64.0
_OUTER_STEP, _OUTER_LIMIT = 2.0**-20, 1024.0


def _rows(reveals: str) -> Field:
    return Field("rows", ("touched",), "<i4", reveals)


def _gradients(reveals: str) -> Field:
    return Field("item_gradients", ("touched", "factor"), "<i4", reveals, _STEP, _LIMIT)


def _outer(name: str, axis: str, reveals: str) -> Field:
    return Field(name, (axis,), "<i4", reveals, _OUTER_STEP, _OUTER_LIMIT)


FCF_UPDATES = {
    "all-gradients": Schema(
        "AllGradients",
        5,
        "up",
        (_rows("nothing: every item of the catalogue, whatever the person has"), _gradients(_SLOPES)),
    ),
    "own-gradients": Schema(
        "OwnGradients",
        6,
        "up",
        (
            _rows("which items this person has, all of them"),
            _gradients(_SLOPES),
            _outer("outer_product", "pair", "x x': the person's vector up to its sign"),
        ),
    ),
    "rating-gradients": Schema(
        "RatingGradients",
        7,
        "up",
        (
            _rows("which items this person rated, all of them"),
            _gradients(
                "the person's vector up to its length and sign, and how far off the model was for each rating"
            ),
            _outer(
                "outer_product_and_mean",
                "pair",
                "x x': the person's vector up to its sign; last, the mean of what the items' biases leave of their "
                "ratings: how generous they are",
            ),
        ),
    ),
}
