"""Twelve people in four groups whose messages are their ratings' own factors, and a session that discloses them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from covey.algorithms.fedsplit_local import penalties_of
from covey.audit.exposed import Message
from covey.audit.fedsplit import messages_of
from covey.models import cnmf
from covey.random import stream
from covey.splits.histories import Histories

PEOPLE, ITEMS, GROUPS, WIDTH, CENTRE = 12, 30, 4, 2, 3.0


@dataclass
class Said:
    """A group's message as a server would read it."""

    rows: npt.NDArray[np.int32]
    patterns: npt.NDArray[np.float64]
    item_bias: npt.NDArray[np.float64]


@dataclass
class Session:
    """What an audit asks of a finished session."""

    groups: npt.NDArray[np.int32]
    said: dict[int, Said] = field(default_factory=dict)
    federated: bool = True
    round: int = 2
    rounds: int = 2
    summed: bool = False  # whether the first group sent something to be summed

    def disclosures(self) -> list[tuple[int, Said]]:
        return list(self.said.items())

    def bias_rows(self) -> dict[int, npt.NDArray[np.int32]]:
        return {0: np.sort(ratings().item[:3])} if self.summed else {}

    def shared(self) -> dict[str, npt.NDArray[Any]]:
        return {"items": np.full((ITEMS, WIDTH + 1), 0.25, np.float32), "network": np.array([CENTRE])}


@dataclass
class Config:
    """The keys of a group's recipe, in the middles of the paper's ranges."""

    biases: str = "groups"
    user_regularization: float = 0.057
    item_regularization: float = 0.057
    user_bias_regularization: float = 0.02
    item_bias_regularization: float = 0.02
    user_bias_rate: float = 0.0042
    item_bias_rate: float = 0.0042
    penalty: str = "once"


@dataclass
class Parts:
    train: Histories


@dataclass
class FakeRun:
    """A finished run, as far as an audit looks."""

    session: Session
    split: Parts
    algorithm: str = "fedsplit"
    config: Config = field(default_factory=Config)
    path: str = "runs/a"


def ratings() -> Histories:
    """Ten ratings a person out of thirty items, by two tastes, from 1 to 5."""
    taste = stream(1, "taste").random((PEOPLE, 2))
    kind = stream(1, "kind").random((ITEMS, 2))
    items = np.stack([np.sort(stream(1, "items", p).permutation(ITEMS - 2)[:10]) for p in range(PEOPLE)])
    value = np.clip(np.round(1 + 4 * np.einsum("pk,pik->pi", taste, kind[items]) / 1.2), 1, 5)
    return Histories(
        np.arange(PEOPLE + 1) * 10,
        items.ravel().astype(np.int32),
        value.ravel().astype(np.float32),
        np.zeros(PEOPLE * 10, np.int64),
        ITEMS,
    )


def said_by(group: int, groups: npt.NDArray[np.int32], train: Histories) -> Said:
    """The factors of the group's ratings, with a row for every item: zeros for those that nobody rated."""
    own = np.flatnonzero(groups == group)
    rows = [train.of(int(person)) for person in own]
    person = np.repeat(np.arange(len(own), dtype=np.int32), [len(row) for row in rows])
    item = np.concatenate([row.item for row in rows])
    value = np.concatenate([row.value for row in rows]).astype(np.float64)
    model = cnmf.start(len(own), train.item_count, WIDTH, stream(1, "start", group))
    cnmf.complete(penalties_of(Config()), CENTRE, person, item, value, model, 60, True)
    return Said(np.arange(train.item_count, dtype=np.int32), model.items, model.item_bias)


def fake_run(groups: int = GROUPS) -> FakeRun:
    """A run of so many groups of three people each; the last people are alone where groups are fewer."""
    train = ratings()
    of_person = np.repeat(np.arange(GROUPS, dtype=np.int32), PEOPLE // GROUPS)
    of_person[of_person >= groups] = -1
    said = {group: said_by(group, of_person, train) for group in range(groups)}
    return FakeRun(Session(of_person, said), Parts(train))


def messages(run: FakeRun) -> list[Message]:
    """What an audit makes of what the run's groups said."""
    return messages_of(run.session, run.config.biases == "groups")
