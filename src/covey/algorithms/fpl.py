"""FPL: federated pair-wise learning (Anelli, Deldjoo, Di Noia, Ferrara and Narducci, 2021).

    server   start item factors at random, biases at zero                             initial_model
    round    send the item table and the recipe to c people                           plan
      device draw T triples (own item, item that the person does not have), take a BPR
             step for each on copies of their rows, keep the own vector at home,
             throw a coin for each own item and send its change with probability pi;
             send the changes of the others always                                    on_device
      sum    add up whole numbers                                                     UpdateSum.add
    server   add alpha times the sum to the item table                                step

sFPL asks one person a round for one triple, pFPL everybody; an epoch has as many triples as central BPR's. Where
a round is one person's, `fpl_population.OneByOne` does many in one call, with the bits of one after another.

The paper leaves two things open. When T triples of a visit share an own item, its coin is thrown once for the visit:
pi is the probability that the update holds the item. And the people of a round are the next of a pass in an order
drawn anew (`server/schedule.py`), not drawn afresh for each round.
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.algorithms.bpr_scorer import BprScorer, first_table
from covey.algorithms.checks import at_least, between, positive, share_or_count
from covey.algorithms.fpl_population import OneByOne, one_by_one
from covey.device.private import Population, PrivateState
from covey.errors import ConfigError
from covey.messages.fixed import from_fixed, to_fixed
from covey.messages.fpl import PAIRWISE
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models import bpr, draws
from covey.privacy.disclosure import Choices, share_of
from covey.random import key
from covey.server.model import GlobalModel
from covey.server.steps import server_step
from covey.splits.histories import Histories, History
from covey.types import Ints


class FPLConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How FPL learns. One person a round and one triple is the paper's sFPL, everybody and one triple its pFPL."""

    factors: int = 20  # F: numbers in a person's vector; an item's row has its bias besides
    triples: int = 1  # T: drawn by a person in one round
    people_per_round: float = 0  # a share below 1, or a count: 1 is sFPL; 0: everybody, pFPL
    epochs: int = 20  # together as many triples as epochs of central BPR, one an interaction
    rounds: int = 0  # communication rounds; 0: as many as epochs makes
    disclose: float = 1.0  # pi: probability that the update of an item that the person has leaves the device
    disclose_spread: float = 0.0  # each person's own pi lies evenly within disclose ± this, drawn at home
    learning_rate: float = 0.05  # alpha, at home and at the server
    regularization: float = 0.0025  # lambda of a person's vector and of own items; learning_rate / 20
    negative_regularization: float = 0.00025  # lambda of the other items; learning_rate / 200
    bias_regularization: float = 0.0  # lambda of the items' biases
    slope_levels: int = 0  # a sent slope is rounded at random to this many steps; 0: exact, as published
    spread: float = 0.1  # standard deviation of the first factors

    def __post_init__(self) -> None:
        between("factors", self.factors, 1, 1024)
        between("triples", self.triples, 1, 1_000_000)
        share_or_count("people_per_round", self.people_per_round)
        at_least("epochs", self.epochs, 1)
        at_least("rounds", self.rounds, 0)
        between("disclose", self.disclose, 0, 1)
        between("disclose_spread", self.disclose_spread, 0, 1)
        if self.disclose_spread > min(self.disclose, 1 - self.disclose) + 1e-12:
            raise ConfigError(
                f"disclose ± disclose_spread must lie within 0 and 1, got {self.disclose:g} ± "
                f"{self.disclose_spread:g}; lower disclose_spread to {min(self.disclose, 1 - self.disclose):g}"
            )
        positive("learning_rate", self.learning_rate)
        between("regularization", self.regularization, 0, 1000)
        between("negative_regularization", self.negative_regularization, 0, 1000)
        between("bias_regularization", self.bias_regularization, 0, 1000)
        between("slope_levels", self.slope_levels, 0, 1_000_000)
        positive("spread", self.spread)


