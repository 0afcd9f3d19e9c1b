"""One person's messages, laid beside the history behind them. Only a simulator can: it plays both sides.

The visits are replayed from a run's last model, so what is attacked is what a device would send next, and a person
can be asked as often as an attack needs. The run itself stays as it was.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from covey.audit.estimates import FEWEST, Reals, area_under_roc
from covey.engines.inprocess import FederatedSession
from covey.errors import ConfigError, RunError
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.random import stream
from covey.runs import Run
from covey.server.model import GlobalModel
from covey.splits.histories import Histories, History
from covey.types import Floats, Ints, PersonIndex

Bools = npt.NDArray[np.bool_]


class Answer(NamedTuple):
    """What went down to a person in one round and what came up."""

    plan: TrainingPlan
    update: ModelUpdate


@dataclass(frozen=True, eq=False)
class Watched:
    """A person under attack: their messages, and the truth that an attacker is after."""

    number: int
    history: History
    owned: Bools  # [items] what they have in training
    others: Reals  # [items] how many of everybody else have it
    somebody: Bools  # [items] what anybody has, the person included: what a guess is judged on
    answers: tuple[Answer, ...]  # a round each
    vector: Floats  # [width] their own, after the first of these rounds

    def __repr__(self) -> str:
        return "Watched(stays in the simulation)"

    def area(self, scores: Reals) -> float:
        """How often an item that they have scores higher than one that they do not."""
        return area_under_roc(scores[self.somebody], self.owned[self.somebody])


class Steps:
    """Counts an audit's steps for whoever shows its progress."""

    def __init__(self, on_step: Callable[[int, int], None], count: int) -> None:
        self.on_step, self.count, self.done = on_step, count, 0

    def one(self) -> None:
        self.done += 1
        self.on_step(self.done, self.count)


def session_of(run: Run) -> FederatedSession:
    """The run's session, which must be one whose rounds can be replayed."""
    if not isinstance(run.session, FederatedSession):
        raise ConfigError(f"expected a run whose people visit one by one, got one of {run.algorithm}")
    return run.session


def plan_at(algorithm: Any, model: GlobalModel, later: int) -> TrainingPlan:
    """What would go down so many rounds later, if the model stayed as it is."""
    return algorithm.plan(GlobalModel(model.round + later, model.arrays))


def chosen(train: Histories, count: int, seed: int) -> PersonIndex:
    """So many people, or all, of those who have something and lack something; in their own order."""
    kinds = np.array([len(np.unique(train.of(p).item)) for p in range(train.people_count)])
    able = np.flatnonzero((kinds > 0) & (kinds < train.item_count))
    if len(able) < FEWEST:
        raise RunError(
            f"expected at least {FEWEST} people to audit, got {len(able)} who have some items and lack others: "
            "a mean over fewer would be a person's own; audit a run with more people"
        )
    order = stream(seed, "audit", "people").permutation(len(able))[:count]
    return able[np.sort(order)].astype(np.int32)


def watch(session: FederatedSession, person: int, rounds: int, algorithm: Any = None) -> Watched:
    """Asks a person for so many rounds; with another algorithm's settings where one is given."""
    algorithm = algorithm or session.algorithm
    history, state = session.train.of(person), session.population.state(person)
    answers: list[Answer] = []
    vectors: list[Floats] = []
    for later in range(rounds):
        plan = plan_at(algorithm, session.model, later)
        update, state = algorithm.on_device(plan, state, history)
        answers.append(Answer(plan, update))
        vectors.append(state.vector[0].copy())
    owned = np.zeros(session.train.item_count, np.bool_)
    owned[history.item] = True
    have = holders(session.train)
    return Watched(
        person, history, owned, (have - owned).astype(np.float64), have > 0, tuple(answers), vectors[0]
    )


def holders(train: Histories) -> Ints:
    """How many people have each item: [items]."""
    pairs = np.unique(train.person * np.int64(train.item_count) + train.item)
    return np.bincount(pairs % train.item_count, minlength=train.item_count)
