"""What FPL's messages give away, read one after another: signs, the person's vector, and the item that stayed at home."""

from collections.abc import Iterable

import numpy as np

from covey.audit import reading
from covey.audit.estimates import Reals
from covey.audit.watched import Answer
from covey.types import Floats, Ints

_SURE = 1e6  # above any score that a vector gives
_EXPLAINED = 1e3  # likewise, and below what is sure
_SLACK = 1e-6  # of a slope: fixed point is finer


def signs(answers: Iterable[Answer], item_count: int) -> Reals:
    """1 for what a message gave away as own, -1 for what it gave away as sampled, 0 for what none named: [items].

    The last number of a row, the bias, goes up for an own item and down for a sampled one.
    """
    told = np.zeros(item_count)
    for _, update in answers:
        told[update.rows] = np.sign(update.item_values[:, -1])
    return told


def vector(answers: Iterable[Answer], width: int) -> Reals | None:
    """The person's vector, from rows of sampled items alone; None where no message has one that says anything.

    Such a row is -slope x less a little regularization, and its bias says the slope.
    """
    pulls, slopes = np.zeros(width), 0.0
    for plan, update in answers:
        rows, recipe = reading.changes(update), plan.recipe
        table = plan.items[update.rows].astype(np.float64)
        slope = -(rows[:, -1] + recipe.bias_regularization * table[:, -1])
        sampled = slope > 0
        pulls -= (rows[:, :-1] + recipe.negative_regularization * table[:, :-1])[sampled].sum(axis=0)
        slopes += float(slope[sampled].sum())
    return pulls / slopes if slopes > 0 else None


def by_vector(answers: tuple[Answer, ...], items: Floats) -> Reals:
    """What was given away by its sign, and the rest in the order in which the vector ranks it."""
    told = signs(answers, len(items))
    found = vector(answers, items.shape[1] - 1)
    return _SURE * told + (np.zeros(len(items)) if found is None else scored(found, items))


def by_slope(answers: tuple[Answer, ...], items: Floats) -> Reals:
    """by_vector, with the items on top of the unnamed that explain a lone row: their lead makes just its slope."""
    scores = by_vector(answers, items)
    for answer in answers:
        explaining = explained(answer)
        scores[explaining[np.abs(scores[explaining]) < _SURE / 2]] += _EXPLAINED
    return scores


def explained(answer: Answer) -> Ints:
    """The items that could have stayed at home where a lone sampled row left: none, one or a few."""
    plan, update = answer
    person = vector([answer], plan.items.shape[1] - 1)
    if person is None or len(update.rows) != 1:
        return np.zeros(0, np.int64)
    row = int(update.rows[0])
    slope = -(reading.changes(update)[0, -1] + plan.recipe.bias_regularization * float(plan.items[row, -1]))
    if not 0 < slope < 1:  # rounded to an end: any lead could have made it
        return np.zeros(0, np.int64)
    values = scored(person, plan.items)
    fits = np.abs(1 / (1 + np.exp(values - values[row])) - slope) < _SLACK
    fits[row] = False
    return np.flatnonzero(fits)


def scored(person: Reals, items: Floats) -> Reals:
    """What the person's device would score: [items]."""
    return items[:, :-1].astype(np.float64) @ person + items[:, -1]
