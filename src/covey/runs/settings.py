"""What a run was asked to do: the run's own settings and its algorithm's, from a file, keywords and `--set`."""

import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from covey.algorithms.checks import at_least, between, one_of
from covey.algorithms.registry import algorithm_class
from covey.engines.sums import SumSettings
from covey.errors import ConfigError, unknown
from covey.splits import RULES

CANDIDATES = ("auto", "sampled", "given", "all")
PARTS = ("test", "valid")
_LARGEST_SEED = 2**63 - 1  # what a run's files can hold
_LARGEST_VALUE = 1e30  # values are float32


class RunSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every run can be asked, whatever its algorithm."""

    younger: ClassVar[tuple[str, ...]] = (
        "min_item_rows",
        "lowest_value",
        "secure",
        "mask_neighbours",
        "least_people",
        "least_difference",
        "dropout",
    )  # see younger_keys

    seed: int = 0  # where every random draw of the run starts
    split: str = "auto"  # auto: the files' own test items where they have them, else leave-last-out
    share: float = 0.8  # of a ratio split that is not test
    part: str = "test"  # what is evaluated; valid leaves the test rows out of everything
    candidates: str = "auto"  # auto: given where the data has them, else sampled; or all items
    candidate_negatives: int = 100  # sampled for each person
    k: tuple[int, ...] = (10,)  # lengths of the lists that are judged
    evaluate_every: int = 0  # global rounds between evaluations; 0: about fifty evaluations a run
    participation: float = 1.0  # share of the people that exist at all for this run
    min_rows: int = 0  # people with fewer interactions are left out
    min_item_rows: int = 0  # items with fewer interactions are left out, after people were
    lowest_value: float = 0.0  # lower values are raised to this one
    secure: bool = False  # add updates up under masks: the server learns the sum and no update
    mask_neighbours: int = -1  # of each person in the graph of masks; 0: everybody, -1: as few as suffice
    least_people: int = 10  # in a secure sum; people refuse a smaller one
    least_difference: int = 10  # people by which two secure sums of one person may differ at least
    dropout: float = 0.0  # share of a round's people who go missing in the middle of it
    workers: int = 0  # threads; 0: one a processor. Changes the speed, not a bit of the result

    def __post_init__(self) -> None:
        between("seed", self.seed, -_LARGEST_SEED, _LARGEST_SEED)
        if self.split != "auto" and self.split not in RULES:
            raise unknown("split", self.split, ["auto", *RULES])
        one_of("part", self.part, PARTS)
        one_of("candidates", self.candidates, CANDIDATES)
        between("candidate_negatives", self.candidate_negatives, 1, 1_000_000)
        at_least("k", min(self.k, default=0), 1)
        at_least("evaluate_every", self.evaluate_every, 0)
        if not 0 < self.participation <= 1:
            raise ConfigError(f"participation must be above 0 and at most 1, got {self.participation:g}")
        at_least("min_rows", self.min_rows, 0)
        at_least("min_item_rows", self.min_item_rows, 0)
        between("lowest_value", self.lowest_value, 0, _LARGEST_VALUE)
        between("workers", self.workers, 0, 1024)
        between("mask_neighbours", self.mask_neighbours, -1, 1_000_000)
        between("dropout", self.dropout, 0, 0.9)
        self.sums.protocol()  # refuses terms that protect nobody

    @property
    def sums(self) -> SumSettings:
        """How updates are added up."""
        return SumSettings(
            self.secure, self.mask_neighbours, self.least_people, self.least_difference, self.dropout
        )


def parse(algorithm: str, given: Mapping[str, Any]) -> tuple[RunSettings, Any]:
    """The run's settings and the algorithm's configuration; ConfigError for a key or value that neither takes."""
    config_type = algorithm_class(algorithm).Config
    known: dict[str, Any] = dict.fromkeys(RunSettings.__struct_fields__, RunSettings)
    known.update(dict.fromkeys(config_type.__struct_fields__, config_type))
    values: dict[Any, dict[str, Any]] = {RunSettings: {}, config_type: {}}
    for name, value in given.items():
        if name not in known:
            raise unknown(f"key for {algorithm}", name, known)
        values[known[name]][name] = _convert(name, value, typing.get_type_hints(known[name])[name])
    return RunSettings(**values[RunSettings]), config_type(**values[config_type])


def completed(stored: Mapping[str, Any], *config_types: Any) -> dict[str, Any]:
    """Stored keys, with those that these configurations have by now at their defaults.

    A key's first default changes no bit, so a folder that is older than the key was made with it.
    """
    defaults = [config_type() for config_type in config_types]
    now = {name: getattr(each, name) for each in defaults for name in each.__struct_fields__}
    return {**now, **stored}


def younger_keys(algorithm: str) -> dict[str, Any]:
    """The keys that an algorithm was given after runs of it had been stored, with their defaults.

    Its configuration names them, `younger`, as RunSettings names those of every run, and keeps this promise: at their
    defaults a run has the bits that it had before there were such keys. So a stored run that knows nothing of them is
    one that has them at their defaults.
    """
    usual = (RunSettings(), algorithm_class(algorithm).Config())
    return {name: getattr(each, name) for each in usual for name in getattr(each, "younger", ())}


def _convert(name: str, value: Any, wanted: Any) -> Any:
    """The value as its field's type; text is read as `--set` writes it."""
    if isinstance(value, str) and typing.get_origin(wanted) is tuple:
        value = [part for part in value.strip("()[] ").replace(",", " ").split() if part]
    elif typing.get_origin(wanted) is tuple and isinstance(value, int):
        value = [value]
    try:
        return msgspec.convert(value, wanted, strict=False)
    except msgspec.ValidationError:
        raise ConfigError(f"{name} must be {_in_words(wanted)}, got {value!r}") from None


def _in_words(wanted: Any) -> str:
    if isinstance(wanted, types.GenericAlias) or typing.get_origin(wanted) is tuple:
        return "whole numbers with commas between them"
    return {int: "a whole number", float: "a number", str: "text", bool: "true or false"}.get(
        wanted, str(wanted)
    )


def read_config(path: Path) -> dict[str, Any]:
    """The keys of a TOML file; ConfigError where it is missing or is no TOML."""
    try:
        return msgspec.toml.decode(path.read_bytes())
    except FileNotFoundError:
        raise ConfigError(f"no configuration file at {path}; check the path") from None
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {(error.strerror or str(error)).lower()}; check the path"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}") from None


def assignments(pairs: list[str]) -> dict[str, str]:
    """The keys and values of `key=value` texts."""
    split = [pair.partition("=") for pair in pairs]
    for (name, sign, _), pair in zip(split, pairs, strict=True):
        if not sign or not name.strip():
            raise ConfigError(f"expected key=value, got {pair!r}; for example: --set factors=16")
    return {name.strip(): value.strip() for name, _, value in split}
