"""How findings about people are put: areas under the curve as levels and curves, and the sentences for both."""

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from covey.audit.estimates import Reals, estimate
from covey.engines.sums import SumSettings
from covey.runs.audited import Chart, Curve, Estimate, Finding, Headline, Level

ONE_LESS = "two_sums"  # the finding on sums with a person and without
COIN, COIN_IS = 0.5, "a coin"
POPULARITY = "popularity alone"  # how many of everybody else have it
AREA = "area under the ROC curve"
BASELINES = frozenset({POPULARITY})


def level(name: str, areas: Reals) -> Level | None:
    """How one attacker fares; None where too few people can be judged."""
    found = estimate(areas)
    return None if found is None else Level(name, name not in BASELINES, within(found))


def levels(areas: Mapping[str, Reals]) -> tuple[Level, ...]:
    """All attackers of whom something can be said."""
    return tuple(each for name, values in areas.items() if (each := level(name, values)) is not None)


def curve(name: str, x: Sequence[float], areas: Sequence[Reals]) -> Curve:
    """How an attacker fares as x grows; places with too few people are left out."""
    points = [
        (float(at), found) for at, each in zip(x, areas, strict=True) if (found := estimate(each)) is not None
    ]
    return Curve(
        name,
        name not in BASELINES,
        tuple(at for at, _ in points),
        tuple(within(found) for _, found in points),
    )


def over_rounds(
    key: str, title: str, x_label: str, x: Sequence[int], areas: Mapping[str, Sequence[Reals]]
) -> Chart:
    """Attackers beside each other as they see more."""
    curves = tuple(curve(name, x, each) for name, each in areas.items())
    return Chart(key, title, x_label, AREA, curves, x_is_share=False)


def finding(
    key: str, title: str, attacker_has: str, measure: str, areas: Mapping[str, Reals], chance: float,
    chance_means: str, lead: str, after: str = "", charts: tuple[Chart, ...] = (), headline: str = "",
) -> Finding | None:  # fmt: skip
    """A finding with its levels; None where too few people can be judged.

    Its headline is the reader of that name, or the best reader of messages.
    """
    shown = levels(areas)
    readers = [each for each in shown if each.reads_message]
    if not readers:
        return None
    best = max(readers, key=lambda each: (each.attacker == headline, each.reached.mean))
    return Finding(
        key,
        title,
        attacker_has,
        " ".join(filter(None, (lead, sentence(best, shown), after))),
        Headline(measure, best.reached, chance, chance_means),
        charts,
        shown,
    )


def sentence(best: Level, shown: Sequence[Level]) -> str:
    """How often a reader is right, beside those who read nothing."""
    rest = [
        f"by {each.attacker} in {_percent(each.reached.mean)}" for each in shown if not each.reads_message
    ]
    return (
        f"Of one item of each kind, the right one is picked in {_percent(best.reached.mean)} of cases "
        f"({best.attacker}), {', '.join((*rest, 'by a coin in 50%'))}."
    )


def gain(name: str, base: str, areas: Mapping[str, Reals]) -> str:
    """What one attacker has over another, person by person, and whether it can be told from luck."""
    found = estimate(100 * (areas[name] - areas[base]))
    if found is None:
        return ""
    if found.low <= 0:
        return "To popularity the sum adds nothing that could be told from luck."
    if found.mean < 0.05:
        return "To popularity the sum adds less than 0.1 points."
    return f"To popularity the sum adds {found.mean:.1f} points (95%: {found.low:.1f} to {found.high:.1f})."


def within(reached: Estimate) -> Estimate:
    """The estimate with its interval cut to what an area can be."""
    return Estimate(reached.mean, max(reached.low, 0.0), min(reached.high, 1.0), reached.over)


def stacked(each: Sequence[Mapping[str, float]]) -> dict[str, Reals]:
    """By name, the values of all people."""
    return {name: np.array([values[name] for values in each]) for name in each[0]}


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def in_order(sums: SumSettings, plain: Sequence[Finding], on_sums: Sequence[Finding]) -> tuple[Finding, ...]:
    """What the server sees first; under masks that is the sums that come out, and the rest is what it would see."""
    if not sums.secure:
        return (*plain, *on_sums)
    # Two sums that differ by one person: the people in the second refuse it.
    refused = [each for each in on_sums if each.key == ONE_LESS and sums.least_difference > 1]
    seen = [each for each in on_sums if each not in refused]
    return (
        *seen,
        *(_unseen(each, "no such message") for each in plain),
        *(_unseen(each, "not both") for each in refused),
    )


def _unseen(finding: Finding, had: str) -> Finding:
    """A finding that the masks of the run prevent, so named."""
    return msgspec.structs.replace(
        finding,
        title=f"Without masks: {finding.title}",
        attacker_has=f"{finding.attacker_has}. In this run, under masks, the server had {had}",
    )
