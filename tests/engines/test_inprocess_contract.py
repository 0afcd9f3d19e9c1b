"""The in-process engine, held to the contract of engines."""

from typing import Any

from covey.engines.inprocess import FederatedSession
from covey.splits.histories import Histories
from covey.testing import EngineContract


class TestInProcess(EngineContract):
    def make(self, algorithm: Any, train: Histories, workers: int) -> FederatedSession:
        return FederatedSession(algorithm, train, workers)
