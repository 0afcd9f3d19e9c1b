"""Item-kNN for ratings: as a person rated the items most like this one, beyond the biases (Koren, 2010).

epoch     biases of people and items              cnmf.biases
          every item's nearest neighbours         rating_neighbours.nearest
rating    mean + both biases + the similarity-weighted mean of what is left of the person's ratings of
          its nearest neighbours                  rating_neighbours.expected_left
"""

from dataclasses import dataclass
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from covey.algorithms.checks import between
from covey.algorithms.rating_scorer import BoundedRatings, mean_of, ratings_of
from covey.algorithms.shares import in_shares
from covey.models import cnmf, rating_neighbours
from covey.models.neighbours import NOBODY
from covey.models.pairs import Pairs, transposed
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, ItemIndex, PersonIndex, Scores

_STATE = ("user_bias", "item_bias", "neighbours", "similarity")
_SWEEPS = 20  # of the biases: by then they stand still to four digits


class RatingKNNConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What makes items alike, and how many of them count."""

    neighbours: int = 1000  # most similar items that an item is judged by
    most_rated: int = 50  # of these, at most so many of a person's own count, the most similar first
    shrinkage: float = 500.0  # makes less of a similarity that few people say; in people
    user_shrinkage: float = 10.0  # a person's bias is held back as by so many ratings of zero bias
    item_shrinkage: float = 8.0  # an item's likewise

    def __post_init__(self) -> None:
        between("neighbours", self.neighbours, 1, 100_000)
        between("most_rated", self.most_rated, 1, 100_000)
        between("shrinkage", self.shrinkage, 0, 1_000_000)
        between("user_shrinkage", self.user_shrinkage, 0, 1_000_000)
        between("item_shrinkage", self.item_shrinkage, 0, 1_000_000)


@dataclass(frozen=True, eq=False)
class RatingNeighbourScorer:
    """Predicts by the biases and by a person's ratings of the item's neighbours."""

    train: Histories
    biases: BoundedRatings
    left: Floats  # [training rows] what the biases leave of each rating
    neighbours: npt.NDArray[np.int32]  # [items, neighbours]
    similarity: Floats  # [items, neighbours]
    most_rated: int

    @property
    def item_count(self) -> int:
        return len(self.neighbours)

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        beyond = rating_neighbours.expected_left(
            self.train.offsets, self.train.item, self.left, self.neighbours, self.similarity, self.most_rated,
            people, items,
        )  # fmt: skip
        return self.biases.candidates(people, items) + beyond

    def everything(self, people: PersonIndex) -> Scores:
        every = np.arange(self.item_count, dtype=np.int32)
        return self.candidates(people, np.broadcast_to(every, (len(people), self.item_count)))

    def values(self, people: PersonIndex, items: ItemIndex) -> Scores:
        """The predicted ratings, held within the range of the training ratings."""
        return self.biases.bounds.hold(self.candidates(people, items))


class RatingKNN:
    """One configuration of item-kNN for ratings over one training set."""

    name: ClassVar[str] = "rating-knn"
    Config: ClassVar[type[RatingKNNConfig]] = RatingKNNConfig
    title: ClassVar[str] = "item-kNN of ratings"
    rounds: ClassVar[int] = 1
    space: ClassVar[dict[str, str]] = {
        "most_rated": "10..100:log",
        "shrinkage": "10..1000:log",
        "user_shrinkage": "1..20:log",
        "item_shrinkage": "1..20:log",
    }

    def __init__(self, config: RatingKNNConfig, train: Histories, seed: int, workers: int = 1) -> None:
        self.config, self.train, self.seed, self.workers = config, train, seed, workers
        self.person, self.centre = train.person, mean_of(train)

    def initial(self) -> Arrays:
        """Nobody's biases and neighbours."""
        people, items = self.train.people_count, self.train.item_count
        shape = (items, min(self.config.neighbours, items))
        return {
            "user_bias": np.zeros(people),
            "item_bias": np.zeros(items),
            "neighbours": np.full(shape, NOBODY, np.int32),
            "similarity": np.zeros(shape, np.float32),
        }

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """Everybody's and every item's bias, and every item's nearest neighbours."""
        config, train = self.config, self.train
        user_bias, item_bias, near, similarity = (arrays[name].copy() for name in _STATE)
        cnmf.biases(
            self.centre, self.person, train.item, train.value, config.user_shrinkage, config.item_shrinkage,
            user_bias, item_bias, _SWEEPS,
        )  # fmt: skip
        by_person = Pairs(train.offsets, train.item, self._left(user_bias, item_bias))
        by_item = transposed(by_person, train.item_count)

        def work(begin: int, end: int) -> None:
            rating_neighbours.nearest(begin, end, by_person, by_item, config.shrinkage, near, similarity)

        in_shares(work, train.item_count, self.workers)
        return dict(zip(_STATE, (user_bias, item_bias, near, similarity), strict=True))

    def scorer(self, arrays: Arrays) -> RatingNeighbourScorer:
        """Predicts with these biases and neighbours."""
        user_bias, item_bias = arrays["user_bias"], arrays["item_bias"]
        return RatingNeighbourScorer(
            self.train,
            ratings_of(self.train, user_bias, item_bias, self.centre),
            self._left(user_bias, item_bias),
            arrays["neighbours"],
            arrays["similarity"],
            self.config.most_rated,
        )

    def _left(self, user_bias: npt.NDArray[np.float64], item_bias: npt.NDArray[np.float64]) -> Floats:
        """What the mean and the biases leave of each training rating."""
        expected = self.centre + user_bias[self.person] + item_bias[self.train.item]
        return (self.train.value - expected).astype(np.float32)
