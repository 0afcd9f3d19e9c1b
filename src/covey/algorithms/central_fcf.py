"""Central collaborative filtering by alternating least squares: what FCF has to come to (Hu, Koren and Volinsky, 2008).

epoch    solve for everybody's factors (eq. 7 of the FCF paper), then for every item's (eq. 9)    epoch
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.algorithms.checks import at_least
from covey.algorithms.factor_scorer import FactorScorer, RatingScorer
from covey.algorithms.fcf_start import check_factorization, first_factors
from covey.errors import ConfigError
from covey.models import factorization as fz
from covey.splits.histories import Histories
from covey.types import Arrays, Floats


class CentralFCFConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the central twin learns: the keys that it shares with FCF mean the same."""

    feedback: str = "implicit"  # implicit or explicit
    factors: int = 32  # numbers in a person's and an item's vector
    alpha: float = 5.0  # how much more counts what a person has: confidence 1 + alpha r; implicit alone
    weighing: str = "same"  # what r is: same (1), value, or log (of 1 + value)
    regularization: float = 0.01  # lambda, of people's and items' factors alike
    scaling: float = 1.0  # lambda is multiplied by the summed weight of a person or an item to this power
    spread: float = 0.1  # standard deviation of the first item factors
    rounds: int = 15  # epochs

    def __post_init__(self) -> None:
        check_factorization(self)
        at_least("rounds", self.rounds, 1)


class CentralFCF:
    """One configuration of the central twin over one training set."""

    name: ClassVar[str] = "central-fcf"
    Config: ClassVar[type[CentralFCFConfig]] = CentralFCFConfig
    title: ClassVar[str] = "central CF (ALS)"

    def __init__(self, config: CentralFCFConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed
        self.explicit = config.feedback == "explicit"
        self.recipe = fz.recipe_of(config)
        by_item = np.argsort(train.item, kind="stable")
        self.owners = train.person[by_item]
        self.owner_values = train.value[by_item]
        self.owner_offsets = np.searchsorted(train.item[by_item], np.arange(train.item_count + 1))

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """FCF's first item factors, and nobody's."""
        width = self.config.factors + self.explicit
        return {
            "items": first_factors(
                self.train.item_count, width, self.config.spread, self.explicit, self.seed
            ),
            "users": np.zeros((self.train.people_count, width), np.float32),
            "network": np.zeros(int(self.explicit), np.float32),
        }

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """Both tables, each solved for with the other one fixed."""
        users, centre = self._people(arrays), fz.centre_of(arrays["network"])
        items, stuck = fz.solve_everybody(
            self.recipe, self.owner_offsets, self.owners, self.owner_values, users, centre
        )
        if stuck >= 0:
            raise _undetermined("item", stuck)
        network = arrays["network"]
        if self.explicit:
            network = (network + self._left(arrays["items"][:, -1] + np.float32(centre))).astype(np.float32)
        return {"items": items, "users": users, "network": network}

    def _left(self, expected: Floats) -> float:
        """The mean over people of the mean of what their ratings are above those expected of an item."""
        train = self.train
        above = np.bincount(train.person, train.value - expected[train.item], train.people_count)
        return float((above / np.maximum(train.counts, 1)).mean())

    def scorer(self, arrays: Arrays) -> FactorScorer:
        """Scores with people's factors solved for anew, as FCF's devices do."""
        users = self._people(arrays)
        if self.explicit:
            return RatingScorer(users, arrays["items"], fz.centre_of(arrays["network"]))
        return FactorScorer(users, arrays["items"])

    def _people(self, arrays: Arrays) -> Floats:
        """Everybody's factors for these items'."""
        train = self.train
        users, stuck = fz.solve_everybody(
            self.recipe,
            train.offsets,
            train.item,
            train.value,
            arrays["items"],
            fz.centre_of(arrays["network"]),
        )
        if stuck >= 0:
            raise _undetermined("person", stuck)
        return users


def _undetermined(what: str, number: int) -> ConfigError:
    return ConfigError(
        f"the factors of {what} {number} are not determined by their rows; raise regularization above 0"
    )
