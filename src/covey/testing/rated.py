"""A street of households that rate films: few enough to follow, with tastes for a factorization to find."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from covey.random import stream
from covey.splits.histories import Histories
from covey.types import PersonIndex

ITEMS = 12
SIZES = (4, 3, 5, 3, 2, 4)  # people of each household; two more live alone


def households() -> PersonIndex:
    """The household of each person, -1 for the two who live alone."""  # [people]
    return np.concatenate([np.repeat(np.arange(len(SIZES)), SIZES), [-1, -1]]).astype(np.int32)


def street() -> Histories:
    """Everybody's ratings of more than half of all films, from 1 to 5; every household uses both ends."""
    draws, home = stream(3, "street"), households()
    taste, kind = draws.random((len(home), 2)), draws.random((ITEMS, 2))
    ratings = np.clip(np.rint(1 + 3 * taste @ kind.T), 1, 5)
    rated = draws.random(ratings.shape) < 0.6
    firsts = np.searchsorted(home[:-2], np.arange(len(SIZES)))
    rated[:, 0], ratings[firsts, 0] = True, 5
    rated[firsts, 1], ratings[firsts, 1] = True, 1
    offsets = np.concatenate([[0], rated.sum(axis=1).cumsum()]).astype(np.int64)
    item = np.nonzero(rated)[1].astype(np.int32)
    values = ratings[rated].astype(np.float32)
    return Histories(offsets, item, values, np.zeros(len(item), np.int64), ITEMS)


def on_another_scale(train: Histories, home: int, factor: float) -> Histories:
    """The same with one household's ratings times a factor."""
    theirs = households()[train.person] == home
    values: npt.NDArray[np.float32] = np.where(theirs, train.value * np.float32(factor), train.value)
    return replace(train, value=values)
