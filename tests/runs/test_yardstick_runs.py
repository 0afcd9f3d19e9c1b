"""Yardsticks are runs like any other: trained, evaluated, asked for advice, opened again, and put beside a federation."""

from pathlib import Path
from typing import Any

import pytest
from small_runs import VILLAGE

import covey
from covey.algorithms.fedncf import FedNCFConfig
from covey.algorithms.registry import CENTRAL
from covey.runs.beside import yardstick_settings
from covey.runs.settings import RunSettings

SMALL: dict[str, dict[str, Any]] = {
    "random": {},
    "item-knn": {"neighbours": 10},
    "ease": {"regularization": 20},
    "ials": {"factors": 4, "rounds": 2},
    "mult-vae": {"layer_width": 8, "latent": 4, "rounds": 2},
    "biases": {},
    "biased-mf": {"factors": 4, "rounds": 2},
    "rating-knn": {"neighbours": 20},
    "central-cnmf": {"patterns": 3, "rounds": 2},
}


@pytest.mark.parametrize("name", SMALL)
def test_a_yardstick_is_trained_evaluated_and_opened_again(name: str, tmp_path: Path) -> None:
    run = covey.train(name, VILLAGE, out=tmp_path / "run", seed=3, **SMALL[name])
    assert 0 <= run.evaluate()["hr@10"] <= 1
    assert not [key for key in run.model if key.startswith(("first/", "second/")) or key == "steps"]
    person = VILLAGE.person_ids[4]
    again = covey.open_run(tmp_path / "run", VILLAGE)
    assert again.recommend(person) == run.recommend(person)
    assert dict(again.evaluate()) == dict(run.evaluate())


def test_every_yardstick_can_stand_beside_a_federation() -> None:
    """No key that a federation hands on means something else to a yardstick."""
    asked = yardstick_settings([*CENTRAL], RunSettings(), FedNCFConfig(factors=9))
    assert set(asked) == set(CENTRAL)
    assert asked["ials"]["factors"] == 9
    assert "factors" not in asked["mult-vae"]
