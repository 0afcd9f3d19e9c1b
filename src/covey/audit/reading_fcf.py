"""What one of FCF's messages gives away: the person's vector, the history, and where values are learned, the ratings.

A row is `slope x`, and x x' is x up to its sign. What a person does not have has the slope -x'y, which anybody who has
x and the item table can work out; what they have does not.
"""

from typing import NamedTuple

import numpy as np

from covey.audit import reading
from covey.audit.estimates import Reals
from covey.messages.fixed import from_fixed
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models import factorization as fz


class Read(NamedTuple):
    """What an attacker makes of one message."""

    vector: Reals  # [factors] the person's, with its sign
    scores: Reals  # [items] high where the person seems to have the item


def read(plan: TrainingPlan, update: ModelUpdate) -> Read:
    """The vector and the history behind a message of any of FCF's kinds."""
    if update.kind == "all-gradients":
        return read_all(reading.dense(update, len(plan.items)), plan)
    rows = reading.changes(update)
    vector = vector_of_square(square_of(plan, update), rows, plan.recipe.explicit)
    scores = np.full(len(plan.items), reading.NOT_NAMED)
    scores[update.rows] = 1.0
    return Read(vector, scores)


def square_of(plan: TrainingPlan, update: ModelUpdate) -> Reals:
    """The matrix x x' that the message brings."""
    field = update.schema.shared_field
    assert field is not None
    return fz.unpacked(from_fixed(update.shared_values.astype(np.int64), field), plan.items.shape[1])


def vector_of_square(square: Reals, rows: Reals, explicit: bool) -> Reals:
    """x from x x': with ratings the last column is x itself; otherwise up to a sign, which the rows tell."""
    if explicit:
        return square[:-1, -1]
    values, vectors = np.linalg.eigh(square)
    vector = vectors[:, -1] * np.sqrt(max(values[-1], 0.0))
    # What somebody has is drawn towards them.
    return vector if (rows @ vector).sum() >= 0 else -vector


def read_all(rows: Reals, plan: TrainingPlan) -> Read:
    """From gradients of every item: those that -(x x') y does not explain are of items that the person has.

    Along the direction d of all rows, a row of what the person does not have is -|x|^2 (d'y), weighed alike for all.
    Most rows are such rows, so the median of their quotients is that weight; what is left over is the history.
    """
    line = np.linalg.svd(rows, full_matrices=False)[2][0]
    along, lead = rows @ line, plan.items.astype(np.float64) @ line
    clear = np.abs(lead) > np.median(np.abs(lead))  # a quotient by next to nothing says nothing
    square = float(np.median(-along[clear] / lead[clear]))
    left = along + square * lead
    sign = 1.0 if (left**3).sum() >= 0 else -1.0
    weight = fz.release_weight(plan.recipe)
    return Read(sign * np.sqrt(max(square / weight, 0.0)) * line, sign * left)


def ratings_of(plan: TrainingPlan, update: ModelUpdate) -> Reals:
    """The rating of each row of a message about ratings: [touched].

    The last number of a row is how far off the model was; the person's own bias is what makes the mean of the
    ratings come out as the message says it.
    """
    field = update.schema.shared_field
    assert field is not None
    table = plan.items[update.rows].astype(np.float64)
    missed = reading.changes(update)[:, -1] / fz.release_weight(plan.recipe)
    said = table[:, :-1] @ read(plan, update).vector
    mean_left = from_fixed(update.shared_values[-1:].astype(np.int64), field)[0]
    own_bias = mean_left - float((missed + said).mean())
    return missed + said + own_bias + fz.centre_of(plan.network) + table[:, -1]
