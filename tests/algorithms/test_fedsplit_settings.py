"""Which settings FedSPLIT refuses, each with the setting that would do."""

from typing import Any

import pytest

from covey.algorithms.fedsplit import FedSPLITConfig
from covey.errors import ConfigError


@pytest.mark.parametrize(
    ("choices", "saying"),
    [
        ({"local": "nmf"}, "cnmf"),
        ({"joint": "sdv"}, "did you mean 'svd'"),
        ({"biases": "group"}, "did you mean 'groups'"),
        ({"refit": "distill"}, "did you mean 'distil'"),
        ({"penalty": "twice"}, "once"),
        ({"hide": "all"}, "none"),
        ({"patterns": 0}, "patterns must be from 1"),
        ({"components": 0}, "components must be from 1"),
        ({"ridge": 0}, "ridge"),
        ({"user_bias_rate": 1.5}, "user_bias_rate must be from 0 to 1"),
        ({"item_bias_rate": -0.1}, "item_bias_rate must be from 0 to 1"),
        ({"evidence": -1}, "evidence must be at least 0"),
        ({"iterations": 0}, "iterations must be at least 1"),
        ({"smallest_group": 1}, "smallest_group must be at least 2"),
        ({"smallest_group": 9, "largest_group": 8}, "largest_group must be at least 9"),
        ({"late": 0.95}, "late must be from 0 to 0.9"),
        ({"forgotten": -0.1}, "forgotten must be from 0"),
        ({"lowest_rating": 5, "highest_rating": 1}, "expected the lower first"),
        ({"local": "spectrum", "joint": "nmf"}, "set joint=svd"),
        ({"refit": "nonnegative"}, "set joint=nmf, or refit=ridge"),
        ({"refit": "distil"}, "set biases=groups, or refit=ridge"),
        ({"refit": "distil", "biases": "groups", "local": "spectrum"}, "set local=cnmf, or refit=ridge"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_with_one_that_can(
    choices: dict[str, Any], saying: str
) -> None:
    with pytest.raises(ConfigError, match=saying):
        FedSPLITConfig(**choices)


def test_the_published_settings_are_accepted() -> None:
    FedSPLITConfig(joint="nmf", biases="groups", refit="distil", evidence=0.0, components=4, trials=50)
