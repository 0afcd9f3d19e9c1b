"""Recommendation at home: the model comes to the history, not the other way round."""

import numpy as np

from covey.types import Floats, ItemIndex


def best_unseen(scores: Floats, seen: ItemIndex, k: int) -> tuple[ItemIndex, Floats]:
    """The k items with the highest scores that the person does not have, best first, with their scores.

    Equal scores are put in the order of the item numbers. Fewer than k come back where fewer are left.
    """
    open_scores = scores.astype(np.float64)
    open_scores[seen] = -np.inf
    count = min(k, int(np.isfinite(open_scores).sum()))
    order = np.argsort(-open_scores, kind="stable")[:count].astype(np.int32)
    return order, scores[order]
