"""FCF: federated collaborative filtering by matrix factorization (Ammad-ud-din et al., 2019), and ways past it.

    server   start item factors at random                                             initial_model
    round    send the item factors to everybody, or to a sample                       plan
      device solve for the own factors x in closed form (eq. 7), keep them at home,
             send the gradients f(u, i) of the items (eq. 11), in fixed point         on_device
      sum    add up whole numbers                                                     UpdateSum.add
    server   a gradient step, an Adam step (eq. 10 and 12 to 17), or one that knows
             how much the people's factors spread (x x', summed)                      step

The paper's message has a row for every item. What it says of the items that a person does not have is -(x x') y_i:
one small matrix for all of them. So by default a device sends x x' and the rows of its own items, and the server
works out the rest.
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.algorithms.checks import at_least, between, one_of, positive, share_or_count
from covey.algorithms.crowd import Crowd
from covey.algorithms.factor_scorer import FactorScorer, RatingScorer
from covey.algorithms.fcf_population import crowd, undetermined
from covey.algorithms.fcf_start import check_factorization, first_factors
from covey.device.private import Population, PrivateState
from covey.errors import ConfigError
from covey.messages.fcf import PAYLOADS
from covey.messages.fixed import to_fixed
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models import factorization as fz
from covey.server import factor_steps
from covey.server.model import GlobalModel
from covey.splits.histories import Histories, History
from covey.types import Ints


class FCFConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How FCF learns.

    As published: payload = "all", server_step = "gradient" or "adam", gradient_steps = 10 or 20, scaling = 0.
    """

    feedback: str = "implicit"  # implicit: that a person has an item; explicit: its value, with biases
    factors: int = 32  # K: numbers in a person's and an item's vector
    alpha: float = 5.0  # how much more counts what a person has: confidence 1 + alpha r; implicit alone
    weighing: str = "same"  # what r is: same (1), value, or log (of 1 + value)
    regularization: float = 0.01  # lambda, of people's and items' factors alike
    scaling: float = 1.0  # lambda is multiplied by the summed weight of a person or an item to this power
    spread: float = 0.1  # standard deviation of the first item factors
    payload: str = "own"  # own: gradients of one's own items and x x'; all: of every item, as published
    server_step: str = "preconditioned"  # preconditioned, gradient or adam
    server_rate: float = 0.0  # gamma: how far the server goes; 0: the step's usual rate (1, 0.05 and 0.2)
    gradient_steps: int = 1  # rounds between two solutions of a person's factors
    engagement: float = 3.0  # preconditioned: how much larger x x' is among those who have an item
    decay_1: float = 0.4  # adam: beta 1 of equation 13
    decay_2: float = 0.99  # adam: beta 2 of equation 14
    people_per_round: float = 0.0  # a share below 1, or a count; 0: everybody
    global_rounds: int = 10  # passes over everybody; rounds = global_rounds x rounds a pass
    rounds: int = 0  # communication rounds; 0: as many as global_rounds makes

    def __post_init__(self) -> None:
        check_factorization(self)
        one_of("payload", self.payload, PAYLOADS)
        one_of("server_step", self.server_step, factor_steps.STEPS)
        at_least("server_rate", self.server_rate, 0)
        if self.server_rate:
            positive("server_rate", self.server_rate)
        between("gradient_steps", self.gradient_steps, 1, 1000)
        positive("engagement", self.engagement)
        between("decay_1", self.decay_1, 0, 0.9999)
        between("decay_2", self.decay_2, 0, 0.9999)
        share_or_count("people_per_round", self.people_per_round)
        at_least("global_rounds", self.global_rounds, 1)
        at_least("rounds", self.rounds, 0)
        if self.payload == "all" and self.server_step == "preconditioned":
            raise ConfigError(
                "a preconditioned step needs x x', which payload 'all' does not send; "
                "set payload to 'own', or server_step to 'gradient' or 'adam'"
            )
        if self.payload == "all" and self.scaling > 0 and self.feedback == "implicit":
            raise ConfigError(
                "scaling needs to know how many people have an item, which payload 'all' does not say; "
                "set scaling to 0, or payload to 'own'"
            )
        if self.payload == "all" and self.feedback == "explicit":
            raise ConfigError(
                "ratings say nothing of items that a person does not have; set payload to 'own'"
            )


