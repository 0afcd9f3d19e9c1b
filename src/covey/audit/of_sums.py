"""The attacks on sums, tried on a run: what one sum says, one sum against another, and all of the run's together.

Groups and rounds are the run's own, from the schedule by which the server asked; visits are replayed from the run's
last model. A sum under masks has the bits of the plain sum, so one replay stands for both; what differs is whether the
sum comes out at all, and that the protocol itself is asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.audit import summing, told
from covey.audit.estimates import Reals
from covey.audit.refusal import refusal
from covey.audit.watched import Bools, Steps, Watched, plan_at
from covey.engines.inprocess import FederatedSession
from covey.messages.updates import TrainingPlan
from covey.random import stream
from covey.runs.audited import Finding
from covey.server.model import GlobalModel
from covey.types import Floats, PersonIndex

PASSES = (1, 2, 5, 10, 20, 40)
REPEATS = (1, 3, 10, 30)  # rounds with a person, and as many without
_BOTH = "popularity, and how many sent its row"
_WITHOUT, _ALONE = "sums with and without this person", "the sums with this person alone"
LEAST_GROUP = 10  # people in a sum, the least that secure sums allow by default

Evidence = Callable[
    [TrainingPlan, UpdateSum], Reals
]  # -> [items] high where the people summed seem to have the item


def senders(plan: TrainingPlan, total: UpdateSum) -> Reals:
    """How many sent each item's row."""
    return total.senders.astype(np.float64)


@dataclass(frozen=True)
class OnSums:
    """How the sums of one system are attacked."""

    naming: summing.Naming
    noise: float  # how much the others' part of a sum varies, over what one person's own part does
    evidence: Evidence  # of a difference of two sums
    alone: Evidence  # of one sum
    linear: Evidence | None  # what adds up over people in every round alike; None: nothing does
    light: dict[str, Any]  # settings that change nothing of these and save time


def findings(
    session: FederatedSession, people: Sequence[Watched], how: OnSums, seed: int, steps: Steps
) -> list[Finding]:
    """What could be learned of one person from sums alone."""
    size = session.schedule.people_per_round
    if size < 2:
        return []  # the sum of one person is that person's message
    found = [one_sum(session, people, how, steps), two_sums(session, people, how, seed, steps)]
    if how.linear is not None and size < session.train.people_count:
        found.append(all_sums(session, people, how, steps))
    return [each for each in found if each is not None]


def one_sum(
    session: FederatedSession, people: Sequence[Watched], how: OnSums, steps: Steps
) -> Finding | None:
    """The sum of the round that a person is in, beside what popularity says without it."""
    sums: dict[int, UpdateSum] = {}
    turn = {p: r for r in range(session.rounds_a_pass) for p in session.schedule.people(r).tolist()}
    rows: list[dict[str, float]] = []
    for each in people:
        at = turn[each.number]
        if at not in sums:
            sums[at] = sum_of(session, session.algorithm, session.step, session.schedule.people(at), at)
        scores = {
            "how many sent its row": sums[at].senders.astype(np.float64),
            "how far its row moves": summing.moved(sums[at]),
            _BOTH: summing.odds(sums[at], each.others, session.train.people_count - 1, how.naming),
            told.POPULARITY: each.others,
        }
        rows.append({name: each.area(score) for name, score in scores.items()})
        steps.one()
    areas = told.stacked(rows)
    count = session.schedule.people_per_round
    return told.finding(
        "one_sum",
        "Did this person have this item? From one round's sum",
        f"the sum of a round of {count} people, this person among them, and no update",
        f"from one sum: had or not, {told.AREA}",
        areas,
        float(areas[told.POPULARITY].mean()),
        told.POPULARITY,
        "This is what a server sees under masks.",
        told.gain(_BOTH, told.POPULARITY, areas),
    )


def two_sums(
    session: FederatedSession, people: Sequence[Watched], how: OnSums, seed: int, steps: Steps
) -> Finding | None:
    """Sums of a small group with a person and without, over more and more rounds (fedncf.txt, section 3.5.2)."""
    size = min(LEAST_GROUP, session.train.people_count - 1)
    areas: dict[str, list[Reals]] = {name: [] for name in (_WITHOUT, _ALONE)}
    algorithm, model, vectors = narrow(session, how.light)
    step, seen = algorithm.population(session.train, 1), list[dict[str, list[float]]]()
    try:
        for each in people:
            seen.append(_with_and_without(each, how, seed, size, (algorithm, model, vectors, step)))
            steps.one()
    finally:
        step.close()
    for name, found in areas.items():
        found += list(np.array([each[name] for each in seen]).T)
    return _two_sums_found(session, people, areas, size)


