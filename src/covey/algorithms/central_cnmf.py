"""Central collaborative non-negative factorization of ratings (fedsplit.txt, section 3.2): FedSPLIT's yardstick.

epoch    biases rating by rating (eq. 10 and 11), then all factors by one step (eq. 12 and 13)    cnmf.complete
"""

from typing import ClassVar

import msgspec

from covey.algorithms.checks import at_least, between, one_of
from covey.algorithms.rating_scorer import BoundedRatings, mean_of, ratings_of, refuse_diverged
from covey.models import cnmf
from covey.random import stream
from covey.splits.histories import Histories
from covey.types import Arrays

PENALTIES = ("rating", "once")
_LARGEST = 1_000_000


class CentralCNMFConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is minimised, and how fast the biases learn; the paper's letters behind each, and the middle of its ranges."""

    patterns: int = 10  # k: numbers in a person's and an item's vector, none of them negative
    user_regularization: float = 0.06  # alpha, of people's factors
    item_regularization: float = 0.06  # beta, of items' factors
    user_bias_regularization: float = 0.02  # gamma
    item_bias_regularization: float = 0.02  # delta
    user_bias_rate: float = 0.004  # eta_W: step of a person's bias at each rating
    item_bias_rate: float = 0.004  # eta_H: step of an item's
    penalty: str = "rating"  # alpha and beta count once a rating, or once, as equation 12 is printed
    rounds: int = 100  # epochs

    def __post_init__(self) -> None:
        between("patterns", self.patterns, 1, 1024)
        for name in ("user", "item"):
            between(f"{name}_regularization", getattr(self, f"{name}_regularization"), 0, _LARGEST)
            between(f"{name}_bias_regularization", getattr(self, f"{name}_bias_regularization"), 0, _LARGEST)
            between(f"{name}_bias_rate", getattr(self, f"{name}_bias_rate"), 0, 1)
        one_of("penalty", self.penalty, PENALTIES)
        at_least("rounds", self.rounds, 1)


class CentralCNMF:
    """One configuration of the factorization over one training set."""

    name: ClassVar[str] = "central-cnmf"
    Config: ClassVar[type[CentralCNMFConfig]] = CentralCNMFConfig
    title: ClassVar[str] = "central CNMF"
    space: ClassVar[dict[str, str]] = {  # the paper's, section 4.1
        "patterns": "2..20",
        "user_regularization": "0.04..0.08:log",
        "item_regularization": "0.04..0.08:log",
        "user_bias_regularization": "0.01..0.04:log",
        "item_bias_regularization": "0.01..0.04:log",
        "user_bias_rate": "0.002..0.009:log",
        "item_bias_rate": "0.002..0.009:log",
    }

    def __init__(self, config: CentralCNMFConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed
        self.person, self.centre = train.person, mean_of(train)
        self.penalties = cnmf.Penalties(
            users=config.user_regularization,
            items=config.item_regularization,
            user_bias=config.user_bias_regularization,
            item_bias=config.item_bias_regularization,
            user_rate=config.user_bias_rate,
            item_rate=config.item_bias_rate,
            by_rating=config.penalty == "rating",
        )

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """Factors drawn evenly from 0 to 1, and no bias."""
        return cnmf.start(
            self.train.people_count, self.train.item_count, self.config.patterns, stream(self.seed, "cnmf")
        )._asdict()

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The model after one more walk over the ratings."""
        model = cnmf.Factorization(**{name: array.copy() for name, array in arrays.items()})
        train = self.train
        cnmf.complete(self.penalties, self.centre, self.person, train.item, train.value, model, 1, True)
        refuse_diverged(model._asdict(), "lower user_bias_rate and item_bias_rate")
        return model._asdict()

    def scorer(self, arrays: Arrays) -> BoundedRatings:
        """Predicts by equation 7."""
        return ratings_of(
            self.train,
            arrays["user_bias"],
            arrays["item_bias"],
            self.centre,
            arrays["users"],
            arrays["items"],
        )
