"""Mult-VAE: its loss by hand and by numpy, dropout that keeps the mean, and what is refused in one sentence."""

from typing import Any

import numpy as np
import pytest

from covey.algorithms import mult_vae
from covey.algorithms.mult_vae import MultVAE, MultVAEConfig
from covey.errors import ConfigError
from covey.random import stream
from covey.testing.towns import ITEMS, histories, town

torch = pytest.importorskip("torch")

SMALL: dict[str, Any] = {"layer_width": 7, "latent": 3, "rounds": 2, "batch_size": 4}


def tensors(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    return {name: torch.tensor(array) for name, array in arrays.items()}


def loss_by_numpy(model: dict[str, np.ndarray], batch: mult_vae.Batch, beta: float) -> float:
    """Liang et al. (2018), equation 7, a person at a time."""
    people, items, latent = len(batch.noise), len(model["encoder/items"]), batch.noise.shape[1]
    total = 0.0
    for person in range(people):
        own = batch.row == person
        read, seen = np.zeros(items), np.zeros(items)
        read[batch.item[own]], seen[batch.item[own]] = batch.weight[own], 1
        inner = np.tanh(read @ model["encoder/items"] + model["encoder/items_bias"])
        both = model["encoder/code"] @ inner + model["encoder/code_bias"]
        mean, log_variance = both[:latent], both[latent:]
        code = mean + batch.noise[person] * np.exp(log_variance / 2)
        outer = np.tanh(model["decoder/code"] @ code + model["decoder/code_bias"])
        logits = model["decoder/items"] @ outer + model["decoder/items_bias"]
        log_shares = logits - np.log(np.exp(logits).sum())
        divergence = 0.5 * (np.exp(log_variance) + mean**2 - 1 - log_variance).sum()
        total += beta * divergence - float(seen @ log_shares)
    return total / people


def test_with_weights_of_zero_every_row_costs_the_logarithm_of_the_catalogue() -> None:
    yardstick = MultVAE(MultVAEConfig(**SMALL), histories([[0, 1, 2], [3]], 8), 0)
    zeros = {name: np.zeros_like(array) for name, array in yardstick.initial().items()}
    (batch,) = yardstick._batches(0)
    # Code N(0, 1), so no divergence; uniform shares of 8 items; 4 rows over 2 people.
    assert float(mult_vae._loss(tensors(zeros), batch, 1.0)) == pytest.approx(4 * np.log(8) / 2, rel=1e-6)


def test_the_loss_is_the_papers() -> None:
    yardstick = MultVAE(MultVAEConfig(**SMALL), town(), 5)
    model = {name: 3 * array for name, array in yardstick.initial().items()}
    batches = list(yardstick._batches(1))
    assert sorted(len(batch.noise) for batch in batches) == [1, 4, 4]
    for batch in batches:
        expected = loss_by_numpy(model, batch, 0.3)
        assert float(mult_vae._loss(tensors(model), batch, 0.3)) == pytest.approx(expected, rel=1e-4)


def test_a_batch_holds_histories_at_unit_length_and_dropout_keeps_their_mean() -> None:
    lists = [list(range(person % 20 + 1)) for person in range(2000)]
    for dropout in (0.0, 0.5):
        config = MultVAEConfig(**{**SMALL, "batch_size": 500, "dropout": dropout})
        batches = list(MultVAE(config, histories(lists, 20), 5)._batches(3))
        sums = np.concatenate([np.bincount(each.row, each.weight) for each in batches])
        counts = np.concatenate([np.bincount(each.row) for each in batches])
        assert sorted(counts.tolist()) == sorted(len(row) for row in lists)
        assert np.mean(sums / np.sqrt(counts)) == pytest.approx(1, rel=0.02 if dropout else 1e-6)
        kept = np.concatenate([each.weight > 0 for each in batches]).mean()
        assert kept == pytest.approx(1 - dropout, abs=0.01)


def test_a_step_is_that_of_pytorchs_adam() -> None:
    draws = stream(1, "adam")
    start, slopes = draws.normal(size=(4, 3)), [draws.normal(size=(4, 3)) for _ in range(3)]
    theirs = torch.nn.Parameter(torch.tensor(start))
    optimizer = torch.optim.Adam([theirs], lr=0.03)
    ours, first, second = torch.tensor(start), torch.zeros(4, 3).double(), torch.zeros(4, 3).double()
    for step, slope in enumerate(slopes, 1):
        theirs.grad = torch.tensor(slope)
        optimizer.step()
        mult_vae._adam_step([ours], [torch.tensor(slope)], [first], [second], 0.03, step)
    np.testing.assert_allclose(ours.numpy(), theirs.detach().numpy(), rtol=1e-9)


def test_beta_grows_to_its_value_and_stays() -> None:
    yardstick = MultVAE(MultVAEConfig(beta=0.4, anneal_rounds=4), town(), 0)
    assert [yardstick._beta(number) for number in (0, 1, 4, 9)] == pytest.approx([0, 0.1, 0.4, 0.4])
    at_once = MultVAE(MultVAEConfig(beta=0.4, anneal_rounds=0), town(), 0)
    assert at_once._beta(0) == 0.4


def test_training_leaves_the_number_of_threads_as_it_was() -> None:
    before = torch.get_num_threads()
    yardstick = MultVAE(MultVAEConfig(**SMALL), town(), 0)
    yardstick.epoch(yardstick.initial(), 0)
    assert torch.get_num_threads() == before


def test_scores_are_the_networks_logits_without_dropout_and_noise() -> None:
    yardstick = MultVAE(MultVAEConfig(**SMALL), town(), 5)
    arrays = yardstick.epoch(yardstick.initial(), 0)
    scores = yardstick.scorer(arrays).everything(np.array([3], np.int32))[0].astype(float)
    mine = town().of(3).item.astype(np.int64)
    weight = np.full(len(mine), 1 / np.sqrt(len(mine)), np.float32)
    still = mult_vae.Batch(
        np.zeros(1, np.int64), mine, np.zeros_like(mine), weight, np.zeros((1, 3), np.float32)
    )
    log_shares = scores - np.log(np.exp(scores).sum())
    assert float(mult_vae._loss(tensors(dict(arrays)), still, 0.0)) == pytest.approx(
        -log_shares[mine].sum(), rel=1e-4
    )
    assert scores.shape == (ITEMS,)


def test_without_pytorch_one_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mult_vae, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"mult-vae needs PyTorch.*pip install 'covey\[torch\]'"):
        MultVAE(MultVAEConfig(), town(), 0)


