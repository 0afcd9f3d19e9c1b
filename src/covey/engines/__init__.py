"""Who runs the devices. `session` picks the engine that an algorithm needs."""

from typing import Any

from covey.algorithms.registry import FEDERATED, GROUPED, algorithm_class
from covey.engines.central import CentralSession
from covey.engines.groups import GroupSession
from covey.engines.inprocess import FederatedSession
from covey.engines.session import Session
from covey.engines.sums import IN_THE_CLEAR, SumSettings
from covey.splits.histories import Histories
from covey.types import PersonIndex


def session(
    name: str,
    config: Any,
    train: Histories,
    seed: int,
    workers: int,
    groups: PersonIndex | None = None,
    sums: SumSettings = IN_THE_CLEAR,
) -> Session:
    """A training of that algorithm over these histories, at its beginning.

    `groups` says who belongs together ([people], -1 for nobody), for algorithms whose participants are groups; `sums`
    how what participants send is added up.
    """
    made = algorithm_class(name)
    if name in GROUPED:
        return GroupSession(made(config, train.item_count, seed), train, workers, groups, sums)
    if name in FEDERATED:
        return FederatedSession(made(config, train.item_count, seed), train, workers, sums)
    yardstick = made(config, train, seed)
    yardstick.workers = workers  # whoever can share its work out to threads reads it; it changes no bit
    return CentralSession(yardstick)
