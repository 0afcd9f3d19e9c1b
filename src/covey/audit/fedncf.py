"""The audit of FedNCF: one update, the same person over rounds, and sums (fedncf.txt, section 3.5)."""

from collections.abc import Callable, Sequence

import numpy as np

from covey.audit import of_sums, reading, told
from covey.audit.estimates import Reals, area_under_roc
from covey.audit.summing import Naming
from covey.audit.watched import Steps, Watched, chosen, session_of, watch
from covey.engines.inprocess import FederatedSession
from covey.runs import Run
from covey.runs.audited import Finding

ROUNDS = (1, 2, 3, 5, 10)  # visits of one person
_NAMED, _SIZE, _WAY, _DENSE = (
    "which rows it names",
    "how large its rows are",
    "which way its rows point",
    "which way they point, with zeros sent for all other rows",
)
_BACK, _WAYS = "how often it came back", "which way it points, added up"


def audit_fedncf(
    run: Run, people: int, seed: int, on_step: Callable[[int, int], None]
) -> tuple[int, int, tuple[Finding, ...]]:
    """How many people were attacked, how many there are, and what was found."""
    session = session_of(run)
    numbers = chosen(session.train, people, seed)
    steps = Steps(on_step, 3 * len(numbers) + of_sums.PASSES[-1])
    watched: list[Watched] = []
    for number in numbers:
        watched.append(watch(session, int(number), ROUNDS[-1]))
        steps.one()
    plain = [from_one_message(watched), own_or_sampled(watched)]
    on_sums = of_sums.findings(session, watched, sums_of(session), seed, steps)
    found = [each for each in plain if each is not None]
    return len(numbers), session.train.people_count, told.in_order(run.settings.secure, found, on_sums)


def sums_of(session: FederatedSession) -> of_sums.OnSums:
    """How FedNCF's sums are attacked: by who named what, which does not depend on the model."""
    negatives, items = session.algorithm.config.negatives, session.train.item_count
    drawn = negatives * float(session.train.counts.mean())
    return of_sums.OnSums(
        Naming(1.0, 1 - (1 - 1 / items) ** drawn),
        of_sums.senders,
        of_sums.senders,
        of_sums.senders,
        {"model": "gmf", "factors": 1, "local_epochs": 1, "optimizer": "sgd"},
    )


def readings(person: Watched) -> dict[str, Reals]:
    """By reading of the first message, a score for every item."""
    update = person.answers[0].update
    rows = reading.dense(update, len(person.owned))
    named = np.full(len(rows), reading.NOT_NAMED)
    named[update.rows] = 1
    sparse = np.full(len(rows), reading.NOT_NAMED)
    sparse[update.rows] = reading.leanings(reading.changes(update))
    return {
        _NAMED: named,
        _SIZE: np.where(named > 0, reading.sizes(rows), reading.NOT_NAMED),
        _WAY: sparse,
        _DENSE: reading.leaning_of_named(rows),
    }


def from_one_message(people: Sequence[Watched]) -> Finding | None:
    """Whether one message tells the history, over the whole catalogue."""
    rows = [
        {
            **{name: each.area(scores) for name, scores in readings(each).items()},
            told.POPULARITY: each.area(each.others),
        }
        for each in people
    ]
    return told.finding(
        "one_message",
        "Did this person have this item? From one message",
        "one update of one person, as it arrives without masks",
        told.AREA,
        told.stacked(rows),
        told.COIN,
        told.COIN_IS,
        "",
        "Rows that a message does not name are of no item that the person has. Sending zeros for them hides nothing: "
        "zeros say the same.",
    )


def own_or_sampled(people: Sequence[Watched]) -> Finding | None:
    """How well sampled rows cover own ones: among the rows of a first message, and as the person comes back."""
    one: list[dict[str, float]] = []
    over: dict[str, list[list[float]]] = {name: [[] for _ in ROUNDS] for name in (_BACK, _WAYS)}
    for each in people:
        named = each.answers[0].update.rows
        truth, scores = each.owned[named], readings(each)
        one.append({name: area_under_roc(scores[name][named], truth) for name in (_NAMED, _SIZE, _WAY)})
        one[-1][told.POPULARITY] = area_under_roc(each.others[named], truth)
        back, ways = np.zeros(len(each.owned)), np.zeros(len(each.owned))
        for at, (_, update) in enumerate(each.answers, 1):
            back[update.rows] += 1
            leaning = reading.leanings(reading.changes(update))
            ways[update.rows] += leaning / (np.abs(leaning).max(initial=0) or 1)
            if at in ROUNDS:
                place = ROUNDS.index(at)
                over[_BACK][place].append(area_under_roc(back[named], truth))
                over[_WAYS][place].append(area_under_roc(ways[named], truth))
    return _own_or_sampled_found(one, over)


def _own_or_sampled_found(
    one: Sequence[dict[str, float]], over: dict[str, list[list[float]]]
) -> Finding | None:
    areas = told.stacked(one)
    curves = {name: [np.array(at) for at in each] for name, each in over.items()}
    flat = {told.POPULARITY: [areas[told.POPULARITY]] * len(ROUNDS)}
    last = float(np.nanmean(curves[_BACK][-1]))
    return told.finding(
        "own_or_sampled",
        "Own or sampled? Among the rows that a message names",
        "one update of one person; for the curves, the updates of the same person in later rounds",
        "own or sampled, area under the ROC curve",
        areas,
        told.COIN,
        told.COIN_IS,
        "That a row is named says nothing here: every row is.",
        f"Sampled rows are drawn anew and own ones come back: after {ROUNDS[-1]} rounds of the same person, which rows "
        f"were named, and nothing else, tells them apart in {100 * last:.1f}%.",
        (told.over_rounds("own_or_sampled", "Over rounds", "rounds of the same person", ROUNDS, {**curves, **flat}),),
    )
