"""The in-process engine: a whole federation on one machine, round by round, with exact sums.

What crosses between its server half and its population is only what messages may hold: the plan goes down, sums
of fixed-point updates come up, and the ledger counts both as the messages that they would be.
"""

from pathlib import Path
from typing import Any

import numpy as np

from covey.algorithms.base import CountsEpochs, StepOneByOne
from covey.device.storage import load_population, save_population
from covey.errors import ConfigError, DivergedError
from covey.evaluation.scorer import Scorer
from covey.messages.catalogue import PLAN_SCHEMA
from covey.messages.codecs import header_bytes
from covey.messages.ledger import Ledger
from covey.messages.updates import TrainingPlan
from covey.server.model import GlobalModel
from covey.server.schedule import Schedule, people_in_a_round
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, Ints

# Rounds of one person that are done in one go: a fraction of a second, so that Ctrl-C need not wait.
BLOCK = 2**17


class FederatedSession:
    """A federated training of one population."""

    federated = True

    def __init__(self, algorithm: Any, train: Histories, workers: int) -> None:
        config, people = algorithm.config, train.people_count
        size = people_in_a_round(config.people_per_round, people)
        if size > people:
            raise ConfigError(
                f"people_per_round is {size}, but there are only {people} people; "
                f"give a count up to {people} or a share below 1"
            )
        self.algorithm, self.train, self.title = algorithm, train, algorithm.title
        self.schedule = Schedule(people, size, algorithm.seed)
        self.rounds_a_pass = self.schedule.rounds_a_pass
        self.rounds = config.rounds or self._planned_rounds()
        self.model: GlobalModel = algorithm.initial_model(people)
        self.population = algorithm.initial_population(people)
        self.step = algorithm.population(train, workers)
        self.ledger = Ledger()

    @property
    def round(self) -> int:
        return self.model.round

    def _planned_rounds(self) -> int:
        """As many as the algorithm says, or else so many passes over everybody."""
        if isinstance(self.algorithm, CountsEpochs):
            return self.algorithm.rounds_of(len(self.train), self.train.people_count, self.rounds_a_pass)
        return self.algorithm.config.global_rounds * self.rounds_a_pass

    def advance(self) -> None:
        """One round: plan, visits, sum, step. Only a round that ends well changes anything."""
        people = self.schedule.people(self.model.round)
        plan = self.algorithm.plan(self.model)
        total, vectors, touched, clipped = self.step.round(plan, self.population.vectors, people)
        model = self.algorithm.step(self.model, total)
        self._refuse_divergence(vectors, model)
        self.population.keep(people, vectors)
        self.model = model
        self._account(plan, touched, clipped)

    def advance_by(self, at_most: int) -> None:
        """One round, or a block of rounds of one person each, to the bits of one after another.

        Only a block that ends well changes anything.
        """
        step, rounds = self.step, min(at_most, BLOCK)
        if rounds < 2 or self.schedule.people_per_round > 1 or not isinstance(step, StepOneByOne):
            self.advance()
            return
        people = self.schedule.one_by_one(self.model.round, rounds)
        plan = self.algorithm.plan(self.model)
        arrays, vectors, touched, clipped = step.rounds_of_one(plan, self.population.vectors, people)
        model = GlobalModel(self.model.round + rounds, {**self.model.arrays, **arrays})
        self._refuse_divergence(vectors, model)
        self.population.keep(np.arange(len(vectors), dtype=np.int32), vectors)
        self.model = model
        self._account(plan, touched, clipped)

    def _refuse_divergence(self, vectors: Floats, model: GlobalModel) -> None:
        """Raises where a round would leave numbers that are not finite; nothing has been kept by then."""
        if np.isfinite(vectors).all() and all(np.isfinite(array).all() for array in model.arrays.values()):
            return
        last = model.round - 1
        where = f"round {last}" if last == self.model.round else f"rounds {self.model.round} to {last}"
        raise DivergedError(
            f"training diverged in {where}: numbers are no longer finite; {self.algorithm.remedy}"
        )

    def _account(self, plan: TrainingPlan, touched: Ints, clipped: dict[str, int]) -> None:
        """Enters the round's messages in the ledger."""
        people, rows, schema = len(touched), int(touched.sum()), plan.schema
        values = {"rows": rows, schema.item_field.name: rows * plan.items.shape[1], "instances": people}
        if schema.shared_field:
            values[schema.shared_field.name] = people * plan.shared_size
        self.ledger.record(schema, people, values, clipped)
        self.ledger.record_overhead(schema, people, header_bytes())
        down = {"items": plan.items.size, "network": plan.network.size, "recipe": len(plan.recipe)}
        self.ledger.record(PLAN_SCHEMA, people, {name: count * people for name, count in down.items()})
        self.ledger.record_overhead(PLAN_SCHEMA, people, header_bytes())

    def scorer(self) -> Scorer:
        return self.algorithm.scorer(self.model, self.population, self.train)

    def shared(self) -> Arrays:
        return self.model.arrays

    def save(self, folder: Path) -> None:
        # Two files and two owners: what the server has, and what in a deployment each device has.
        self.model.save(folder / "server.safetensors")
        save_population(self.population, folder / "devices.safetensors")

    def restore(self, folder: Path) -> None:
        model = GlobalModel.load(folder / "server.safetensors")
        population = load_population(folder / "devices.safetensors")
        if population.vectors.shape != self.population.vectors.shape:
            raise ValueError(f"expected vectors of {len(self.population)} people, got {len(population)}")
        self.model, self.population = model, population

    def costs(self) -> dict[str, dict[str, float]]:
        counted = self.algorithm.operations(self.train.counts)
        return {
            name: {"mean": float(values.mean()), "min": float(values.min()), "max": float(values.max())}
            for name, values in counted.items()
        }

    def facts(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        self.step.close()