@pytest.mark.parametrize("device", ["abacus", "cuda"])
def test_a_device_that_is_not_there_is_one_sentence(device: str) -> None:
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("there is one here")
    yardstick = MultVAE(MultVAEConfig(**SMALL, device=device), town(), 0)
    with pytest.raises(ConfigError, match=f"cannot compute on device '{device}'.*device = 'cpu'"):
        yardstick.epoch(yardstick.initial(), 0)


OUT_OF_RANGE: list[tuple[dict[str, Any], str]] = [
    ({"layer_width": 0}, "layer_width must be from 1 to 65536, got 0"),
    ({"latent": 0}, "latent must be from 1"),
    ({"dropout": 1}, "dropout must be at least 0 and below 1, got 1"),
    ({"dropout": float("nan")}, "dropout must be at least 0 and below 1, got nan"),
    ({"beta": -1}, "beta must be from 0 to 1000, got -1"),
    ({"anneal_rounds": -1}, "anneal_rounds must be at least 0, got -1"),
    ({"batch_size": 0}, "batch_size must be from 1"),
    ({"learning_rate": 0}, "learning_rate must be above 0"),
    ({"rounds": 0}, "rounds must be at least 1"),
]


@pytest.mark.parametrize(("setting", "words"), OUT_OF_RANGE)
def test_a_setting_out_of_range_is_named(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        MultVAEConfig(**setting)
