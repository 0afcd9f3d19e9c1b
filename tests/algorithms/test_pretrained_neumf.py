"""NeuMF from a trained GMF and a trained MLP, and the running mean of the weights that is judged."""

from typing import Any

import numpy as np
import pytest

from covey.algorithms.central_ncf import CentralNCF, CentralNCFConfig
from covey.algorithms.ncf_start import TABLES
from covey.errors import ConfigError
from covey.testing.looking import bits
from covey.testing.towns import town
from covey.types import Arrays

TRAIN = town()
SHARED: dict[str, Any] = {"factors": 3, "hidden": (5, 2), "batch_size": 8, "regularization": 0.01}
PRETRAINED: dict[str, Any] = {"model": "neumf", "pretrain_rounds": 2, "pretrain_rate": 0.02, "rounds": 2}


def twin(**settings: Any) -> CentralNCF:
    return CentralNCF(CentralNCFConfig(**{**SHARED, **settings}), TRAIN, seed=4)


def after(algorithm: CentralNCF, epochs: int) -> Arrays:
    arrays = algorithm.initial()
    for number in range(epochs):
        arrays = algorithm.epoch(arrays, number)
    return arrays


def scores(algorithm: CentralNCF, arrays: Arrays) -> Any:
    return algorithm.scorer(arrays).everything(np.arange(TRAIN.people_count, dtype=np.int32))


@pytest.mark.parametrize("averaging", [0.0, 2.0])
@pytest.mark.parametrize("model", ["gmf", "mlp"])
def test_a_part_is_trained_to_the_bits_of_a_run_of_it_alone(model: str, averaging: float) -> None:
    alone = after(twin(model=model, learning_rate=0.02, averaging=averaging), 2)
    # The rate and the optimizer of NeuMF's own rounds are not those of its parts.
    whole = after(twin(**PRETRAINED, averaging=averaging, learning_rate=0.5, optimizer="sgd"), 2)
    part = {name: whole[f"memory/{model}/{name}"] for name in alone}
    assert bits(part) == bits(dict(alone))


@pytest.mark.parametrize("epochs", [0, 1, 2])
@pytest.mark.parametrize("mix", [0.0, 0.3, 1.0])
def test_what_is_joined_scores_the_mix_of_its_parts(mix: float, epochs: int) -> None:
    gmf, mlp = (twin(model=model, learning_rate=0.02) for model in ("gmf", "mlp"))
    whole = twin(**PRETRAINED, mix=mix)
    expected = mix * scores(gmf, after(gmf, epochs)) + (1 - mix) * scores(mlp, after(mlp, epochs))
    np.testing.assert_allclose(scores(whole, after(whole, epochs)), expected, rtol=0, atol=1e-5)


def test_neumf_goes_on_from_the_join_with_an_optimizer_at_rest() -> None:
    whole, scratch = twin(**PRETRAINED), twin(model="neumf")
    join = after(whole, 2)
    start = {**{name: join[name] for name in TABLES}, "steps": np.zeros(1, np.int64)}
    assert join["steps"].tolist() == [0]
    assert bits(dict(whole.epoch(join, 2))) == bits(dict(scratch.epoch(start, 2)))


def test_pretraining_comes_before_the_rounds() -> None:
    assert twin(**PRETRAINED).rounds == 4
    assert twin(model="neumf", rounds=2).rounds == 2


def test_training_takes_no_notice_of_the_mean_that_is_judged() -> None:
    plain, mean = after(twin(), 3), after(twin(averaging=2.0), 3)
    assert bits([plain[name] for name in TABLES]) == bits([mean[f"memory/{name}"] for name in TABLES])
    assert bits(plain["users"]) != bits(mean["users"])


def test_a_mean_over_less_than_a_step_is_the_weights_themselves() -> None:
    plain, mean = after(twin(), 2), after(twin(averaging=1e-6), 2)
    for name in TABLES:
        np.testing.assert_allclose(mean[name], plain[name], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"pretrain_rounds": -1}, "pretrain_rounds must be at least 0, got -1"),
        ({"model": "gmf", "pretrain_rounds": 3}, "pretrain_rounds must be 0 for model 'gmf'.*; set model"),
        ({"model": "mlp", "pretrain_rounds": 3}, "pretrain_rounds must be 0 for model 'mlp'"),
        ({"pretrain_rate": 0}, "pretrain_rate must be above 0"),
        ({"mix": 1.5}, "mix must be from 0 to 1, got 1.5"),
        ({"regularization": -1}, "regularization must be from 0"),
        ({"averaging": float("nan")}, "averaging must be from 0"),
    ],
)
def test_what_cannot_be_is_refused(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        CentralNCFConfig(**setting)
