"""FedNCF: federated GMF, MLP and NeuMF (Perifanis and Efraimidis, 2022).

    server   start item rows and network at random                                    initial_model
    round    send rows, network and recipe to c people                                plan
      device draw 4 negatives a positive from what the person does not have *in training*,
             train E epochs on copies of the touched rows, keep the own vector at home,
             send what changed, in fixed point                                        on_device
      sum    add up whole numbers                                                     UpdateSum.add
    server   each item moves by the mean of those who sent it, the network by the
             mean weighed by instances                                                step

Two things differ from the paper on purpose. A device sends changes, not values: the averages are the same, and
untouched rows need not travel. And a held-out item can be drawn as a negative, for a device does not know the future.
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.aggregation.averages import mean_change
from covey.aggregation.sums import UpdateSum
from covey.algorithms.checks import at_least, between, one_of, positive, share_or_count
from covey.algorithms.crowd import Crowd
from covey.algorithms.ncf_population import crowd
from covey.algorithms.ncf_scorer import NcfScorer
from covey.algorithms.ncf_start import first_items, first_network
from covey.device.private import Population, PrivateState
from covey.messages.fixed import to_fixed
from covey.messages.ncf import AGGREGATIONS
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models import draws, local
from covey.models.ncf import MODELS, shape_of
from covey.models.optimizers import OPTIMIZERS
from covey.random import key
from covey.server.model import GlobalModel
from covey.server.steps import SERVER_STEPS, Memory, server_step
from covey.splits.histories import Histories, History
from covey.types import Floats, Ints

_USUAL_RATE = {"sgd": 1.0, "adam": 0.001}


class FedNCFConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How FedNCF learns: sizes and negatives as in the paper, one pass of plain SGD at home.

    The paper's own training is optimizer = "adam", local_epochs = 2: it needs several times the rounds for less.
    """

    model: str = "gmf"  # gmf, mlp or neumf
    factors: int = 12  # D: numbers in a person's and an item's vector
    hidden: tuple[int, ...] = (48, 24, 12, 6)  # h: widths of the layers of the MLP's tower
    negatives: int = 4  # drawn for each positive, anew each round
    local_epochs: int = 1  # E: passes over a person's rows in one visit
    batch_size: int = 64  # rows a step at home
    optimizer: str = "sgd"  # at home: sgd, or adam (fresh each visit)
    learning_rate: float = 0.0  # of the optimizer at home; 0: its usual one (sgd 1, adam 0.001)
    aggregation: str = "per-item"  # per-item (MF-FedAvg), weighted (FedAvg) or simple (SimpleAvg)
    people_per_round: float = 0.02  # c: a share below 1, or a count; 0: everybody
    global_rounds: int = 50  # passes over everybody; rounds = global_rounds x rounds a pass
    rounds: int = 0  # communication rounds; 0: as many as global_rounds makes
    server_step: str = "average"  # average, momentum or adam
    server_rate: float = 1.0  # how far the server goes along the mean change
    spread: float = 0.1  # standard deviation of the first factors
    product_start: float = 4.0  # first output weight of the product's factors; 0: Xavier, as in the paper

    def __post_init__(self) -> None:
        one_of("model", self.model, MODELS)
        between("factors", self.factors, 1, 1024)
        for width in self.hidden:
            between("hidden", width, 1, 4096)
        at_least("hidden layers", len(self.hidden), 1)
        between("negatives", self.negatives, 0, 1000)
        between("local_epochs", self.local_epochs, 1, 1000)
        between("batch_size", self.batch_size, 1, 1_000_000)
        one_of("optimizer", self.optimizer, OPTIMIZERS)
        at_least("learning_rate", self.learning_rate, 0)
        if self.learning_rate:
            positive("learning_rate", self.learning_rate)
        one_of("aggregation", self.aggregation, AGGREGATIONS)
        share_or_count("people_per_round", self.people_per_round)
        at_least("global_rounds", self.global_rounds, 1)
        at_least("rounds", self.rounds, 0)
        one_of("server_step", self.server_step, SERVER_STEPS)
        positive("server_rate", self.server_rate)
        positive("spread", self.spread)
        between("product_start", self.product_start, -100, 100)

    @property
    def rate_at_home(self) -> float:
        """The learning rate, or the optimizer's usual one."""
        return self.learning_rate or _USUAL_RATE[self.optimizer]


