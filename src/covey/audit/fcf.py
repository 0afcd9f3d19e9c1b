"""The audit of FCF: what one gradient gives back, and what sums of them say."""

from collections.abc import Callable, Sequence

import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.audit import of_sums, reading, reading_fcf, told
from covey.audit.estimates import Reals, estimate
from covey.audit.summing import Naming
from covey.audit.watched import Steps, Watched, chosen, session_of, watch
from covey.engines.inprocess import FederatedSession
from covey.messages.fixed import from_fixed
from covey.messages.updates import TrainingPlan
from covey.models import factorization as fz
from covey.runs import Run
from covey.runs.audited import Finding, Headline, Level

_WITHOUT = "the mean and the item's bias, from the model"
_FROM_IT = "worked out from the message"


def audit_fcf(
    run: Run, people: int, seed: int, on_step: Callable[[int, int], None]
) -> tuple[int, int, tuple[Finding, ...]]:
    """How many people were attacked, how many there are, and what was found."""
    session = session_of(run)
    numbers = chosen(session.train, people, seed)
    steps = Steps(on_step, 3 * len(numbers) + of_sums.PASSES[-1])
    watched: list[Watched] = []
    for number in numbers:
        watched.append(watch(session, int(number), 1))
        steps.one()
    plain = [from_one_message(watched)]
    if session.algorithm.explicit:
        plain.append(ratings(watched))
    on_sums = of_sums.findings(session, watched, sums_of(session), seed, steps)
    found = [each for each in plain if each is not None]
    return len(numbers), session.train.people_count, told.in_order(run.settings.sums, found, on_sums)


def sums_of(session: FederatedSession) -> of_sums.OnSums:
    """How FCF's sums are attacked: by who named what, or where all name everything, by gradients read anew."""
    if session.algorithm.kind == "all-gradients":
        return of_sums.OnSums(Naming(1.0, 1.0), 0.0, of_gradients, of_gradients, None, {})
    senders = of_sums.senders
    return of_sums.OnSums(Naming(1.0, 0.0), 0.0, senders, senders, senders, {"factors": 1})


def of_gradients(plan: TrainingPlan, total: UpdateSum) -> Reals:
    """A sum's gradients read as if they were one person's."""
    if not total.items.any():
        return np.zeros(len(total.items))
    return reading_fcf.read_all(from_fixed(total.items, plan.schema.item_field), plan).scores


def from_one_message(people: Sequence[Watched]) -> Finding | None:
    """Whether one message tells the history, and how well it gives the person's vector back."""
    rows: list[dict[str, float]] = []
    errors: list[float] = []
    for each in people:
        plan, update = each.answers[0]
        found = reading_fcf.read(plan, update)
        truth = each.vector[: len(found.vector)].astype(np.float64)
        errors.append(float(np.linalg.norm(found.vector - truth) / (np.linalg.norm(truth) or 1)))
        scores = {
            _which(update.kind): found.scores,
            "how large its rows are": np.where(
                np.isin(np.arange(len(plan.items)), update.rows),
                reading.sizes(reading.dense(update, len(plan.items))),
                reading.NOT_NAMED,
            ),
            told.POPULARITY: each.others,
        }
        rows.append({name: each.area(score) for name, score in scores.items()})
    missed = estimate(100 * np.array(errors))
    worked_out = f"The vector worked out from it is {_off(missed.mean)}% of its length off." if missed else ""
    return told.finding(
        "one_message",
        "Did this person have this item? From one message",
        "one update of one person, as it arrives without masks, and the plan that everybody gets",
        f"from one message: had or not, {told.AREA}",
        told.stacked(rows),
        told.COIN,
        told.COIN_IS,
        "",
        worked_out,
    )


def _which(kind: str) -> str:
    return "which gradients x x' does not explain" if kind == "all-gradients" else "which rows it names"


def ratings(people: Sequence[Watched]) -> Finding | None:
    """How well one message gives the ratings back, beside what the model says of items alone."""
    errors: dict[str, list[float]] = {_FROM_IT: [], _WITHOUT: []}
    for each in people:
        plan, update = each.answers[0]
        order = np.argsort(each.history.item)
        truth = each.history.value[order].astype(np.float64)
        guess = fz.centre_of(plan.network) + plan.items[update.rows, -1].astype(np.float64)
        errors[_FROM_IT].append(_root_mean_square(reading_fcf.ratings_of(plan, update) - truth))
        errors[_WITHOUT].append(_root_mean_square(guess - truth))
    means = {name: estimate(np.array(each)) for name, each in errors.items()}
    read, blind = means[_FROM_IT], means[_WITHOUT]
    if read is None or blind is None:
        return None
    return Finding(
        "ratings",
        "How did this person rate? From one message",
        "one update of one person, as it arrives without masks, and the plan that everybody gets",
        f"The ratings worked out from it are {_off(read.mean)} off (root mean square); without it, by {_WITHOUT}, "
        f"{_off(blind.mean)}.",
        Headline(
            "from one message: error of each rating, root mean square",
            read,
            blind.mean,
            "from the model alone",
        ),
        (),
        (Level(_FROM_IT, True, read), Level(_WITHOUT, False, blind)),
    )


def _root_mean_square(missed: Reals) -> float:
    return float(np.sqrt((missed**2).mean()))


def _off(size: float) -> str:
    """An error as far as it can matter."""
    return "less than 0.001" if size < 0.001 else f"{size:.2g}"
