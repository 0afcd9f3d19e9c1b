"""FedNCF under observation: whom an engine visited, what their messages weigh, and a failure where a test wants one."""

import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.algorithms.base import PopulationStep
from covey.algorithms.fedncf import FedNCF, FedNCFConfig
from covey.device.private import PrivateState
from covey.messages.codecs import Raw
from covey.messages.updates import TrainingPlan
from covey.server.model import GlobalModel
from covey.splits.histories import Histories
from covey.types import Floats, Ints, PersonIndex


class AskedToFailError(Exception):
    """What a watched algorithm raises when it is asked to fail."""


class Watched(FedNCF):
    """FedNCF that keeps a list of visits, and fails at "round", "step" or "vectors" when told so."""

    def __init__(self, config: FedNCFConfig, item_count: int, seed: int) -> None:
        super().__init__(config, item_count, seed)
        self.visited: list[PersonIndex] = []
        self.encoded_bytes = 0  # of the messages that one device after another would have sent
        self.fails_at = ""

    def population(self, histories: Histories, workers: int) -> PopulationStep:  # type: ignore[override]  # watched, no Crowd
        return _WatchedStep(self, super().population(histories, workers), histories)

    def step(self, model: GlobalModel, total: UpdateSum) -> GlobalModel:
        if self.fails_at == "step":
            raise AskedToFailError("asked to fail in the step")
        return super().step(model, total)


class _WatchedStep:
    """A population step that also does every visit the slow way, as a message."""

    def __init__(self, algorithm: Watched, step: PopulationStep, histories: Histories) -> None:
        self.algorithm, self.inner, self.histories = algorithm, step, histories

    def round(
        self, plan: TrainingPlan, vectors: Floats, people: PersonIndex
    ) -> tuple[UpdateSum, Floats, Ints, dict[str, int]]:
        total, new_vectors, touched, clipped = self.inner.round(plan, vectors, people)
        if self.algorithm.fails_at == "round":
            raise AskedToFailError("asked to fail in the round")
        if self.algorithm.fails_at == "vectors":
            new_vectors = np.full_like(new_vectors, np.nan)
        self.algorithm.visited.append(people.copy())
        for person in people:
            private = PrivateState(vectors[person : person + 1].copy(), self.algorithm.seed, int(person))
            update, _ = self.algorithm.on_device(plan, private, self.histories.of(int(person)))
            self.algorithm.encoded_bytes += len(Raw().encode(update))
        return total, new_vectors, touched, clipped

    def close(self) -> None:
        self.inner.close()
