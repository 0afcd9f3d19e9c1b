"""What a row measures other than a run's metrics: rounds one by one beside the central twin's epochs, and attacks."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from covey.algorithms.central_fcf import CentralFCF, CentralFCFConfig
from covey.algorithms.fcf import FCF, FCFConfig
from covey.datasets import Interactions
from covey.engines.inprocess import FederatedSession
from covey.errors import ConfigError, unknown
from covey.models import factorization as fz
from covey.reproduce.attacks import attacks, server_attacks
from covey.reproduce.group_measures import groups_before_and_after
from covey.reproduce.secure_measures import mask_numbers, masking
from covey.runs.settings import parse
from covey.splits.histories import Histories
from covey.splits.parts import divide, in_time_order
from covey.types import Floats

Table = npt.NDArray[np.float64]  # [items, width]
Summary = dict[str, Any]
NEAR = 0.01  # of the twin's length: as near is called converged


def convergence(settings: Mapping[str, Any], seed: int, data: Interactions) -> Summary:
    """How far FCF's item factors are from the central twin's of the same epoch, after each gradient iteration.

    Both start at the same factors and every row trains. An epoch is `gradient_steps` rounds of everybody.
    """
    _, config = parse(FCF.name, settings)
    _refuse_others(config)
    train = divide(in_time_order(data), np.zeros(len(data), np.int8), "every row trains").train
    shared = {name: getattr(config, name) for name in CentralFCFConfig.__struct_fields__ if name != "rounds"}
    twin = CentralFCF(CentralFCFConfig(**shared), train, seed)
    session = FederatedSession(FCF(config, data.item_count, seed), train, 1)
    central, aim = twin.initial(), 0.0
    lines: list[dict[str, float]] = []
    try:
        while session.round < session.rounds:
            if session.round % config.gradient_steps == 0:
                central = twin.epoch(central, session.round // config.gradient_steps)
                aim = objective(config, train, central["items"])
                if not lines:
                    lines.append(
                        {"global_round": 0.0, **_apart(config, train, session, central["items"], aim)}
                    )
            session.advance()
            now = _apart(config, train, session, central["items"], aim)
            lines.append({"global_round": float(session.round), **now})
    finally:
        session.close()
    end = {name: value for name, value in lines[-1].items() if name != "global_round"}
    return {
        "metrics": {**end, "converged": float(end["item_distance"] < NEAR)},
        "rounds": session.round,
        "global_rounds": float(session.round),
        "split": "every row trains",
        "curve": {"seed": seed, **{name: [line[name] for line in lines] for name in lines[0]}},
    }


def differences(items: Table, twins: Table) -> dict[str, float]:
    """How far item factors are from the twin's, in three ways.

    item_difference_percent            the mean over elements of (twin - ours) / twin: the paper's e
    item_absolute_difference_percent   the same without signs, which can cancel
    item_distance                      length of the difference / length of the twin's: no small element weighs more
    """
    share = (twins - items) / twins
    return {
        "item_difference_percent": 100 * float(share.mean()),
        "item_absolute_difference_percent": 100 * float(np.abs(share).mean()),
        "item_distance": float(np.linalg.norm(twins - items) / np.linalg.norm(twins)),
    }


def objective(config: FCFConfig, train: Histories, items: Floats) -> float:
    """Equation 5 of the FCF paper for these items, with the people's best factors for them."""
    table = items.astype(np.float64)
    recipe = fz.recipe_of(config)
    people, _ = fz.solve_everybody(recipe, train.offsets, train.item, train.value, table, 0.0)
    own = np.einsum("rk,rk->r", people[train.person], table[train.item])
    # Every cell as if it were empty, from the two small matrices; then what the own ones add to that.
    cells = float(((people.T @ people) * (table.T @ table)).sum())
    lost = cells + float(((1 + config.alpha) * (1 - own) ** 2 - own**2).sum())
    return lost + config.regularization * float((people**2).sum() + (table**2).sum())


def _apart(
    config: FCFConfig, train: Histories, session: FederatedSession, twins: Floats, aim: float
) -> dict[str, float]:
    """The session's items beside the twin's."""
    items = session.shared()["items"]
    above = objective(config, train, items) / aim - 1
    return {
        **differences(items.astype(np.float64), twins.astype(np.float64)),
        "objective_above_percent": 100 * above,
    }


def _refuse_others(config: FCFConfig) -> None:
    """Raises for configurations that equation 5 does not speak of."""
    if (
        config.feedback != "implicit"
        or config.weighing != "same"
        or config.scaling
        or config.people_per_round
    ):
        raise ConfigError(
            "convergence is measured for implicit feedback of weight 1 with scaling 0 and everybody in each round; "
            "set feedback, weighing, scaling and people_per_round so"
        )


MEASURES: dict[str, Callable[[Mapping[str, Any], int, Interactions], Summary]] = {
    "convergence": convergence,
    "attacks": attacks,
    "groups": groups_before_and_after,
}


# These measure runs of more than one algorithm, so they are told which.
_OF_ANY: dict[str, Callable[[str, Mapping[str, Any], int, Interactions], Summary]] = {
    "server-attacks": server_attacks
}
# Those that need no data set, only sizes.
ASKED_MEASURES: dict[str, Callable[[Mapping[str, Any]], Summary]] = {
    "masking": masking,
    "mask-numbers": mask_numbers,
}


def measure_named(
    name: str, algorithm: str = ""
) -> Callable[[Mapping[str, Any], int, Interactions], Summary]:
    """The measure of that name, for a row of that algorithm; ConfigError with the nearest one where there is none."""
    if name in _OF_ANY:
        return partial(_OF_ANY[name], algorithm)
    if name not in MEASURES:
        raise unknown("measure", name, (*MEASURES, *_OF_ANY))
    return MEASURES[name]


def asked_measure_named(name: str) -> Callable[[Mapping[str, Any]], Summary]:
    """The measure of that name that needs no data set; ConfigError with the nearest one where there is none."""
    if name not in ASKED_MEASURES:
        raise unknown("measure", name, ASKED_MEASURES)
    return ASKED_MEASURES[name]
