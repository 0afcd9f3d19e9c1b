"""A group's own choice of settings: five-fold validation on its training rows, by Optuna, at home.

The ranges are the paper's: alpha and beta 0.04 to 0.08, gamma and delta 0.01 to 0.04, both rates 0.002 to 0.009, all on a
logarithmic scale, and k from 2 to one less than its people, 20 at most.
"""

from typing import Any

import msgspec
import numpy as np

from covey.algorithms.fedsplit_groups import GroupRows
from covey.algorithms.fedsplit_local import penalties_of
from covey.errors import ConfigError
from covey.models import cnmf
from covey.random import key, stream

FOLDS = 5
_TRIAL_ITERATIONS = 100
_RANGES = {
    "user_regularization": (0.04, 0.08),
    "item_regularization": (0.04, 0.08),
    "user_bias_regularization": (0.01, 0.04),
    "item_bias_regularization": (0.01, 0.04),
    "user_bias_rate": (0.002, 0.009),
    "item_bias_rate": (0.002, 0.009),
}


def tuned(config: Any, rows: GroupRows, centre: float, ticket: int, seed: int) -> Any:
    """The configuration with this group's own settings, or as it is where no trials are asked for."""
    if not config.trials or config.local != "cnmf" or len(rows.value) < FOLDS:
        return config
    try:
        import optuna
    except ImportError:
        raise ConfigError(
            "trials needs Optuna, which is not installed; pip install 'covey[tune]', or set trials=0"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=key(seed, "local trials", ticket) % 2**32)
    study = optuna.create_study(sampler=sampler)
    folds = stream(seed, "folds", ticket).permutation(len(rows.value)) % FOLDS
    most = max(2, min(len(rows.people), 21) - 1)

    def objective(trial: Any) -> float:
        chosen = {name: trial.suggest_float(name, *ends, log=True) for name, ends in _RANGES.items()}
        chosen["patterns"] = trial.suggest_int("patterns", 2, most)
        return validated(msgspec.structs.replace(config, **chosen), rows, centre, folds, ticket, seed)

    study.optimize(objective, n_trials=config.trials)
    return msgspec.structs.replace(config, **study.best_params)


def validated(
    config: Any, rows: GroupRows, centre: float, folds: np.ndarray, ticket: int, seed: int
) -> float:
    """The mean over folds of the RMSE on the rows left out."""
    found: list[float] = []
    people, items = len(rows.people), len(rows.items)
    for fold in range(FOLDS):
        kept, out = folds != fold, folds == fold
        fit = cnmf.start(people, items, config.patterns, stream(seed, "local trial", ticket, fold))
        cnmf.complete(
            penalties_of(config), centre, rows.person[kept], rows.item[kept], rows.value[kept], fit,
            _TRIAL_ITERATIONS, True,
        )  # fmt: skip
        person, item = rows.person[out], rows.item[out]
        guess = centre + fit.user_bias[person] + fit.item_bias[item]
        guess = guess + np.einsum("rk,rk->r", fit.users[person], fit.items[item])
        found.append(float(np.sqrt(np.mean((rows.value[out] - guess) ** 2))))
    return float(np.mean(found))
