"""What an algorithm is: data plus pure functions, from state to state.

    plan = algorithm.plan(model)                                   server: what everybody gets
    update, private = algorithm.on_device(plan, private, history)  one device: the readable truth
    total.add(update)                                              aggregation: whole numbers
    model = algorithm.step(model, total)                           server

`population(...)` gives the fast form of the second line over many people; it must equal the slow one bit by bit
(`covey.testing.AlgorithmContract`).
"""

from typing import Any, ClassVar, Protocol, runtime_checkable

from covey.aggregation.sums import UpdateSum
from covey.device.private import Population, PrivateState
from covey.evaluation.scorer import Scorer
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.server.model import GlobalModel
from covey.splits.histories import Histories, History
from covey.types import Floats, Ints, PersonIndex


class PopulationStep(Protocol):
    """The device step over many people at once."""

    def round(
        self, plan: TrainingPlan, vectors: Floats, people: PersonIndex
    ) -> tuple[UpdateSum, Floats, Ints, dict[str, int]]:
        """Sums, the people's new vectors, the rows that each touched, and values clipped a field."""
        ...

    def close(self) -> None:
        """Lets go of threads."""
        ...


@runtime_checkable
class StepOneByOne(PopulationStep, Protocol):
    """A device step that can also do many rounds of one person each in one call, server's step and all.

    It must end with the bits of the same rounds done one after another.
    """

    def rounds_of_one(
        self, plan: TrainingPlan, vectors: Floats, people: PersonIndex
    ) -> tuple[dict[str, Floats], Floats, Ints, dict[str, int]]:
        """From the plan's round on, one round for each of these people: the model's arrays, everybody's vectors, the
        rows that each round touched, and values clipped a field."""
        ...


@runtime_checkable
class CountsEpochs(Protocol):
    """An algorithm that says itself how many rounds its training has."""

    def rounds_of(self, interactions: int, people: int, rounds_a_pass: int) -> int:
        """Rounds for so many interactions of so many people."""
        ...


class FederatedAlgorithm(Protocol):
    """A system that learns in rounds."""

    name: ClassVar[str]
    config: Any

    @property
    def remedy(self) -> str:
        """What to change where training leaves the finite numbers."""
        ...

    def initial_model(self, people_count: int) -> GlobalModel:
        """Where training starts, with so many people enrolled."""
        ...

    def initial_population(self, people_count: int) -> Population: ...
    def plan(self, model: GlobalModel) -> TrainingPlan: ...
    def on_device(
        self, plan: TrainingPlan, private: PrivateState, history: History
    ) -> tuple[ModelUpdate, PrivateState]: ...
    def population(self, histories: Histories, workers: int) -> PopulationStep: ...
    def step(self, model: GlobalModel, total: UpdateSum) -> GlobalModel: ...
    def scorer(self, model: GlobalModel, population: Population, histories: Histories) -> Scorer:
        """What every person's device would score with this model; it may look at its own history again."""
        ...

    def operations(self, interactions: Ints) -> dict[str, Ints]:
        """Floating-point operations of one visit by the number of training rows, by way of counting."""
        ...
