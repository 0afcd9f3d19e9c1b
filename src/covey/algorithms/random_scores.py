"""Random: a score drawn for each person and item. What every metric is worth when nothing is known at all."""

from dataclasses import dataclass
from typing import ClassVar

import msgspec
import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import draws
from covey.random import key
from covey.splits.histories import Histories
from covey.types import Arrays, ItemIndex, PersonIndex, Scores


class RandomConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Nothing to choose."""


@dataclass(frozen=True, eq=False)
class RandomScorer:
    """The score of a person and an item depends on the seed and on these two alone, whoever asks and when."""

    key: np.uint64
    item_count: int

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        return _draw(self.key, people, np.ascontiguousarray(items))

    def everything(self, people: PersonIndex) -> Scores:
        every = np.arange(self.item_count, dtype=np.int32)
        return _draw(self.key, people, np.broadcast_to(every, (len(people), self.item_count)))


@nb.njit(cache=True, nogil=True)
def _draw(named: np.uint64, people: PersonIndex, items: npt.NDArray[np.int32]) -> Scores:
    """Uniform scores in [-1, 1)."""  # [people, items]
    scores, generator = np.empty(items.shape, np.float32), np.empty(1, np.uint64)
    for p in range(len(people)):
        for c in range(items.shape[1]):
            draws.restart(generator, named, people[p], items[p, c])
            scores[p, c] = draws.uniform(generator)
    return scores


class RandomScores:
    """Learns nothing."""

    name: ClassVar[str] = "random"
    Config: ClassVar[type[RandomConfig]] = RandomConfig
    title: ClassVar[str] = "random"
    rounds: ClassVar[int] = 1

    def __init__(self, config: RandomConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed

    def initial(self) -> Arrays:
        """The name of the draws."""
        return {"key": np.array([key(self.seed, "random scores")], np.uint64)}

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The same: there is nothing to learn."""
        return arrays

    def scorer(self, arrays: Arrays) -> RandomScorer:
        return RandomScorer(np.uint64(arrays["key"][0]), self.train.item_count)
