"""What FedSPLIT's groups send: a mean, and once the patterns of their items and what biases are made of.

None of it says who is in a group. How many they are shows in small groups alone: patterns are as many as the recipe asks
for, but fewer than the group has people. How many rated an item is cut off at the smallest size that a group may have. Means
and bias sums are added up; patterns stand side by side.
"""

from covey.messages.schema import Field, Schema

GROUP_MEAN, PATTERNS_AND_BIASES, PATTERNS, BIAS_SUMS = (
    "group-mean",
    "patterns-and-biases",
    "group-patterns",
    "bias-sums",
)

# Ratings of any usual scale; a pattern is a few times as large, for it can stand for many people.
_STEP, _LIMIT = 2.0**-20, 1024.0

_ROWS = Field(
    "rows",
    ("touched",),
    "<i4",
    "with hide = none, which items somebody in this group rated; otherwise nothing: every item of the catalogue",
)
_PATTERNS = (
    "how tastes in this group go together, item by item; of an item that few rated, nearly their ratings. How many there "
    "are: of a group of no more people than the recipe asks for patterns, one less than its people"
)


def _values(name: str, axis: str, reveals: str) -> Field:
    return Field(name, ("touched", axis), "<i4", reveals, _STEP, _LIMIT)


FEDSPLIT_UPDATES = {
    GROUP_MEAN: Schema(
        "GroupMean",
        11,
        "up",
        (
            Field(
                "mean_rating",
                ("one",),
                "<i4",
                "the mean of all ratings in this group: how generous they are together",
                _STEP,
                _LIMIT,
            ),
        ),
    ),
    PATTERNS_AND_BIASES: Schema(
        "PatternsAndBiases",
        12,
        "up",
        (
            _ROWS,
            _values(
                "patterns_and_bias",
                "pattern and bias",
                _PATTERNS + "; last, how the group's ratings of the item differ from the mean",
            ),
        ),
    ),
    PATTERNS: Schema("GroupPatterns", 13, "up", (_ROWS, _values("patterns", "pattern", _PATTERNS))),
    BIAS_SUMS: Schema(
        "BiasSums",
        17,
        "up",
        (
            Field(
                "rows",
                ("touched",),
                "<i4",
                "which items somebody in this group rated; in a sum, which items anybody rated",
            ),
            _values(
                "differences_and_raters",
                "difference and raters",
                "by how much ratings of the item differ from what is usual in the group, times raters; and how many rated "
                "it, cut off at the smallest size of a group",
            ),
        ),
    ),
}

INVITATION = Schema(
    "GroupInvitation",
    14,
    "down",
    (
        Field("scale", ("lowest and highest",), "<f8", "nothing of the receiver: the scale of the ratings"),
        Field("recipe", ("setting",), "<f8", "nothing of the receiver: how to work at home"),
    ),
)
GLOBAL_MEAN = Schema(
    "GlobalMean",
    15,
    "down",
    (Field("centre", ("one",), "<f8", "nothing of the receiver; the mean of the groups' means"),),
)
JOINT_PATTERNS = Schema(
    "JointPatterns",
    16,
    "down",
    (
        Field(
            "patterns",
            ("item", "component"),
            "<f4",
            "nothing of the receiver; the same for everybody. Of all groups together: what their patterns have in common",
        ),
        Field("item_bias", ("item",), "<f4", "nothing of the receiver; the same for everybody"),
        Field(
            "slice",
            ("component", "pattern"),
            "<f4",
            "to the group whose it is alone: how its own patterns lie among the common ones",
        ),
    ),
)
FEDSPLIT_DOWN = (INVITATION, GLOBAL_MEAN, JOINT_PATTERNS)
