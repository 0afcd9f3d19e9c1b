"""What the FedSPLIT paper reports of groups: each one's error with its own model alone, and after the one round."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from covey.datasets import Interactions
from covey.engines import session
from covey.engines.groups import GroupSession
from covey.errors import ConfigError
from covey.evaluation import Evaluation, evaluate, prepare
from covey.runs.run import chosen_people, protocol_of, split_of
from covey.runs.settings import parse
from covey.splits import Histories

Reals = npt.NDArray[np.float64]
Summary = dict[str, Any]
_OVERALL = ("rmse", "mse", "mae", "rmse_of_groups", "mse_of_groups", "equation_8")


def groups_before_and_after(settings: Mapping[str, Any], seed: int, data: Interactions) -> Summary:
    """FedSPLIT's errors with the groups' own models ("before_...") and after the round, and how groups changed.

    Changes are of each group's RMSE (and MSE); correlations are between a group's change and its size.
    """
    run_settings, config = parse("fedsplit", {**settings, "seed": seed})
    people = chosen_people(data, run_settings)
    split = split_of(people, run_settings)
    training = session("fedsplit", config, split.train, seed, run_settings.workers or 1, split.groups)
    if not isinstance(training, GroupSession):
        raise ConfigError("groups are measured of fedsplit alone; set algorithm to fedsplit")
    part: Any = run_settings.part
    on = prepare(split, protocol_of(split, run_settings), part, seed)
    training.advance()
    before = evaluate(training.scorer(), on)
    while training.round < training.rounds:
        training.advance()
    after = evaluate(training.scorer(), on)
    held_out = split.test if part == "test" else split.valid
    groups = by_group(training, held_out, before, after)
    found = {f"before_{name}": before[name] for name in _OVERALL}
    found |= {name: after[name] for name in after if name in _OVERALL or name.startswith("rmse_")}
    return {
        "metrics": {**found, **changes(**groups)},
        "rounds": training.round,
        "global_rounds": float(training.round),
        "split": split.rule,
        "people_evaluated": after.people_count,
        "upload_bytes_per_person": training.ledger.bytes("up") / people.people_count,
        "curve": None,
    }


def by_group(
    training: GroupSession, held_out: Histories, before: Evaluation, after: Evaluation
) -> dict[str, Reals]:
    """Each group's RMSE before and after, its people and its training ratings, for groups that hold something out."""
    group = training.groups[before.people]
    counts = held_out.counts[before.people].astype(np.float64)
    count = len(training.rows)
    inside = group >= 0
    rows = np.bincount(group[inside], counts[inside], count)
    has = rows > 0
    errors = {
        name: np.sqrt(
            np.bincount(group[inside], (each.per_person["mse"] * counts)[inside], count)[has] / rows[has]
        )
        for name, each in (("before", before), ("after", after))
    }
    sizes = np.array([[len(each.people), len(each.value)] for each in training.rows], np.float64)[has]
    return {**errors, "people": sizes[:, 0], "ratings": sizes[:, 1]}


def changes(before: Reals, after: Reals, people: Reals, ratings: Reals) -> dict[str, float]:
    """How the groups' errors changed: how many fell, by how much, and what that has to do with size."""
    change = after - before
    better, worse = change[change < 0], change[change >= 0]
    quantiles = {
        f"{when}_rmse_{share}%": float(np.quantile(errors, share / 100))
        for when, errors in (("before", before), ("after", after))
        for share in (10, 50, 90)
    }
    return {
        "groups": float(len(change)),
        "groups_improved": float(len(better)),
        "share_improved": len(better) / len(change),
        "change_of_improved": float(better.mean()) if len(better) else 0.0,
        "change_of_others": float(worse.mean()) if len(worse) else 0.0,
        "change_of_improved_mse": float((after**2 - before**2)[change < 0].mean()) if len(better) else 0.0,
        "change_of_others_mse": float((after**2 - before**2)[change >= 0].mean()) if len(worse) else 0.0,
        "people_correlation": _correlation(people, change),
        "ratings_correlation": _correlation(ratings, change),
        **quantiles,
    }


def _correlation(left: Reals, right: Reals) -> float:
    """Pearson's, 0 where either does not vary."""
    if len(left) < 2 or not left.std() or not right.std():
        return 0.0
    return float(np.corrcoef(left, right)[0, 1])
