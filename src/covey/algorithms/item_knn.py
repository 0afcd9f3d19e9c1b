"""Item-kNN: an item scores by those of its most similar items that a person has (Deshpande and Karypis, 2004).

similarity of two items    the people who have both, over the geometric mean of those who have each, shrunk
score                      similarities of the item's nearest neighbours that the person has, summed
"""

from dataclasses import dataclass
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from covey.algorithms.checks import between
from covey.algorithms.shares import in_shares
from covey.models import neighbours
from covey.models.pairs import Pairs, transposed
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, ItemIndex, PersonIndex, Scores


class ItemKNNConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What makes items alike."""

    neighbours: int = 50  # most similar items that an item is judged by
    shrinkage: float = 5.0  # added under the fraction: makes less of what few people share
    own_share: float = 0.5  # of the item's own size in the mean of both; 0.5: cosine
    activity_power: float = 0.0  # a person of n rows counts n^-power; 0: all count alike

    def __post_init__(self) -> None:
        between("neighbours", self.neighbours, 1, 100_000)
        between("shrinkage", self.shrinkage, 0, 1_000_000)
        between("own_share", self.own_share, 0, 1)
        between("activity_power", self.activity_power, 0, 2)


@dataclass(frozen=True, eq=False)
class NeighbourScorer:
    """Sums of similarities to what a person has."""

    train: Histories
    neighbours: npt.NDArray[np.int32]  # [items, neighbours]
    similarity: Floats  # [items, neighbours]

    @property
    def item_count(self) -> int:
        return len(self.neighbours)

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        return neighbours.neighbour_sums(
            self.train.offsets, self.train.item, self.neighbours, self.similarity, people, items
        )

    def everything(self, people: PersonIndex) -> Scores:
        every = np.arange(self.item_count, dtype=np.int32)
        return self.candidates(people, np.broadcast_to(every, (len(people), self.item_count)))


class ItemKNN:
    """One configuration of item-kNN over one training set."""

    name: ClassVar[str] = "item-knn"
    Config: ClassVar[type[ItemKNNConfig]] = ItemKNNConfig
    title: ClassVar[str] = "item-kNN"
    rounds: ClassVar[int] = 1

    def __init__(self, config: ItemKNNConfig, train: Histories, seed: int, workers: int = 1) -> None:
        self.config, self.train, self.seed, self.workers = config, train, seed, workers

    def initial(self) -> Arrays:
        """Nobody's neighbours."""
        shape = (self.train.item_count, min(self.config.neighbours, self.train.item_count))
        return {
            "neighbours": np.full(shape, neighbours.NOBODY, np.int32),
            "similarity": np.zeros(shape, np.float32),
        }

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """Every item's nearest neighbours."""
        config, item_count = self.config, self.train.item_count
        weight = np.repeat(np.maximum(self.train.counts, 1) ** -config.activity_power, self.train.counts)
        by_person = Pairs(self.train.offsets, self.train.item, weight.astype(np.float32))
        by_item = transposed(by_person, item_count)
        nearest, similarity = (arrays[name].copy() for name in ("neighbours", "similarity"))

        def work(begin: int, end: int) -> None:
            neighbours.nearest(
                begin, end, by_person, by_item, config.own_share, config.shrinkage, nearest, similarity
            )

        in_shares(work, item_count, self.workers)
        return {"neighbours": nearest, "similarity": similarity}

    def scorer(self, arrays: Arrays) -> NeighbourScorer:
        return NeighbourScorer(self.train, arrays["neighbours"], arrays["similarity"])
