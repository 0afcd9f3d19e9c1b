"""What a study was asked to be: kept in its folder, checked before anything is run."""

from typing import Any

import msgspec

from covey.errors import ConfigError
from covey.runs.asked import AskedFile
from covey.runs.settings import RunSettings, completed

TRIALS, BEST, REPORT = "trials", "best.json", "report.html"
_MOST_TRIALS = 100_000


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything on which the trials depend, and how many there are to be."""

    algorithm: str
    run_settings: dict[str, Any]  # every key of a run but its part, which is always valid
    fixed: dict[str, Any]  # the algorithm's keys that are not tuned, where they were given
    space: dict[str, str]
    metric: str
    prune: bool
    source: dict[str, str]
    fingerprint: str
    trials: int
    covey: str
    created: str


def refuse_trials(trials: int) -> None:
    """Raises unless there can be so many."""
    if not 1 <= trials <= _MOST_TRIALS:
        raise ConfigError(f"trials must be from 1 to {_MOST_TRIALS}, got {trials}")


def _flat(asked: Asked) -> dict[str, Any]:
    """Everything on which the trials depend, and nothing of how many there are."""
    told = msgspec.to_builtins(asked)
    settings = {key: value for key, value in told["run_settings"].items() if key != "workers"}
    ranges = {f"the range of {key}": text for key, text in told["space"].items()}
    flat = {**told["source"], "fingerprint": told["fingerprint"], "algorithm": told["algorithm"]}
    return {**flat, "metric": told["metric"], "prune": told["prune"], **settings, **told["fixed"], **ranges}


def _completed(asked: Asked) -> Asked:
    return msgspec.structs.replace(asked, run_settings=completed(asked.run_settings, RunSettings))


FILE = AskedFile("study", "study.json", "covey tune", Asked, _flat, _completed)