class FCF:
    """The pure functions of FCF for one configuration, one catalogue and one seed."""

    name: ClassVar[str] = "fcf"
    Config: ClassVar[type[FCFConfig]] = FCFConfig

    def __init__(self, config: FCFConfig, item_count: int, seed: int) -> None:
        self.config, self.item_count, self.seed = config, item_count, seed
        self.explicit = config.feedback == "explicit"
        self.width = config.factors + self.explicit
        self.kind = "rating-gradients" if self.explicit else f"{config.payload}-gradients"

    @property
    def title(self) -> str:
        return "FCF" if self.config.server_step == "preconditioned" else f"FCF ({self.config.server_step})"

    @property
    def remedy(self) -> str:
        return "set or lower server_rate, or raise regularization"

    def recipe(self, round_number: int) -> fz.Recipe:
        """How to work at home in that round."""
        return fz.recipe_of(self.config, solve=round_number % self.config.gradient_steps == 0)

    # --- server ---

    def initial_model(self, people_count: int) -> GlobalModel:
        """Random item factors, biases of zero, and how many people have enrolled."""
        return GlobalModel(
            0,
            {
                "items": first_factors(
                    self.item_count, self.width, self.config.spread, self.explicit, self.seed
                ),
                "network": np.zeros(int(self.explicit), np.float32),
                "memory/enrolled": np.array([people_count], np.int64),
            },
        )

    def plan(self, model: GlobalModel) -> TrainingPlan:
        """What everybody in the next round gets."""
        size = 0 if self.kind == "all-gradients" else fz.shared_size(self.width, self.explicit)
        arrays = model.arrays
        return TrainingPlan(
            model.round, self.kind, self.recipe(model.round), arrays["items"], arrays["network"], size
        )

    def step(self, model: GlobalModel, total: UpdateSum) -> GlobalModel:
        """The model after a round whose updates add up to `total`."""
        return factor_steps.factor_step(self.config, self.recipe(model.round), self.kind, model, total)

    # --- device ---

    def initial_population(self, people_count: int) -> Population:
        """Nobody has factors before the first round."""
        return Population(np.zeros((people_count, self.width), np.float32), self.seed)

    def on_device(
        self, plan: TrainingPlan, private: PrivateState, history: History
    ) -> tuple[ModelUpdate, PrivateState]:
        """One person's round: the message that leaves, and the factors that stay."""
        dense = plan.kind == "all-gradients"
        desk = fz.desk(len(history), self.width, len(plan.items) if dense else len(history))
        vector = private.vector[0].copy()
        solved, left = fz.visit(
            plan.recipe, history.item, history.value, plan.items, fz.centre_of(plan.network),
            fz.base_of(plan.recipe, plan.items), dense, vector, desk,
        )  # fmt: skip
        if not solved:
            raise undetermined(private.number, len(history), self.width)
        # In the order of time the rows would tell when each came; sorted they do not.
        order = np.arange(len(plan.items)) if dense else np.argsort(history.item)
        rows = order.astype(np.int32) if dense else history.item[order]
        schema = plan.schema
        change = desk.slopes[order, None] * desk.bearing
        items, clipped = to_fixed(change, schema.item_field, fz.release_weight(plan.recipe))
        shared = np.zeros(0, np.int32)
        if schema.shared_field:
            packed = np.zeros(plan.shared_size, np.float32)
            fz.fill_outer(desk.bearing, packed)
            if self.explicit:
                packed[-1] = left
            shared, more = to_fixed(packed, schema.shared_field)
            clipped += more
        update = ModelUpdate(plan.round, plan.kind, rows, items, shared, 0, clipped)
        return update, PrivateState(vector[None], private.seed, private.number)

    def population(self, histories: Histories, workers: int) -> Crowd[fz.Desk]:
        """on_device over many people, a thread a worker."""
        return crowd(histories, self.width, self.kind == "all-gradients", workers)

    # --- what a trained model is for ---

    def scorer(self, model: GlobalModel, population: Population, histories: Histories) -> FactorScorer:
        """Scores with factors that every person's device solves for anew with this model."""
        arrays = model.arrays
        vectors, stuck = fz.solve_everybody(
            self.recipe(0), histories.offsets, histories.item, histories.value, arrays["items"],
            fz.centre_of(arrays["network"]),
        )  # fmt: skip
        if stuck >= 0:
            raise undetermined(stuck, len(histories.of(stuck)), self.width)
        if self.explicit:
            return RatingScorer(vectors, arrays["items"], fz.centre_of(arrays["network"]))
        return FactorScorer(vectors, arrays["items"])

    def operations(self, interactions: Ints) -> dict[str, Ints]:
        """Operations of one visit, a multiplication and an addition counted each."""
        width = self.width
        base = self.item_count * width * width if not self.explicit else 0
        solving = base + interactions * width * (width + 3) + width**3 // 3 + 2 * width**2
        rows = np.full_like(interactions, self.item_count) if self.kind == "all-gradients" else interactions
        return {"training_operations": solving + 3 * width * rows}
