"""Who runs the devices. `session` picks the engine that an algorithm needs."""

from typing import Any

from covey.algorithms.registry import FEDERATED, algorithm_class
from covey.engines.central import CentralSession
from covey.engines.inprocess import FederatedSession
from covey.engines.session import Session
from covey.splits.histories import Histories


def session(name: str, config: Any, train: Histories, seed: int, workers: int) -> Session:
    """A training of that algorithm over these histories, at its beginning."""
    made = algorithm_class(name)
    if name in FEDERATED:
        return FederatedSession(made(config, train.item_count, seed), train, workers)
    yardstick = made(config, train, seed)
    yardstick.workers = workers  # whoever can share its work out to threads reads it; it changes no bit
    return CentralSession(yardstick)
