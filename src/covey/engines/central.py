"""The engine of the central yardsticks: all histories in one place, an epoch a round, nothing to send."""

from pathlib import Path
from typing import Any

from covey.evaluation.scorer import Scorer
from covey.messages.ledger import Ledger
from covey.server.model import GlobalModel
from covey.types import Arrays


class CentralSession:
    """A central training."""

    federated = False
    rounds_a_pass = 1

    def __init__(self, algorithm: Any) -> None:
        self.algorithm, self.title, self.rounds = algorithm, algorithm.title, algorithm.rounds
        self.model = GlobalModel(0, dict(algorithm.initial()))
        self.ledger = Ledger()

    @property
    def round(self) -> int:
        return self.model.round

    def advance(self) -> None:
        self.model = GlobalModel(self.round + 1, dict(self.algorithm.epoch(self.model.arrays, self.round)))

    def advance_by(self, at_most: int) -> None:
        self.advance()

    def scorer(self) -> Scorer:
        return self.algorithm.scorer(self.model.arrays)

    def shared(self) -> Arrays:
        return self.model.arrays

    def save(self, folder: Path) -> None:
        self.model.save(folder / "server.safetensors")

    def restore(self, folder: Path) -> None:
        self.model = GlobalModel.load(folder / "server.safetensors")

    def costs(self) -> dict[str, dict[str, float]]:
        return {}

    def facts(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        pass
