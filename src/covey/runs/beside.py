"""Yardsticks beside a run: the same data, split and seed, in folders under the run's own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from covey.algorithms.registry import FEDERATED, GROUPED, algorithm_class
from covey.errors import ConfigError
from covey.runs.directory import CONFIG
from covey.runs.settings import RunSettings, parse

BESIDE = "beside"
# What makes a twin a twin: the shape of its model and how it starts, not how it learns.
_SHARED = ("model", "factors", "hidden", "negatives", "spread", "product_start")


def usual_yardsticks(algorithm: str) -> tuple[str, ...]:
    """What is trained beside an algorithm unless somebody asks for else; it takes milliseconds."""
    if algorithm in GROUPED:
        return ("biases",)  # a rating's error that is no better learned nothing from the patterns
    return ("most-popular",) if algorithm in FEDERATED else ()


def yardstick_settings(
    names: Sequence[str], run_settings: RunSettings, config: Any
) -> dict[str, dict[str, Any]]:
    """Each yardstick's keys, taken from the run that it stands beside; ConfigError where one is unknown."""
    run_keys = {name: getattr(run_settings, name) for name in RunSettings.__struct_fields__}
    asked: dict[str, dict[str, Any]] = {}
    for name in names:
        if name in asked:
            raise ConfigError(f"{name} is named twice as a yardstick; name it once")
        taken = (
            set(algorithm_class(name).Config.__struct_fields__) & set(config.__struct_fields__) & set(_SHARED)
        )
        asked[name] = {**run_keys, **{key: getattr(config, key) for key in taken}}
        parse(name, asked[name])
    return asked


def yardsticks_of(path: Path) -> list[Path]:
    """The folders of the yardsticks of the run in `path`."""
    return sorted(found.parent for found in (path / BESIDE).glob(f"*/{CONFIG}"))
