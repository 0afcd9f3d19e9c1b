"""The in-process engine: a whole federation on one machine, round by round, with exact sums.

What crosses between its server half and its population is only what messages may hold: the plan goes down, sums
of fixed-point updates come up, and the ledger counts both as the messages that they would be.
"""

from pathlib import Path
from typing import Any

import numpy as np

from covey.aggregation.secure.graph import Selection
from covey.algorithms.base import CountsEpochs, StepOneByOne
from covey.device.storage import load_population, save_population
from covey.engines.sums import (
    IN_THE_CLEAR,
    PlainSums,
    PublicSchedule,
    SecureSums,
    Sums,
    SumSettings,
    public_seed,
    record_updates,
)
from covey.errors import ConfigError, DivergedError
from covey.evaluation.scorer import Scorer
from covey.messages.catalogue import PLAN_SCHEMA
from covey.messages.codecs import header_bytes
from covey.messages.ledger import Ledger
from covey.messages.updates import TrainingPlan
from covey.server.model import GlobalModel
from covey.server.schedule import Schedule, people_in_a_round
from covey.splits.histories import Histories
from covey.types import Arrays, Floats

# Rounds of one person that are done in one go: a fraction of a second, so that Ctrl-C need not wait.
BLOCK = 2**17
ABANDONED = "memory/abandoned"  # how many rounds had no sum


class FederatedSession:
    """A federated training of one population."""

    federated = True

    def __init__(
        self, algorithm: Any, train: Histories, workers: int, sums: SumSettings = IN_THE_CLEAR
    ) -> None:
        config, people = algorithm.config, train.people_count
        size = people_in_a_round(config.people_per_round, people)
        if size > people:
            raise ConfigError(
                f"people_per_round is {size}, but there are only {people} people; "
                f"give a count up to {people} or a share below 1"
            )
        self.algorithm, self.train, self.title = algorithm, train, algorithm.title
        self.schedule: Schedule | PublicSchedule = (
            PublicSchedule(Selection(public_seed(algorithm.seed), tuple(range(people)), size))
            if sums.secure
            else Schedule(people, size, algorithm.seed)
        )
        self.rounds_a_pass = self.schedule.rounds_a_pass
        self.rounds = config.rounds or self._planned_rounds()
        self.model: GlobalModel = algorithm.initial_model(people)
        self.population = algorithm.initial_population(people)
        self.step = algorithm.population(train, workers)
        self.sums: Sums = (
            SecureSums(algorithm, train, sums, size)
            if sums.secure
            else PlainSums(self.step, sums, algorithm.seed)
        )
        self.dropout = sums.dropout
        self.troubles: set[str] = set()  # why rounds had no sum
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
        added = self.sums.add(plan, self.population, people)
        if added.total is None:
            # The round is lost, not the secret: the model stays, and the next round asks other people.
            lost = self.model.arrays.get(ABANDONED, np.zeros(1, np.int64)) + 1
            model = GlobalModel(self.model.round + 1, {**self.model.arrays, ABANDONED: lost})
            self.troubles.add(added.trouble)
        else:
            model = self.algorithm.step(self.model, added.total)
        self._refuse_divergence(added.vectors, model)
        self.population.keep(added.people, added.vectors)
        self.model = model
        self.sums.account(self.ledger, plan, added)
        self._account_plan(plan, len(people))

    def advance_by(self, at_most: int) -> None:
        """One round, or a block of rounds of one person each, to the bits of one after another.

        Only a block that ends well changes anything.
        """
        step, rounds = self.step, min(at_most, BLOCK)
        one_by_one = isinstance(self.schedule, Schedule) and self.schedule.people_per_round == 1
        one_by_one = one_by_one and not self.dropout
        if rounds < 2 or not one_by_one or not isinstance(step, StepOneByOne):
            self.advance()
            return
        assert isinstance(self.schedule, Schedule)
        people = self.schedule.one_by_one(self.model.round, rounds)
        plan = self.algorithm.plan(self.model)
        arrays, vectors, touched, clipped = step.rounds_of_one(plan, self.population.vectors, people)
        model = GlobalModel(self.model.round + rounds, {**self.model.arrays, **arrays})
        self._refuse_divergence(vectors, model)
        self.population.keep(np.arange(len(vectors), dtype=np.int32), vectors)
        self.model = model
        record_updates(self.ledger, plan, touched, clipped)
        self._account_plan(plan, len(people))

    def _refuse_divergence(self, vectors: Floats, model: GlobalModel) -> None:
        """Raises where a round would leave numbers that are not finite; nothing has been kept by then."""
        if np.isfinite(vectors).all() and all(np.isfinite(array).all() for array in model.arrays.values()):
            return
        last = model.round - 1
        where = f"round {last}" if last == self.model.round else f"rounds {self.model.round} to {last}"
        raise DivergedError(
            f"training diverged in {where}: numbers are no longer finite; {self.algorithm.remedy}"
        )

    def _account_plan(self, plan: TrainingPlan, people: int) -> None:
        """Enters in the ledger what so many people got."""
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
        if ABANDONED not in self.model.arrays:
            return {}
        count = int(self.model.arrays[ABANDONED][0])
        return {"abandoned_rounds": count, "abandoned_why": sorted(self.troubles)}

    def close(self) -> None:
        self.step.close()
