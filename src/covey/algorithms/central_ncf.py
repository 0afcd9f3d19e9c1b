"""Central GMF, MLP and NeuMF: the yardstick that has everybody's history in one place.

epoch    draw 4 negatives a positive for everybody, shuffle, take optimizer steps    epoch

NeuMF can begin as it was published (He et al., 2017): GMF and MLP are trained first, each alone, by Adam, and are
joined (`ncf_start.joined`); then the whole goes on with an optimizer that remembers nothing of before.

What is judged can be a running mean of the weights. Then the weights that training goes on from, and those of the
parts before they are joined, are kept under memory/ beside the model.
"""

from typing import Any, ClassVar

import msgspec
import numpy as np

from covey.algorithms.checks import at_least, between, one_of, positive
from covey.algorithms.ncf_scorer import NcfScorer
from covey.algorithms.ncf_start import TABLES, first_items, first_network, joined
from covey.errors import ConfigError
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
    rounds: int = 20  # epochs; those of pretrain_rounds come before them
    spread: float = 0.1  # standard deviation of the first factors
    product_start: float = 4.0  # first output weight of the product's factors; 0: Xavier, as in the paper
    regularization: float = 0.0  # lambda of the vectors, for each instance that reads them
    averaging: float = 0.0  # epochs that the mean weights, which are judged, look back over; 0: the weights
    pretrain_rounds: int = 0  # epochs of GMF and of MLP, each alone, before NeuMF's own; 0: from scratch
    pretrain_rate: float = 0.001  # of Adam, which trains the two
    mix: float = 0.5  # GMF's share of the output when the two are joined; the rest is MLP's

    # See runs/settings.py: younger_keys.
    younger: ClassVar[tuple[str, ...]] = (
        "regularization",
        "averaging",
        "pretrain_rounds",
        "pretrain_rate",
        "mix",
    )

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
        between("regularization", self.regularization, 0, 1000)
        between("averaging", self.averaging, 0, 1_000_000)
        at_least("pretrain_rounds", self.pretrain_rounds, 0)
        positive("pretrain_rate", self.pretrain_rate)
        between("mix", self.mix, 0, 1)
        if self.pretrain_rounds and self.model != "neumf":
            raise ConfigError(
                f"pretrain_rounds must be 0 for model {self.model!r}, which has no parts to train first, "
                f"got {self.pretrain_rounds}; set model = 'neumf'"
            )


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
        self.parts = {model: self._alone(model) for model in ("gmf", "mlp") if config.pretrain_rounds}

    def _alone(self, model: str) -> "CentralNCF":
        """A part of NeuMF as it is trained before it is joined: as a run of it would."""
        config = msgspec.structs.replace(
            self.config,
            model=model,
            optimizer="adam",
            learning_rate=self.config.pretrain_rate,
            pretrain_rounds=0,
        )
        return CentralNCF(config, self.train, self.seed)

    @property
    def title(self) -> str:
        return "central " + {"gmf": "GMF", "mlp": "MLP", "neumf": "NeuMF"}[self.config.model]

    @property
    def rounds(self) -> int:
        return self.config.pretrain_rounds + self.config.rounds

    def initial(self) -> Arrays:
        """Where training starts: as the federation, with everybody's vector beside; or the join of its parts' starts."""
        if self.parts:
            return self._joined({model: part.initial() for model, part in self.parts.items()})
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
        return (self._pretrained if number < self.config.pretrain_rounds else self._trained)(arrays, number)

    def _pretrained(self, arrays: Arrays, number: int) -> Arrays:
        """Both parts after one more pass of each, and what they would be joined."""
        after: dict[str, Arrays] = {}
        for model, part in self.parts.items():
            begin = f"memory/{model}/"
            own = {name[len(begin) :]: array for name, array in arrays.items() if name.startswith(begin)}
            after[model] = part.epoch(own or part.initial(), number)
        kept = {
            f"memory/{model}/{name}": array for model, own in after.items() for name, array in own.items()
        }
        return {**self._joined(after), **kept}

    def _joined(self, parts: dict[str, Arrays]) -> Arrays:
        """NeuMF of the two parts, with an optimizer that has done nothing yet."""
        model = joined(
            parts["gmf"], parts["mlp"], self.config.factors, self.config.hidden[-1], self.config.mix
        )
        return {**model, "steps": np.zeros(1, np.int64)}

    def _trained(self, arrays: Arrays, number: int) -> Arrays:
        """The whole after one more pass."""
        config = self.config
        users, items, network = (arrays.get(f"memory/{name}", arrays[name]).copy() for name in TABLES)
        memory = {name: array.copy() for name, array in arrays.items()}
        means = {f"mean/{name}": arrays[name].reshape(-1).copy() for name in TABLES}
        tables = central.tables_of(users, items, network, {**memory, **means})
        person, item, label = central.draw_everybody(
            self.train.offsets, self.train.item, self.train.item_count, config.negatives, number,
            np.uint64(key(self.seed, "central")),
        )  # fmt: skip
        recipe = central.Recipe(
            config.batch_size,
            config.learning_rate,
            config.optimizer == "adam",
            config.regularization,
            config.averaging,
        )
        steps = central.train_epoch(
            self.shape, tables, person, item, label, recipe, int(arrays["steps"][0]),
            workspace(self.shape, config.batch_size),
        )  # fmt: skip
        return self._after(tables, steps)

    def _after(self, tables: central.Tables, steps: int) -> Arrays:
        """What is kept of an epoch's tables."""
        trained = {"users": tables.users, "items": tables.items, "network": tables.network}
        after: dict[str, Any] = {**trained, "steps": np.array([steps])}
        if self.config.averaging:
            for name, mean in zip(TABLES, tables.means, strict=True):
                after[name], after[f"memory/{name}"] = mean.reshape(trained[name].shape), trained[name]
        for n, name in enumerate(TABLES):
            after[f"first/{name}"], after[f"second/{name}"] = tables.firsts[n], tables.seconds[n]
        return after

    def scorer(self, arrays: Arrays) -> NcfScorer:
        """Scores for every person."""
        return NcfScorer(self.shape, arrays["users"], arrays["items"], arrays["network"])