class FedNCF:
    """The pure functions of FedNCF for one configuration, one catalogue and one seed."""

    name: ClassVar[str] = "fedncf"
    Config: ClassVar[type[FedNCFConfig]] = FedNCFConfig
    space: ClassVar[dict[str, str]] = {
        "factors": "8..64:log",
        "learning_rate": "0.1..3:log",
        "local_epochs": "1..4",
        "negatives": "2..8",
        "spread": "0.01..0.3:log",
    }

    def __init__(self, config: FedNCFConfig, item_count: int, seed: int) -> None:
        self.config, self.item_count, self.seed = config, item_count, seed
        self.shape = shape_of(config.model, config.factors, config.hidden)
        self.recipe = local.Recipe(
            config.negatives,
            config.local_epochs,
            config.batch_size,
            config.rate_at_home,
            config.optimizer == "adam",
        )

    @property
    def title(self) -> str:
        return {"gmf": "FedGMF", "mlp": "FedMLP", "neumf": "FedNeuMF"}[self.config.model]

    @property
    def remedy(self) -> str:
        return f"lower learning_rate (now {self.recipe.learning_rate:g}) or server_rate"

    # --- server ---

    def initial_model(self, people_count: int) -> GlobalModel:
        """Random item rows and network."""
        items = first_items(self.item_count, self.shape.width, self.config.spread, self.seed)
        return GlobalModel(
            0, {"items": items, "network": first_network(self.shape, self.config.product_start, self.seed)}
        )

    def plan(self, model: GlobalModel) -> TrainingPlan:
        """What everybody in the next round gets."""
        arrays = model.arrays
        return TrainingPlan(
            model.round, self.config.aggregation, self.recipe, arrays["items"], arrays["network"]
        )

    def step(self, model: GlobalModel, total: UpdateSum) -> GlobalModel:
        """The model after a round whose updates add up to `total`."""
        arrays = dict(model.arrays)
        for name, change in zip(
            ("items", "network"), mean_change(total, self.config.aggregation), strict=True
        ):
            prefix = f"memory/{name}/"
            memory: Memory = {
                at.removeprefix(prefix): array for at, array in arrays.items() if at.startswith(prefix)
            }
            arrays[name], memory = server_step(
                self.config.server_step, self.config.server_rate, arrays[name], change, memory
            )
            arrays.update({prefix + at: array for at, array in memory.items()})
        return GlobalModel(model.round + 1, arrays)

    # --- device ---

    def initial_population(self, people_count: int) -> Population:
        """Everybody's first vector, each drawn at home from that person's own stream."""
        people = np.arange(people_count, dtype=np.int32)
        half_range = self.config.spread * float(np.sqrt(3))
        vectors = draws.uniform_rows(np.uint64(key(self.seed, "user")), people, self.shape.width, half_range)
        return Population(vectors, self.seed)

    def on_device(
        self, plan: TrainingPlan, private: PrivateState, history: History
    ) -> tuple[ModelUpdate, PrivateState]:
        """One person's visit: the message that leaves, and the state that stays."""
        desk = local.desk(self.shape, plan.recipe, len(plan.items), len(history))
        vector = private.vector.copy()
        instances, used = local.train_person(
            self.shape, plan.recipe, device_keys(private.seed), private.number, plan.round,
            history.item, vector, plan.items, plan.network, desk,
        )  # fmt: skip
        # In the order of training the rows would tell when each was touched; sorted they do not.
        order = np.argsort(desk.rows[:used])
        rows = desk.rows[:used][order]
        update = self._release(plan, rows, desk.table[:used][order], desk.network, instances)
        return update, PrivateState(vector, private.seed, private.number)

    def _release(
        self, plan: TrainingPlan, rows: np.ndarray, new_rows: Floats, new_network: Floats, instances: int
    ) -> ModelUpdate:
        """The visit's changes as the round's message."""
        schema = plan.schema
        item_weight = instances if plan.kind == "weighted" else 1
        network_weight = 1 if plan.kind == "simple" else instances
        items, clipped_items = to_fixed(
            new_rows - plan.items[rows], schema.field("item_deltas"), weight=item_weight
        )
        network, clipped_network = to_fixed(
            new_network - plan.network, schema.field("network_deltas"), weight=network_weight
        )
        return ModelUpdate(
            plan.round, plan.kind, rows, items, network, instances, clipped_items + clipped_network
        )

    def population(self, histories: Histories, workers: int) -> Crowd[local.Desk]:
        """on_device over many people, a thread a worker."""
        return crowd(self.shape, self.recipe, device_keys(self.seed), histories, workers)

    # --- what a trained model is for ---

    def scorer(self, model: GlobalModel, population: Population, histories: Histories) -> NcfScorer:
        """Scores for every person of a simulation."""
        return NcfScorer(self.shape, population.vectors, model.arrays["items"], model.arrays["network"])

    def operations(self, interactions: Ints) -> dict[str, Ints]:
        """Operations of one visit: a forward pass as the paper counts it, and everything that training does."""
        instances = interactions * (1 + self.config.negatives)
        return {
            "forward_operations": instances * self.shape.forward_operations(),
            "training_operations": instances * self.config.local_epochs * self.shape.training_operations(),
        }


def device_keys(seed: int) -> local.Keys:
    """Where a device's streams of negatives and batches start."""
    return local.Keys(np.uint64(key(seed, "negatives")), np.uint64(key(seed, "batches")))
