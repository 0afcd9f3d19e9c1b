"""Most popular: everybody gets what most people have. What a recommender must beat to have learned a person."""

from dataclasses import dataclass
from typing import ClassVar

import msgspec
import numpy as np

from covey.splits.histories import Histories
from covey.types import Arrays, Floats, ItemIndex, PersonIndex, Scores


class MostPopularConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Nothing to choose."""


@dataclass(frozen=True, eq=False)
class PopularityScorer:
    """The same scores for everybody."""

    popularity: Floats  # [items]

    @property
    def item_count(self) -> int:
        return len(self.popularity)

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        return self.popularity[items]

    def everything(self, people: PersonIndex) -> Scores:
        return np.broadcast_to(self.popularity, (len(people), self.item_count)).copy()


class MostPopular:
    """Counts the training rows of each item."""

    name: ClassVar[str] = "most-popular"
    Config: ClassVar[type[MostPopularConfig]] = MostPopularConfig
    title: ClassVar[str] = "most popular"
    rounds: ClassVar[int] = 1

    def __init__(self, config: MostPopularConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed

    def initial(self) -> Arrays:
        return {"popularity": np.zeros(self.train.item_count, np.float32)}

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """How many people have each item in training."""
        counts = np.bincount(self.train.item, minlength=self.train.item_count)
        return {"popularity": counts.astype(np.float32)}

    def scorer(self, arrays: Arrays) -> PopularityScorer:
        return PopularityScorer(arrays["popularity"])
