"""Central GMF, MLP and NeuMF: the yardstick that has everybody's history in one place.

epoch    draw 4 negatives a positive for everybody, shuffle, take optimizer steps    epoch
"""

from typing import Any, ClassVar

import msgspec
import numpy as np

from covey.algorithms.checks import at_least, between, one_of, positive
from covey.algorithms.ncf_scorer import NcfScorer
from covey.algorithms.ncf_start import first_items, first_network
from covey.models import central, draws
from covey.models.ncf import MODELS, shape_of, workspace
from covey.models.optimizers import OPTIMIZERS
from covey.random import key
from covey.splits.histories import Histories
from covey.types import Arrays


class CentralNCFConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the central twin learns."""

    model: str = "gmf"  # gmf, mlp or neumf
    factors: int = 12  # numbers in a person's and an item's vector
    hidden: tuple[int, ...] = (48, 24, 12, 6)  # widths of the layers of the MLP's tower
    negatives: int = 4  # drawn for each positive, anew each epoch
    batch_size: int = 256  # rows an optimizer step
    learning_rate: float = 0.001  # of the optimizer
    optimizer: str = "adam"  # adam or sgd
    rounds: int = 20  # epochs
    spread: float = 0.1  # standard deviation of the first factors
    product_start: float = 4.0  # first output weight of the product's factors; 0: Xavier, as in the paper

    def __post_init__(self) -> None:
        one_of("model", self.model, MODELS)
        between("factors", self.factors, 1, 1024)
        at_least("hidden layers", len(self.hidden), 1)
        for width in self.hidden:
            between("hidden", width, 1, 4096)
        between("negatives", self.negatives, 0, 1000)
        between("batch_size", self.batch_size, 1, 1_000_000)
        positive("learning_rate", self.learning_rate)
        one_of("optimizer", self.optimizer, OPTIMIZERS)
        at_least("rounds", self.rounds, 1)
        positive("spread", self.spread)
        between("product_start", self.product_start, -100, 100)


class CentralNCF:
    """One configuration of the central twin over one training set."""

    name: ClassVar[str] = "central-ncf"
    Config: ClassVar[type[CentralNCFConfig]] = CentralNCFConfig
    space: ClassVar[dict[str, str]] = {
        "factors": "8..64:log",
        "learning_rate": "0.0003..0.01:log",
        "batch_size": "128|256|512|1024",
        "negatives": "2..8",
    }

    def __init__(self, config: CentralNCFConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed
        self.shape = shape_of(config.model, config.factors, config.hidden)

    @property
    def title(self) -> str:
        return "central " + {"gmf": "GMF", "mlp": "MLP", "neumf": "NeuMF"}[self.config.model]

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """Where training starts: as the federation, with everybody's vector beside."""
        config, width = self.config, self.shape.width
        people = np.arange(self.train.people_count, dtype=np.int32)
        half_range = config.spread * float(np.sqrt(3))
        return {
            "users": draws.uniform_rows(np.uint64(key(self.seed, "user")), people, width, half_range),
            "items": first_items(self.train.item_count, width, config.spread, self.seed),
            "network": first_network(self.shape, config.product_start, self.seed),
            "steps": np.zeros(1, np.int64),
        }

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The model, the optimizer's moments and its steps after one more pass."""
        config = self.config
        users, items, network = (arrays[name].copy() for name in ("users", "items", "network"))
        tables = central.tables_of(
            users, items, network, {name: array.copy() for name, array in arrays.items()}
        )
        person, item, label = central.draw_everybody(
            self.train.offsets, self.train.item, self.train.item_count, config.negatives, number,
            np.uint64(key(self.seed, "central")),
        )  # fmt: skip
        steps = central.train_epoch(
            self.shape, tables, person, item, label, config.batch_size, config.learning_rate,
            config.optimizer == "adam", int(arrays["steps"][0]), workspace(self.shape, config.batch_size),
        )  # fmt: skip
        after: dict[str, Any] = {
            "users": users,
            "items": items,
            "network": network,
            "steps": np.array([steps]),
        }
        for n, name in enumerate(("users", "items", "network")):
            after[f"first/{name}"], after[f"second/{name}"] = tables.firsts[n], tables.seconds[n]
        return after

    def scorer(self, arrays: Arrays) -> NcfScorer:
        """Scores for every person."""
        return NcfScorer(self.shape, arrays["users"], arrays["items"], arrays["network"])
