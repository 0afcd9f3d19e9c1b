"""What a system gives away, as a row's measure: a training by the row's settings, and the audit of what left in it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from covey.audit import audit
from covey.audit.fedncf import CAME_BACK
from covey.audit.membership import BOTH, POPULARITY
from covey.audit.told import POPULARITY as ANYBODY
from covey.datasets import Interactions
from covey.runs import Run
from covey.runs.audited import Audit, Curve
from covey.runs.settings import parse

_ALGORITHM = "fedsplit"
_GROUPS = 40
_OF_SUMS = ("one_sum", "all_sums")


def attacks(settings: Mapping[str, Any], seed: int, data: Interactions) -> dict[str, Any]:
    """A FedSPLIT run's metrics, what its audit found, and the curves of every attacker.

    guess_people, _items, _ratings   the best attacker's error on ratings not known, half being known
    blind_people, _items, _ratings   the best baseline's
    membership                       which items the group rated: the area under the ROC curve of the best reading
    membership_popular, popular      of popularity among rows that are alike, and of popularity alone
    """
    return _audited(_ALGORITHM, settings, seed, data, headlines)


def server_attacks(
    algorithm: str, settings: Mapping[str, Any], seed: int, data: Interactions
) -> dict[str, Any]:
    """A run's metrics, and what its server could tell of one person: areas under the ROC curve of the best attacker.

    one_message, own_or_sampled     from an update; not of a run under masks, whose server has none
    came_back                       own or sampled, by which rows the same person names again
    vector, hidden                  from the updates of 50 rounds of FPL, of everything and of what was never named
    two_sums                        from sums with the person and without; not under masks, which refuse the second
    one_sum, all_sums               from one round's sum, and from all of the run's
    popular                         by popularity alone
    """
    return _audited(algorithm, settings, seed, data, server_headlines)


def _audited(
    algorithm: str, settings: Mapping[str, Any], seed: int, data: Interactions,
    measured: Callable[[Audit, bool], dict[str, float]],
) -> dict[str, Any]:  # fmt: skip
    """A training that stays in memory, its metrics with those of its audit, and the audit's curves."""
    run_settings, config = parse(algorithm, {**settings, "seed": seed})
    run = Run(Path(), algorithm, run_settings, config, data)
    session = run.session
    try:
        while session.round < session.rounds:
            session.advance_by(session.rounds - session.round)
        found = audit(run, groups=_GROUPS, seed=seed)
        metrics = {name: float(value) for name, value in run.evaluation().items()}
    finally:
        session.close()
    return {
        "metrics": {**metrics, **measured(found, run_settings.secure)},
        "rounds": session.round,
        "global_rounds": session.round / session.rounds_a_pass,
        "upload_bytes_per_person": session.ledger.bytes("up") / run.split.people_count,
        "split": run.split.rule,
        "curve": {"seed": seed, **curves(found)},
    }


def server_headlines(found: Audit, secure: bool) -> dict[str, float]:
    """What a table shows of an audit person by person; under masks, of the sums that come out alone."""
    shown: dict[str, float] = {}
    for finding in found.findings:
        if secure and finding.key not in _OF_SUMS:
            continue
        shown[finding.key] = finding.headline.reached.mean
        reached = {level.attacker: level.reached.mean for level in finding.levels}
        if finding.key == "one_sum":
            shown["popular"] = reached[ANYBODY]
        if finding.key == "own_or_sampled":
            back = next(curve for curve in finding.charts[0].curves if curve.attacker == CAME_BACK)
            shown["came_back"] = back.y[-1].mean
    return shown


def headlines(found: Audit, secure: bool = False) -> dict[str, float]:
    """The numbers that a table shows of an audit."""
    shown: dict[str, float] = {}
    for finding in found.findings:
        if finding.levels:
            reached = {level.attacker: level.reached.mean for level in finding.levels}
            shown[finding.key] = finding.headline.reached.mean
            shown |= {"membership_popular": reached[BOTH], "popular": reached[POPULARITY]}
        else:
            shown[f"guess_{finding.key}"] = finding.headline.reached.mean
            shown[f"blind_{finding.key}"] = finding.headline.chance
    return shown


def curves(found: Audit) -> dict[str, dict[str, list[float]]]:
    """The curves that are drawn, by what is known, measure and attacker: shares known, means, half intervals."""
    return {
        f"{finding.key}/{chart.key}/{curve.attacker}": _columns(curve)
        for finding in found.findings
        for chart in finding.charts
        if chart.drawn
        for curve in chart.curves
    }


def _columns(curve: Curve) -> dict[str, list[float]]:
    return {
        "known": list(curve.x),
        "mean": [round(y.mean, 4) for y in curve.y],
        "half": [round((y.high - y.low) / 2, 4) for y in curve.y],
    }
