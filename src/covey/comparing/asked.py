"""What a comparison was asked to be: kept in its folder, checked before anything is run."""

from pathlib import Path
from typing import Any

import msgspec

from covey.comparing.entries import Entry
from covey.errors import ConfigError, RunError, unknown
from covey.evaluation import metrics
from covey.evaluation.significance import bayesian_correlated
from covey.runs.directory import clear_errors, new_folder

ASKED, REPEATS, REPORT = "comparison.json", "repeats", "report.html"
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
    if reading.test == "bayes" or not reading.rope > 0:
        bayesian_correlated([0.0, 1.0], [0.0, 0.0], rope=reading.rope, correlation=0.5)
    return reading


def write_asked(path: Path, asked: Asked) -> None:
    """Makes a comparison's folder, whole or not at all; RunError where something is there already."""
    with clear_errors(path):
        if (path / ASKED).exists():
            difference = differing(read_asked(path), asked)
            if difference is None:
                raise RunError(
                    f"{path} already holds this comparison; go on with it by --resume {path}, or give another folder"
                )
            raise RunError(f"{path} belongs to another comparison ({difference}); give another folder")
        with new_folder(path, "comparison") as draft:
            (draft / ASKED).write_bytes(encoded(asked))


def read_asked(path: Path) -> Asked:
    """What the comparison in a folder was asked to be; RunError where there is none."""
    try:
        return msgspec.json.decode((path / ASKED).read_bytes(), type=Asked)
    except (FileNotFoundError, NotADirectoryError):
        raise RunError(
            f"no comparison at {path}: it has no {ASKED}; give a folder that covey compare made"
        ) from None
    except OSError as error:
        raise RunError(f"cannot read {path / ASKED}: {(error.strerror or str(error)).lower()}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{path / ASKED} is damaged: {error}") from None


def encoded(asked: Asked) -> bytes:
    return msgspec.json.format(msgspec.json.encode(asked), indent=2) + b"\n"


def differing(stored: Asked, asked: Asked) -> str | None:
    """The first thing in which two comparisons differ, in words; None where both have the same runs."""
    old, new = (_plain(each) for each in (stored, asked))
    if list(old["entries"]) != list(new["entries"]):
        return f"it compares {', '.join(old['entries'])} there, {', '.join(new['entries'])} here"
    flat_old, flat_new = (_flat(each) for each in (old, new))
    for name in [*flat_new, *flat_old]:
        if flat_old.get(name) != flat_new.get(name):
            return f"{name} is {flat_old.get(name)!r} there, {flat_new.get(name)!r} here"
    return None


def _plain(asked: Asked) -> dict[str, Any]:
    told = msgspec.json.decode(msgspec.json.encode(asked))
    settings = {key: value for key, value in told["run_settings"].items() if key != "workers"}
    named = {each["name"]: {"algorithm": each["algorithm"], **each["settings"]} for each in told["entries"]}
    return {"entries": named, "run": settings, "data": {**told["source"], "fingerprint": told["fingerprint"]}}


def _flat(told: dict[str, Any]) -> dict[str, Any]:
    flat = {f"{name}.{key}": value for name, keys in told["entries"].items() for key, value in keys.items()}
    return {**told["data"], **told["run"], **flat}
