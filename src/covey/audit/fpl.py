"""The audit of FPL at several pi: signs, the vector that sampled rows give away, and own items that stayed at home."""

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.audit import of_sums, reading_fpl, told
from covey.audit.estimates import Reals, area_under_roc
from covey.audit.summing import Naming
from covey.audit.watched import Answer, Steps, Watched, chosen, session_of, watch
from covey.engines.inprocess import FederatedSession
from covey.messages.updates import TrainingPlan
from covey.runs import Run
from covey.runs.audited import Finding
from covey.types import Floats

ROUNDS = (1, 2, 5, 10, 20, 50)  # visits of one person
SHARES = (0.0, 0.1, 0.4, 1.0)  # pi, beside the run's own
ByShare = Mapping[str, Sequence[Watched]]
Reader = Callable[[tuple[Answer, ...], Floats], Reals]


def audit_fpl(
    run: Run, people: int, seed: int, on_step: Callable[[int, int], None]
) -> tuple[int, int, tuple[Finding, ...]]:
    """How many people were attacked, how many there are, and what was found."""
    session = session_of(run)
    numbers = chosen(session.train, people, seed)
    algorithms = at_shares(session)
    steps = Steps(on_step, (len(algorithms) + 2) * len(numbers) + of_sums.PASSES[-1])
    watched: dict[str, list[Watched]] = {name: [] for name in algorithms}
    for name, algorithm in algorithms.items():
        for number in numbers:
            watched[name].append(watch(session, int(number), ROUNDS[-1], algorithm))
            steps.one()
    plain = [
        over_rounds("signs", _SIGNS, watched, signs),
        over_rounds("vector", _VECTOR, watched, reading_fpl.by_vector),
        hidden(watched),
    ]
    own = next(iter(watched.values()))
    on_sums = of_sums.findings(session, own, sums_of(session), seed, steps)
    found = [each for each in plain if each is not None]
    return len(numbers), session.train.people_count, told.in_order(run.settings.sums, found, on_sums)


def at_shares(session: FederatedSession) -> dict[str, object]:
    """The run's algorithm, first, and the same at other shares of what may leave."""
    algorithm, config = session.algorithm, session.algorithm.config
    spread = f" ± {config.disclose_spread:g}" if config.disclose_spread else ""
    found: dict[str, object] = {f"pi {config.disclose:g}{spread}, the run's": algorithm}
    for share in SHARES:
        if share != config.disclose or spread:
            other = msgspec.structs.replace(config, disclose=share, disclose_spread=0.0)
            found[f"pi {share:g}"] = type(algorithm)(other, session.train.item_count, algorithm.seed)
    return found


def sums_of(session: FederatedSession) -> of_sums.OnSums:
    """How FPL's sums are attacked: by the last number, which goes up for own items and down for sampled ones."""
    config, mean = session.algorithm.config, float(session.train.counts.mean())
    naming = Naming(
        min(1.0, config.disclose * config.triples / mean),
        min(1.0, config.triples / max(1.0, session.train.item_count - mean)),
    )
    # Slopes are alike in both; a person's share is how often an own item's is among them.
    have = mean / session.train.item_count
    noise = session.schedule.people_per_round * 2 * config.triples / session.train.item_count
    signal = naming.own**2 * have * (1 - have)
    return of_sums.OnSums(naming, noise / max(signal, 1e-9), last_number, last_number, last_number, {})


def last_number(plan: TrainingPlan, total: UpdateSum) -> Reals:
    """What the biases' changes add up to: [items]."""
    return total.items[:, -1].astype(np.float64)


def signs(answers: tuple[Answer, ...], items: Floats) -> Reals:
    """reading_fpl.signs, as a reader of messages and of the model."""
    return reading_fpl.signs(answers, len(items))


_SIGNS = (
    "Did this person have this item? By the sign of each row's last number",
    "That sign says own or sampled, and of what no message names nothing.",
    f"from {ROUNDS[-1]} messages by signs",
)
_VECTOR = (
    "Did this person have this item? By the vector that sampled rows give away",
    "A sampled row is the person's vector times a number; who has it scores all items as the person's device does.",
    f"from {ROUNDS[-1]} messages by the vector",
)


def over_rounds(key: str, said: tuple[str, str, str], watched: ByShare, read: Reader) -> Finding | None:
    """How far a reader gets at each share, as one person's messages are kept round after round."""
    areas = {
        name: [
            np.array([each.area(read(each.answers[:count], each.answers[0].plan.items)) for each in people])
            for count in ROUNDS
        ]
        for name, people in watched.items()
    }
    popular = np.array([each.area(each.others) for each in next(iter(watched.values()))])
    areas[told.POPULARITY] = [popular] * len(ROUNDS)
    chart = told.over_rounds(key, "Over rounds", "rounds of the same person", ROUNDS, areas)
    own = next(iter(watched))
    return told.finding(
        key,
        said[0],
        f"updates of one person in {ROUNDS[-1]} rounds, as they arrive without masks",
        f"{said[2]}: had or not, {told.AREA}",
        {name: each[-1] for name, each in areas.items()},
        told.COIN,
        told.COIN_IS,
        said[1],
        "",
        (chart,),
        headline=own,
    )


def hidden(watched: ByShare) -> Finding | None:
    """Own items that no message named, against items that the person does not have."""
    areas: dict[str, Reals] = {}
    for name, people in watched.items():
        for how, read in _HIDDEN.items():
            areas[f"{name}: {how}"] = np.array([_among_hidden(each, read) for each in people])
    own = next(iter(watched))
    areas[told.POPULARITY] = np.array([_popular_among_hidden(each) for each in watched[own]])
    return told.finding(
        "hidden",
        "Which own items stayed at home? Among those that no message named",
        f"updates of one person in {ROUNDS[-1]} rounds, as they arrive without masks",
        f"among what was never named: had or not, {told.AREA}",
        areas,
        told.COIN,
        told.COIN_IS,
        "An exact slope fits mostly one hidden item, the one that it came from.",
        "",
        headline=f"{own}: {_EXACT}",
    )


_EXACT = "vector and exact slopes"
_HIDDEN: dict[str, Reader] = {"vector": reading_fpl.by_vector, _EXACT: reading_fpl.by_slope}


def _unnamed(person: Watched) -> np.ndarray:
    return person.somebody & (reading_fpl.signs(person.answers, len(person.owned)) <= 0)


def _among_hidden(person: Watched, read: Reader) -> float:
    scores, among = read(person.answers, person.answers[0].plan.items), _unnamed(person)
    return area_under_roc(scores[among], person.owned[among])


def _popular_among_hidden(person: Watched) -> float:
    among = _unnamed(person)
    return area_under_roc(person.others[among], person.owned[among])
