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
_ALL = 0.999  # from here on, "says which"
_LAST = 1e-6  # weight of what decides between equals
_CERTAIN = 30.0  # ratings a group: beyond it, odds say nothing more
# What an attacker reads an answer from.
READINGS = (
    "whether it is named",
    "the size of its patterns",
    "the size of its bias",
    "its likeness to other groups",
    "how few other rows equal its own",
)
POPULARITY = "how often everybody else rated it"
# Of rows that are alike one was there before the others were made up: likely that of the most popular item. Of many that
# are alike, as many were there as there are kinds among all rows.
BOTH = "its popularity among rows that are alike"
# Only whoever reads a single message of those that are summed; no other attacker here has it.
SUMMED = "its bias sums, if read alone"


def readings(
    message: Message, others: Sequence[Message], popularity: Reals, seed: int
) -> Mapping[str, Reals]:
    """By reading, a score for every item of the catalogue: high where the group seems to have rated it."""
    item_count = len(popularity)
    sizes = np.linalg.norm(message.patterns, axis=1)
    biases = np.zeros(len(sizes)) if message.item_bias is None else np.abs(message.item_bias)
    likeness = likeness_to_others(message, others, item_count, seed)
    alike, count = rows_alike(message)
    on_rows = (np.zeros(len(sizes)), sizes, biases, likeness, 1 / count[alike])
    scores = {name: _scored(message, rows, item_count) for name, rows in zip(READINGS, on_rows, strict=True)}
    odds = odds_by_popularity(popularity[message.rows], len(others))
    true_ones = np.maximum(1.0, count * (len(count) / max(len(alike), 1)))
    likely = np.minimum(1.0, (true_ones / np.bincount(alike, odds))[alike] * odds)
    # Where rows are as likely as each other, popularity decides: all of them are, where no row is a copy.
    order = np.argsort(np.argsort(popularity[message.rows], kind="stable"), kind="stable")
    scores[BOTH] = _scored(message, likely + _LAST * order / max(len(order), 1), item_count)
    if message.summed_rows is not None:
        scores[SUMMED] = np.zeros(item_count)
        scores[SUMMED][message.summed_rows] = 1
    scores[POPULARITY] = popularity
    return scores


def odds_by_popularity(popularity: Reals, other_groups: int) -> Reals:
    """The odds that one more group like the others rated an item at all, by how often they did."""
    # Half a rating more than there were: what nobody else rated is not impossible.
    expected = (popularity + 0.5) / max(other_groups, 1)
    return np.expm1(np.minimum(expected, _CERTAIN))


def rows_alike(message: Message) -> tuple[Ints, Ints]:
    """The kind of each row, rows of one kind being equal in every number, and how many rows each kind has."""
    said = message.patterns
    if message.item_bias is not None:
        said = np.column_stack([said, message.item_bias])
    _, kind, count = np.unique(said, axis=0, return_inverse=True, return_counts=True)
    return kind.ravel(), count


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
    own = np.bincount(group.items[group.ratings.item], minlength=len(rated))
    popularity = (ratings_of_item - own).astype(np.float64)
    scores = readings(group.message, others, popularity, seed)
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
    # Groups that come late send nothing to be summed.
    names = dict.fromkeys(name for each in found for name in each)
    return {name: np.array([each.get(name, np.nan) for each in found]) for name in names}


def finding(found: Mapping[str, Reals]) -> Finding:
    """What the readings came to; a reading that is usually wrong is turned round, as an attacker would."""
    areas = {
        name: 1 - each if name in READINGS and np.nanmean(each) < CHANCE else each
        for name, each in found.items()
    }
    levels = {
        name: Level(name, name != POPULARITY, _within(reached))
        for name, each in areas.items()
        if (reached := estimate(each)) is not None
    }
    best = max((levels[name] for name in READINGS), key=lambda level: level.reached.mean)
    return Finding(
        key="membership",
        title="Did anybody in the group rate this item?",
        attacker_has="the group's message and everybody else's; no rating; for one reading, how popular items are",
        found=_sentence(best, areas),
        headline=Headline("items rated or not, area under the ROC curve", best.reached, CHANCE, "a coin"),
        levels=tuple(levels.values()),
    )


def _within(reached: Estimate) -> Estimate:
    """The estimate with its interval cut to what an area can be."""
    return Estimate(reached.mean, max(reached.low, 0.0), min(reached.high, 1.0), reached.over)


def _sentence(best: Level, areas: Mapping[str, Reals]) -> str:
    """What the best reading tells, what the message adds to popularity, and what a single bias message would tell."""
    read = (
        f"Of an item that the group rated and one that it did not, {best.attacker} points to the right one in "
        f"{100 * best.reached.mean:.1f}% of cases; a coin in 50%."
    )
    if best.reached.mean > _ALL:
        return f"{read} So the message says which items the group rated."
    if best.reached.low <= CHANCE:
        read = f"{read} That cannot be told from a coin."
    return " ".join(filter(None, (read, _beside_popularity(areas), _of_sums(areas))))


def _beside_popularity(areas: Mapping[str, Reals]) -> str:
    popular, both = (f"{100 * float(np.nanmean(areas[name])):.1f}%" for name in (POPULARITY, BOTH))
    gain = estimate(100 * (areas[BOTH] - areas[POPULARITY]))
    if gain is None or gain.low <= 0:
        return f"Popularity alone does it in {popular}, and the message adds nothing to it that was found."
    interval = f"95%: {units.interval(gain.low, gain.high, 1)} points"
    return (
        f"Popularity alone does it in {popular}, popularity among rows that are alike in {both} ({interval})."
    )


def _of_sums(areas: Mapping[str, Reals]) -> str:
    if SUMMED not in areas:
        return ""
    told = 100 * float(np.nanmean(areas[SUMMED]))
    return f"Who reads the group's bias sums by themselves, before they are summed, does it in {told:.1f}%."
