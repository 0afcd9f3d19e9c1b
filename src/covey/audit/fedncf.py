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
    "the same, with zeros for other rows",
)
CAME_BACK = "how often it came back"


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
    return len(numbers), session.train.people_count, told.in_order(run.settings.sums, found, on_sums)


def sums_of(session: FederatedSession) -> of_sums.OnSums:
    """How FedNCF's sums are attacked: by who named what, which does not depend on the model."""
    negatives, items = session.algorithm.config.negatives, session.train.item_count
    mean = float(session.train.counts.mean())
    sampled = 1 - (1 - 1 / items) ** (negatives * mean)
    # A sum varies by what the others sample; a person's share in it by whether they have an item or not.
    noise = session.schedule.people_per_round * sampled * (1 - sampled)
    have = mean / items
    signal = have * (1 - have) * (1 - sampled) ** 2
    return of_sums.OnSums(
        Naming(1.0, sampled),
        noise / max(signal, 1e-9),
        of_sums.senders,
        of_sums.senders,
        of_sums.senders,
        {"model": "gmf", "factors": 1, "local_epochs": 1, "optimizer": "sgd"},
    )


def readings(person: Watched) -> dict[str, Reals]:
    """By reading of the first message, a score for every item."""
    plan, update = person.answers[0]
    whole = reading.dense(update, len(person.owned))
    # The number of instances is in the message, and how many each item makes in the recipe.
    own = update.instances / (1 + plan.recipe.negatives)
    sparse = np.full(len(whole), reading.NOT_NAMED)
    sparse[update.rows] = reading.leanings(reading.changes(update), own)
    named = np.full(len(whole), reading.NOT_NAMED)
    named[update.rows] = 1
    return {
        _NAMED: named,
        _SIZE: np.where(named > 0, reading.sizes(whole), reading.NOT_NAMED),
        _WAY: sparse,
        _DENSE: np.where(named > 0, reading.leanings(whole, own), reading.NOT_NAMED),
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
        f"from one message: had or not, {told.AREA}",
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
    back: list[list[float]] = [[] for _ in ROUNDS]
    for each in people:
        named = each.answers[0].update.rows
        truth, scores = each.owned[named], readings(each)
        one.append({name: area_under_roc(scores[name][named], truth) for name in (_NAMED, _SIZE, _WAY)})
        one[-1][told.POPULARITY] = area_under_roc(each.others[named], truth)
        times = np.zeros(len(each.owned))
        for at, (_, update) in enumerate(each.answers, 1):
            times[update.rows] += 1
            if at in ROUNDS:
                back[ROUNDS.index(at)].append(area_under_roc(times[named], truth))
    return _own_or_sampled_found(told.stacked(one), [np.array(at) for at in back])


def _own_or_sampled_found(areas: dict[str, Reals], back: Sequence[Reals]) -> Finding | None:
    flat = {name: [areas[name]] * len(ROUNDS) for name in (_WAY, told.POPULARITY)}
    chart = told.over_rounds(
        "own_or_sampled", "Over rounds", "rounds of the same person", ROUNDS, {CAME_BACK: back, **flat}
    )
    return told.finding(
        "own_or_sampled",
        "Own or sampled? Among the rows that a message names",
        "one update of one person; for the curves, which rows the same person named in later rounds too",
        f"from one message: own or sampled, {told.AREA}",
        areas,
        told.COIN,
        told.COIN_IS,
        "That a row is named says nothing here: every row is.",
        f"Sampled rows are drawn anew and own ones come back: after {ROUNDS[-1]} rounds of the same person, which rows "
        f"were named, and nothing else, tells them apart in {100 * float(np.nanmean(back[-1])):.1f}%.",
        (chart,),
    )
