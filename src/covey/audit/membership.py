"""Did anybody in this group rate this item? What the message answers, item by item, by the area under the ROC curve."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.sparse.linalg import svds

from covey.audit.estimates import Reals, area_under_roc, estimate
from covey.audit.exposed import Exposed, Message
from covey.random import stream
from covey.reports import units
from covey.runs.audited import Estimate, Finding, Headline, Level
from covey.types import Ints

CHANCE = 0.5
_JOINT = 10  # joint patterns of the other groups
_NOT_NAMED = -1.0  # below any score of a named item
POPULARITY = "how often everybody else rated it"

# What an attacker reads an answer from -> how.
READINGS = (
    "whether it is named",
    "the size of its patterns",
    "the size of its bias",
    "its likeness to other groups",
)


def readings(message: Message, others: Sequence[Message], item_count: int, seed: int) -> Mapping[str, Reals]:
    """By reading, a score for every item of the catalogue: high where the group seems to have rated it."""
    sizes = np.linalg.norm(message.patterns, axis=1)
    biases = np.zeros(len(sizes)) if message.item_bias is None else np.abs(message.item_bias)
    likeness = likeness_to_others(message, others, item_count, seed)
    on_rows = (np.zeros(len(sizes)), sizes, biases, likeness)
    return {name: _scored(message, rows, item_count) for name, rows in zip(READINGS, on_rows, strict=True)}


def _scored(message: Message, rows: Reals, item_count: int) -> Reals:
    scores = np.full(item_count, _NOT_NAMED)
    scores[message.rows] = rows
    return scores


def likeness_to_others(message: Message, others: Sequence[Message], item_count: int, seed: int) -> Reals:
    """From 0 to 1, how near each named row lies to what the other groups' joint patterns make of it: [rows].

    The other groups' patterns side by side are factored, the group's own rows are projected on what they share, and
    the likeness is the cosine between a row and its projection, without its sign.
    """
    own = message.patterns
    joint = joint_patterns(others, item_count, seed)[message.rows]
    if joint.shape[1] == 0:
        return np.zeros(len(own))
    projected = joint @ np.linalg.lstsq(joint, own, rcond=None)[0]
    lengths = np.linalg.norm(own, axis=1) * np.linalg.norm(projected, axis=1)
    agreed = np.abs((own * projected).sum(axis=1))
    return np.divide(agreed, lengths, out=np.zeros(len(own)), where=lengths > 0)


def joint_patterns(messages: Sequence[Message], item_count: int, seed: int) -> Reals:
    """What groups' patterns have in common: the leading left singular vectors of all of them side by side."""
    columns = np.zeros((item_count, sum(message.patterns.shape[1] for message in messages)))
    begin = 0
    for message in messages:
        end = begin + message.patterns.shape[1]
        columns[message.rows, begin:end] = message.patterns
        begin = end
    count = min(_JOINT, *(size - 1 for size in columns.shape))
    if count < 1 or not columns.any():
        return np.zeros((item_count, 0))
    start = stream(seed, "audit", "joint patterns").normal(size=min(columns.shape))
    left, sizes, _ = svds(columns, k=count, v0=start)
    return left[:, sizes > 1e-9 * sizes.max()]


def answers(
    group: Exposed, messages: Sequence[Message], ratings_of_item: Ints, seed: int
) -> dict[str, float]:
    """By reading, how well it tells the items that the group rated from all that somebody in the run rated."""
    others = [other for other in messages if other.group != group.message.group]
    rated = np.zeros(len(ratings_of_item), np.bool_)
    rated[group.items] = True
    somebody = ratings_of_item > 0
    scores = dict(readings(group.message, others, len(rated), seed))
    own = np.bincount(group.items[group.ratings.item], minlength=len(rated))
    scores[POPULARITY] = (ratings_of_item - own).astype(np.float64)
    return {name: area_under_roc(each[somebody], rated[somebody]) for name, each in scores.items()}


def answer_all(
    groups: Sequence[Exposed], messages: Sequence[Message], ratings_of_item: Ints, seed: int,
    on_group: Callable[[], None],
) -> dict[str, Reals]:  # fmt: skip
    """By reading, the area for each group."""
    found: list[dict[str, float]] = []
    for group in groups:
        found.append(answers(group, messages, ratings_of_item, seed))
        on_group()
    return {name: np.array([each[name] for each in found]) for name in found[0]}


def finding(found: Mapping[str, Reals]) -> Finding:
    """What the readings came to; a reading that is usually wrong is turned round, as an attacker would."""
    areas = {
        name: each if name == POPULARITY or np.nanmean(each) >= CHANCE else 1 - each
        for name, each in found.items()
    }
    levels = [
        Level(name, name != POPULARITY, _within(reached))
        for name, each in areas.items()
        if (reached := estimate(each)) is not None
    ]
    best = max((level for level in levels if level.reads_message), key=lambda level: level.reached.mean)
    return Finding(
        key="membership",
        title="Did anybody in the group rate this item?",
        attacker_has="the group's message and everybody else's; no rating",
        found=_sentence(best, found[POPULARITY], areas[best.attacker]),
        headline=Headline("area under the ROC curve", best.reached, CHANCE, "a coin"),
        levels=tuple(levels),
    )


def _within(reached: Estimate) -> Estimate:
    """The estimate with its interval cut to what an area can be."""
    return Estimate(reached.mean, max(reached.low, 0.0), min(reached.high, 1.0), reached.over)


def _sentence(best: Level, popularity: Reals, area: Reals) -> str:
    reached, others = best.reached, float(np.nanmean(popularity))
    read = (
        f"Of an item that the group rated and one that it did not, {best.attacker} points to the right one in "
        f"{100 * reached.mean:.1f}% of cases; a coin in 50%, {POPULARITY} in {100 * others:.1f}%."
    )
    if reached.low <= CHANCE:
        return f"{read} That cannot be told from a coin."
    if reached.mean > 0.999:
        return f"{read} So the message says which items the group rated."
    gain = estimate(100 * (area - popularity))
    if gain is None or gain.low <= 0:
        return f"{read} So the message says no more than an item's popularity."
    return (
        f"{read} So the message says more than popularity ({units.interval(gain.low, gain.high, 1)} points)."
    )
