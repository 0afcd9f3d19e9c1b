"""What one message says of each item, read by its rows: which it names, how large they are, which way they point.

A reading returns a score for every item of the catalogue, high where the person seems to have it. What a message does
not name the person does not have, wherever all that somebody trains on is named.
"""

import numpy as np

from covey.audit.estimates import Reals
from covey.messages.fixed import from_fixed
from covey.messages.updates import ModelUpdate

NOT_NAMED = -1e9  # below any score of a named item


def changes(update: ModelUpdate) -> Reals:
    """The change of each named row, in numbers: [touched, width]."""
    return from_fixed(update.item_values.astype(np.int64), update.schema.item_field)


def dense(update: ModelUpdate, item_count: int) -> Reals:
    """The same message with a row for every item, zeros where nothing was touched: [items, width]."""
    whole = np.zeros((item_count, update.item_values.shape[1]))
    whole[update.rows] = changes(update)
    return whole


def named(rows: Reals) -> Reals:
    """1 for a row that is there, NOT_NAMED for one of zeros."""
    return np.where(rows.any(axis=1), 1.0, NOT_NAMED)


def sizes(rows: Reals) -> Reals:
    """The length of each row."""
    return np.linalg.norm(rows, axis=1)


def leanings(rows: Reals) -> Reals:
    """How far each row goes along the direction that all have in common, up for the few that go far.

    Liked and sampled rows move along one line, the person's vector, in opposite directions. Neither the line nor its
    upper end is in the message: the line is the first singular vector, and of its two ends the one with the long tail
    is up, for fewer items are liked than sampled and the model is less sure of them.
    """
    if not rows.any():
        return np.zeros(len(rows))
    line = np.linalg.svd(rows, full_matrices=False)[2][0]
    along = rows @ line
    return along if (along**3).sum() >= 0 else -along


def leaning_of_named(rows: Reals) -> Reals:
    """leanings, and NOT_NAMED for rows of zeros."""
    return np.where(rows.any(axis=1), leanings(rows), NOT_NAMED)