def _with_and_without(
    person: Watched, how: OnSums, seed: int, size: int, replayed: tuple[Any, GlobalModel, Floats, Any]
) -> dict[str, list[float]]:
    """By attacker, the area after so many rounds of each kind, with companions drawn once for all rounds."""
    algorithm, model, vectors, step = replayed
    everybody = np.setdiff1d(np.arange(len(vectors)), [person.number])
    draws = stream(seed, "audit", "companions", person.number)
    others = np.sort(draws.choice(everybody, size, replace=False)).astype(np.int32)
    group = np.sort(np.append(others, person.number)).astype(np.int32)
    score = {name: np.zeros(len(person.owned)) for name in (_WITHOUT, _ALONE)}
    found: dict[str, list[float]] = {name: [] for name in score}
    for round_ in range(REPEATS[-1]):
        # The server changes nothing between the two but who is asked; what is drawn at home is drawn anew.
        plan, after = (plan_at(algorithm, model, later) for later in (2 * round_, 2 * round_ + 1))
        first, second = step.round(plan, vectors, group)[0], step.round(after, vectors, others)[0]
        score[_WITHOUT] += how.evidence(plan, summing.difference(first, second))
        score[_ALONE] += how.alone(plan, first)
        if round_ + 1 in REPEATS:
            for name, areas in found.items():
                areas.append(person.area(score[name]))
    return found


def _two_sums_found(
    session: FederatedSession, people: Sequence[Watched], areas: dict[str, list[Reals]], size: int
) -> Finding | None:
    popular = np.array([each.area(each.others) for each in people])
    charts = told.over_rounds(
        told.ONE_LESS,
        "With a person and without",
        "rounds with this person, and as many without",
        REPEATS,
        {**areas, told.POPULARITY: [popular] * len(REPEATS)},
    )
    return told.finding(
        told.ONE_LESS,
        "Did this person have this item? From sums with them and without",
        f"sums of {size + 1} people, this person among them, and of the other {size}; no update. The server picks "
        "who is asked, and sends the same model again",
        f"from sums with and without: had or not, {told.AREA}",
        {**{name: each[-1] for name, each in areas.items()}, told.POPULARITY: popular},
        told.COIN,
        told.COIN_IS,
        f"After {REPEATS[-1]} rounds of each kind, where both sums are given:",
        refusal(session, size),
        (charts,),
        headline=_WITHOUT,
    )


def all_sums(
    session: FederatedSession, people: Sequence[Watched], how: OnSums, steps: Steps
) -> Finding | None:
    """Every sum of the run's own rounds at once, solved for each person's share in them."""
    assert how.linear is not None
    planned = max(1, session.rounds // session.rounds_a_pass)
    passes = [each for each in PASSES if each <= planned]
    algorithm, model, vectors = narrow(session, how.light)
    step = algorithm.population(session.train, 1)
    present: list[Bools] = []
    said: list[Reals] = []
    areas: list[Reals] = []
    try:
        for which in range(passes[-1]):
            for at in range(which * session.rounds_a_pass, (which + 1) * session.rounds_a_pass):
                group, plan = session.schedule.people(at), plan_at(algorithm, model, at)
                present.append(np.isin(np.arange(session.train.people_count), group))
                said.append(how.linear(plan, step.round(plan, vectors, group)[0]))
            steps.one()
            if which + 1 in passes:
                numbers = np.array([each.number for each in people])
                shares = summing.apart(
                    np.stack(present).astype(np.float64), np.stack(said), how.noise, numbers
                )
                areas.append(np.array([each.area(share) for each, share in zip(people, shares, strict=True)]))
    finally:
        step.close()
    return _all_sums_found(session, people, passes, areas)


def narrow(session: FederatedSession, light: dict[str, Any]) -> tuple[Any, GlobalModel, Floats]:
    """The run's algorithm with lighter settings, where it starts, and everybody's vectors; the run's own without any."""
    if not light:
        return session.algorithm, session.model, session.population.vectors
    # Who names what does not depend on how wide a model is.
    config = msgspec.structs.replace(session.algorithm.config, **light)
    algorithm = type(session.algorithm)(config, session.train.item_count, session.algorithm.seed)
    people = session.train.people_count
    return algorithm, algorithm.initial_model(people), algorithm.initial_population(people).vectors


def _all_sums_found(
    session: FederatedSession, people: Sequence[Watched], passes: Sequence[int], areas: Sequence[Reals]
) -> Finding | None:
    name, popular = "all sums, solved for each person", np.array([each.area(each.others) for each in people])
    chart = told.over_rounds(
        "all_sums",
        "Every sum of the run",
        "passes over everybody that the server keeps",
        passes,
        {name: areas, told.POPULARITY: [popular] * len(passes)},
    )
    return told.finding(
        "all_sums",
        "Did this person have this item? From every sum of the run",
        "the sum of each of the run's rounds and the list of who was in it; no update",
        f"from all sums: had or not, {told.AREA}",
        {name: areas[-1], told.POPULARITY: popular},
        float(popular.mean()),
        told.POPULARITY,
        f"Groups change from pass to pass, and what a person has does not. From {passes[-1]} passes:",
        "Neither masks nor least_difference stop this; larger rounds and fewer passes help.",
        (chart,),
    )


def sum_of(
    session: FederatedSession, algorithm: Any, step: Any, people: PersonIndex, later: int
) -> UpdateSum:
    """The sum of these people's updates so many rounds after the run's last."""
    return step.round(plan_at(algorithm, session.model, later), session.population.vectors, people)[0]