class FPL:
    """The pure functions of FPL for one configuration, one catalogue and one seed."""

    name: ClassVar[str] = "fpl"
    Config: ClassVar[type[FPLConfig]] = FPLConfig

    def __init__(self, config: FPLConfig, item_count: int, seed: int) -> None:
        self.config, self.item_count, self.seed = config, item_count, seed
        self.recipe = bpr.Recipe(
            config.triples,
            config.learning_rate,
            config.regularization,
            config.negative_regularization,
            config.bias_regularization,
            config.slope_levels,
        )
        low, high = config.disclose - config.disclose_spread, config.disclose + config.disclose_spread
        self.choices = Choices(
            np.uint64(key(seed, "disclosure")), float(max(0.0, low)), float(min(1.0, high))
        )

    @property
    def remedy(self) -> str:
        return f"lower learning_rate (now {self.recipe.learning_rate:g})"

    @property
    def title(self) -> str:
        config = self.config
        sizes = {1.0: "sFPL", 0.0: "pFPL"}
        kind = sizes.get(config.people_per_round, "FPL") if config.triples == 1 else "FPL"
        around = f" ± {config.disclose_spread:g}" if config.disclose_spread else ""
        return f"{kind}, pi {config.disclose:g}{around}"

    def rounds_of(self, interactions: int, people: int, rounds_a_pass: int) -> int:
        """The paper's rounds: as many triples as `epochs` times the interactions, at T a person and round."""
        triples_a_pass = max(1, people * self.config.triples)
        return max(1, round(self.config.epochs * interactions * rounds_a_pass / triples_a_pass))

    # --- server ---

    def initial_model(self, people_count: int) -> GlobalModel:
        """Random item factors, biases of zero."""
        table = first_table(self.item_count, self.config.factors, self.config.spread, self.seed)
        return GlobalModel(0, {"items": table})

    def plan(self, model: GlobalModel) -> TrainingPlan:
        """What everybody in the next round gets."""
        nothing = np.zeros(0, np.float32)
        return TrainingPlan(model.round, PAIRWISE, self.recipe, model.arrays["items"], nothing)

    def step(self, model: GlobalModel, total: UpdateSum) -> GlobalModel:
        """The next model: each row that somebody sent goes alpha times the sum of what was sent."""
        schema = self.plan(model).schema
        items, rows = model.arrays["items"].copy(), np.flatnonzero(total.senders)
        change = from_fixed(total.items[rows], schema.item_field)
        items[rows], _ = server_step("average", self.config.learning_rate, items[rows], change, {})
        return GlobalModel(model.round + 1, {"items": items})

    # --- device ---

    def initial_population(self, people_count: int) -> Population:
        """Everybody's first vector, each drawn at home from that person's own stream."""
        people = np.arange(people_count, dtype=np.int32)
        half_range = self.config.spread * float(np.sqrt(3))
        start = np.uint64(key(self.seed, "user"))
        return Population(draws.uniform_rows(start, people, self.config.factors, half_range), self.seed)

    def on_device(
        self, plan: TrainingPlan, private: PrivateState, history: History
    ) -> tuple[ModelUpdate, PrivateState]:
        """One person's visit: the message that leaves, and the state that stays."""
        desk = bpr.desk(plan.recipe, len(plan.items), plan.items.shape[1])
        vector = private.vector.copy()
        share = share_of(self.choices, private.number, desk.generator)
        used = bpr.train_person(
            plan.recipe, device_keys(private.seed), share, private.number, plan.round,
            np.unique(history.item), vector[0], plan.items, desk,
        )  # fmt: skip
        # In the order of the draws every first row of two would be an own item; sorted none stands out.
        order = np.argsort(desk.rows[:used])
        units, clipped = to_fixed(desk.changes[:used][order], plan.schema.item_field)
        nothing = np.zeros(0, np.int32)
        update = ModelUpdate(plan.round, plan.kind, desk.rows[:used][order], units, nothing, 0, clipped)
        return update, PrivateState(vector, private.seed, private.number)

    def population(self, histories: Histories, workers: int) -> OneByOne:
        """on_device over many people, a thread a worker; rounds of one person many at a time."""
        return one_by_one(
            self.recipe, device_keys(self.seed), self.choices, self.config.factors, histories, workers
        )

    # --- what a trained model is for ---

    def scorer(self, model: GlobalModel, population: Population, histories: Histories) -> BprScorer:
        """Scores for every person of a simulation."""
        return BprScorer(population.vectors, model.arrays["items"])

    def operations(self, interactions: Ints) -> dict[str, Ints]:
        """Operations of one visit: T differences of two scores, and everything that their steps do."""
        factors, visits = self.config.factors, np.full_like(interactions, self.config.triples)
        return {
            "forward_operations": visits * (3 * factors + 2),
            "training_operations": visits * (3 * factors + 6 + 15 * factors + 8),
        }


def device_keys(seed: int) -> bpr.Keys:
    """Where a device's streams of triples and coins start."""
    return bpr.Keys(np.uint64(key(seed, "triples")), np.uint64(key(seed, "coins")))
