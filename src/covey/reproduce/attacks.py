"""What a system gives away, as a row's measure: a training by the row's settings, and the audit of what left in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.audit import audit
from covey.audit.membership import BOTH, POPULARITY
from covey.datasets import Interactions
from covey.runs import Run
from covey.runs.audited import Audit, Curve
from covey.runs.settings import parse

_ALGORITHM = "fedsplit"
_GROUPS = 40


def attacks(settings: Mapping[str, Any], seed: int, data: Interactions) -> dict[str, Any]:
    """A FedSPLIT run's metrics, what its audit found, and the curves of every attacker in every measure.

    guess_people, _items, _ratings   the best attacker's error on ratings not known, half being known
    blind_people, _items, _ratings   the best baseline's
    membership                       which items the group rated: the area under the ROC curve of the best reading
    membership_popular, popular      of popularity among rows that are alike, and of popularity alone
    """
    run_settings, config = parse(_ALGORITHM, {**settings, "seed": seed})
    run = Run(Path(), _ALGORITHM, run_settings, config, data)  # it stays in memory
    session = run.session
    try:
        while session.round < session.rounds:
            session.advance_by(session.rounds - session.round)
        found = audit(run, groups=_GROUPS, seed=seed)
        metrics = {name: float(value) for name, value in run.evaluation().items()}
    finally:
        session.close()
    return {
        "metrics": {**metrics, **headlines(found)},
        "rounds": session.round,
        "global_rounds": session.round / session.rounds_a_pass,
        "upload_bytes_per_person": session.ledger.bytes("up") / run.split.people_count,
        "split": run.split.rule,
        "curve": {"seed": seed, **curves(found)},
    }


def headlines(found: Audit) -> dict[str, float]:
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
    """Every curve, by what is known, measure and attacker: shares known, means and both ends of their intervals."""
    return {
        f"{finding.key}/{chart.key}/{curve.attacker}": _columns(curve)
        for finding in found.findings
        for chart in finding.charts
        for curve in chart.curves
    }


def _columns(curve: Curve) -> dict[str, list[float]]:
    return {
        "known": list(curve.x),
        "mean": [round(y.mean, 5) for y in curve.y],
        "low": [round(y.low, 5) for y in curve.y],
        "high": [round(y.high, 5) for y in curve.y],
    }
