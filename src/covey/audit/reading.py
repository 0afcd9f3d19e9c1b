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


def sizes(rows: Reals) -> Reals:
    """The length of each row."""
    return np.linalg.norm(rows, axis=1)


def leanings(rows: Reals, own: float) -> Reals:
    """How far each row goes along the line that all rows share, own ones up: [rows].

    Own and sampled rows move along one line, the person's vector, in opposite directions. The line is the first
    singular vector. Which of its ends is up a message does not say, but it says how many items the person has: up
    is the end where about so many rows are.
    """
    if not rows.any():
        return np.zeros(len(rows))
    line = np.linalg.svd(rows, full_matrices=False)[2][0]
    along = rows @ line
    upper, lower = int((along > 0).sum()), int((along < 0).sum())
    return along if abs(upper - own) <= abs(lower - own) else -along
