"""What a comparison was asked to be: kept in its folder, checked before anything is run."""

import math
from typing import Any

import msgspec

from covey.algorithms.registry import algorithm_class
from covey.comparing.entries import Entry
from covey.errors import ConfigError, unknown
from covey.evaluation import metrics
from covey.evaluation.significance import bayesian_correlated
from covey.runs.asked import AskedFile
from covey.runs.settings import RunSettings, completed

REPEATS, REPORT = "repeats", "report.html"
TESTS = ("people", "repeats", "bayes")
_OF_VALUES = ("rmse", "mse", "mae")
_MOST_REPEATS = 1000


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How finished runs are read: may be changed at any time, for it changes no run."""

    metric: str  # by which the table is sorted
    test: str = "people"  # which test tells systems apart: people, repeats or bayes
    rope: float = 0.01  # differences of the metric up to this are practically none


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that makes the runs, and how they are read."""

    entries: list[Entry]
    run_settings: dict[str, Any]  # every key of a run; its seed is the first repeat's
    repeats: int
    source: dict[str, str]
    fingerprint: str
    test_to_train: float  # evaluated rows / training rows of the first repeat
    reading: Reading
    covey: str
    created: str

    @property
    def seeds(self) -> list[int]:
        first = int(self.run_settings["seed"])
        return [first + n for n in range(self.repeats)]

    @property
    def redrawn(self) -> bool:
        """Whether each repeat has a split of its own."""
        return self.run_settings["split"].startswith("random") or self.run_settings["participation"] < 1


def checked(reading: Reading, repeats: int, ks: tuple[int, ...]) -> Reading:
    """The reading, if so many repeats can be read so; ConfigError otherwise."""
    if not 1 <= repeats <= _MOST_REPEATS:
        raise ConfigError(f"repeats must be from 1 to {_MOST_REPEATS}, got {repeats}")
    known = [f"{name}@{k}" for k in ks for name in metrics.AT_K] + [*metrics.WITHOUT_CUT, *_OF_VALUES]
    of_lists = [f"{name}@{k}" for k in ks for name in metrics.OF_ALL_LISTS]
    if reading.metric not in [*known, *of_lists]:
        raise unknown("metric", reading.metric, [*known, *of_lists])
    if reading.test not in TESTS:
        raise unknown("test", reading.test, TESTS)
    if reading.test != "people" and repeats < 2:
        raise ConfigError(
            f"the test {reading.test!r} needs at least 2 repeats, got {repeats}; "
            "ask for more, or leave the test out: one repeat has the person-by-person tests"
        )
    if reading.test == "people" and reading.metric in of_lists:
        raise ConfigError(
            f"{reading.metric} belongs to all lists together, so nothing can be tested person by person; "
            "use --test repeats with several repeats"
        )
    # Nothing is to be trained for a test that cannot be done: a bad rope and a missing library show themselves now.
    if reading.test == "bayes" or not 0 < reading.rope < math.inf:
        bayesian_correlated([0.0, 1.0], [0.0, 0.0], rope=reading.rope, correlation=0.5)
    return reading


def _flat(asked: Asked) -> dict[str, Any]:
    """Everything that makes the runs, and nothing of how they are read or how many there are."""
    told = msgspec.to_builtins(asked)
    settings = {key: value for key, value in told["run_settings"].items() if key != "workers"}
    who = {"who is compared": ", ".join(entry["name"] for entry in told["entries"])}
    named = {each["name"]: {"algorithm": each["algorithm"], **each["settings"]} for each in told["entries"]}
    own = {f"{name}.{key}": value for name, keys in named.items() for key, value in keys.items()}
    return {**who, **told["source"], "fingerprint": told["fingerprint"], **settings, **own}


def _completed(asked: Asked) -> Asked:
    return msgspec.structs.replace(
        asked,
        run_settings=completed(asked.run_settings, RunSettings),
        entries=[
            msgspec.structs.replace(
                each, settings=completed(each.settings, algorithm_class(each.algorithm).Config)
            )
            for each in asked.entries
        ],
    )


FILE = AskedFile("comparison", "comparison.json", "covey compare", Asked, _flat, _completed)
