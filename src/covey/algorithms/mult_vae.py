"""Mult-VAE: a variational autoencoder of histories with a multinomial likelihood (Liang et al., 2018).

epoch    for each batch of people: drop some of each history, encode it as a distribution, draw from it, decode,
         and step against  - sum of log softmax over the history  +  beta KL(distribution, standard normal)

Trained by PyTorch, scored by numpy. Every draw is named by seed and epoch and made by numpy, so it is the same on
every device; training computes in one thread, for PyTorch's sums depend on their number.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from covey.algorithms.checks import at_least, between, positive
from covey.algorithms.mult_vae_scorer import AutoencoderScorer
from covey.errors import ConfigError
from covey.random import stream
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, Ints

NEEDS_TORCH = "mult-vae needs PyTorch, which is not installed; install it: pip install 'covey[torch]'"
_DECAYS, _TINY = (0.9, 0.999), 1e-8  # Adam's


class MultVAEConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The network, and how it learns."""

    layer_width: int = 600  # numbers in the layer on each side of the code
    latent: int = 200  # numbers that a history is encoded in
    dropout: float = 0.5  # share of a history that is left out, drawn anew each epoch
    beta: float = 0.2  # weight of the KL part, at most
    anneal_rounds: int = 50  # epochs in which beta grows from 0; 0: it is there from the start
    batch_size: int = 200  # people a step
    learning_rate: float = 0.001  # of Adam
    rounds: int = 50  # epochs
    device: str = "cpu"  # where PyTorch computes, such as cuda; the bits differ between devices

    def __post_init__(self) -> None:
        between("layer_width", self.layer_width, 1, 65_536)
        between("latent", self.latent, 1, 65_536)
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout must be at least 0 and below 1, got {self.dropout:g}")
        between("beta", self.beta, 0, 1000)
        at_least("anneal_rounds", self.anneal_rounds, 0)
        between("batch_size", self.batch_size, 1, 1_000_000)
        positive("learning_rate", self.learning_rate)
        at_least("rounds", self.rounds, 1)


class Batch(NamedTuple):
    """Some people's histories and what was drawn for them."""

    offsets: Ints  # [people]
    item: Ints  # [rows]
    row: Ints  # [rows] the place of the person in the batch
    weight: Floats  # [rows] of the input: unit length, then dropout
    noise: Floats  # [people, latent]


class MultVAE:
    """One configuration of Mult-VAE over one training set; ConfigError where PyTorch is missing."""

    name: ClassVar[str] = "mult-vae"
    Config: ClassVar[type[MultVAEConfig]] = MultVAEConfig
    title: ClassVar[str] = "Mult-VAE"

    def __init__(self, config: MultVAEConfig, train: Histories, seed: int) -> None:
        if find_spec("torch") is None:
            raise ConfigError(NEEDS_TORCH)
        self.config, self.train, self.seed = config, train, seed

    @property
    def rounds(self) -> int:
        return self.config.rounds

    def initial(self) -> Arrays:
        """Xavier-uniform weights, zero biases, Adam at rest."""
        items, hidden, latent = self.train.item_count, self.config.layer_width, self.config.latent
        draws = stream(self.seed, "mult-vae", "weights")

        def xavier(*shape: int) -> Floats:
            bound = np.sqrt(6 / sum(shape))
            return draws.uniform(-bound, bound, shape).astype(np.float32)

        model = {
            "encoder/items": xavier(items, hidden),
            "encoder/items_bias": np.zeros(hidden, np.float32),
            "encoder/code": np.concatenate([xavier(latent, hidden), xavier(latent, hidden)]),
            "encoder/code_bias": np.zeros(2 * latent, np.float32),
            "decoder/code": xavier(hidden, latent),
            "decoder/code_bias": np.zeros(hidden, np.float32),
            "decoder/items": xavier(items, hidden),
            "decoder/items_bias": np.zeros(items, np.float32),
        }
        moments = {f"{kind}/{name}": np.zeros_like(each) for kind in _MOMENTS for name, each in model.items()}
        return {**model, **moments, "steps": np.zeros(1, np.int64)}

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The network and Adam's moments after one more pass over everybody."""
        import torch

        parts = {name: _on_device(array, self.config.device) for name, array in arrays.items()}
        names = [name for name in arrays if f"{_MOMENTS[0]}/{name}" in arrays]
        model = {name: parts[name].requires_grad_() for name in names}
        first, second = ([parts[f"{kind}/{name}"] for name in names] for kind in _MOMENTS)
        steps, beta = int(arrays["steps"][0]), self._beta(number)
        with _one_thread():
            for batch in self._batches(number):
                slopes = torch.autograd.grad(_loss(model, batch, beta), list(model.values()))
                steps += 1
                _adam_step(list(model.values()), slopes, first, second, self.config.learning_rate, steps)
        after = {name: part.detach().cpu().numpy() for name, part in parts.items()}
        return {**after, "steps": np.array([steps])}

    def scorer(self, arrays: Arrays) -> AutoencoderScorer:
        return AutoencoderScorer(self.train, arrays)

    def _beta(self, number: int) -> float:
        """The weight of the KL part in an epoch."""
        growing = self.config.anneal_rounds
        return self.config.beta * (min(1.0, number / growing) if growing else 1.0)

    def _batches(self, number: int) -> Iterator[Batch]:
        """Everybody with a history, in an order of this epoch's own."""
        train, config = self.train, self.config
        draws = stream(self.seed, "mult-vae", "epoch", number)
        people = draws.permutation(np.flatnonzero(train.counts))
        for begin in range(0, len(people), config.batch_size):
            batch = people[begin : begin + config.batch_size]
            counts = train.counts[batch]
            offsets = np.cumsum(counts) - counts
            row = np.repeat(np.arange(len(batch)), counts)
            item = train.item[np.arange(len(row)) + (train.offsets[batch] - offsets)[row]]
            kept = draws.random(len(row), np.float32) >= config.dropout
            weight = kept / (np.sqrt(counts[row]) * (1 - config.dropout))
            noise = draws.standard_normal((len(batch), config.latent), np.float32)
            yield Batch(offsets, item.astype(np.int64), row, weight.astype(np.float32), noise)


_MOMENTS = ("first", "second")


def _loss(model: dict[str, Any], batch: Batch, beta: float) -> Any:
    """The mean over the batch's people of the negative log-likelihood plus beta times the KL part."""
    import torch
    from torch.nn import functional

    device = model["encoder/items"].device.type
    offsets, item, row, weight, noise = (_on_device(part, device) for part in batch)
    # A sum of the rows that a history names: its zeros cost nothing.
    read = functional.embedding_bag(
        item, model["encoder/items"], offsets, mode="sum", per_sample_weights=weight
    )
    inner = torch.tanh(read + model["encoder/items_bias"])
    mean, log_variance = functional.linear(inner, model["encoder/code"], model["encoder/code_bias"]).chunk(
        2, 1
    )
    code = mean + noise * torch.exp(log_variance / 2)
    outer = torch.tanh(functional.linear(code, model["decoder/code"], model["decoder/code_bias"]))
    logits = functional.linear(outer, model["decoder/items"], model["decoder/items_bias"])
    likelihood = functional.log_softmax(logits, 1)[row, item].sum()
    divergence = (mean**2 + log_variance.exp() - log_variance - 1).sum() / 2
    return (beta * divergence - likelihood) / len(noise)


def _adam_step(
    model: list[Any], slopes: Any, first: list[Any], second: list[Any], rate: float, step: int
) -> None:
    """One step of Adam, in place."""
    import torch

    with torch.no_grad():
        for part, slope, mean, square in zip(model, slopes, first, second, strict=True):
            mean.lerp_(slope, 1 - _DECAYS[0])
            square.mul_(_DECAYS[1]).addcmul_(slope, slope, value=1 - _DECAYS[1])
            scale = square.sqrt().div_(np.sqrt(1 - _DECAYS[1] ** step)).add_(_TINY)
            part.addcdiv_(mean, scale, value=-rate / (1 - _DECAYS[0] ** step))


def _on_device(array: npt.NDArray[Any], device: str) -> Any:
    """A tensor with a copy of the array; ConfigError where PyTorch has no such device."""
    import torch

    try:
        return torch.tensor(array, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(
            f"PyTorch cannot compute on device {device!r}: {reason}; use device = 'cpu'"
        ) from None


@contextmanager
def _one_thread() -> Generator[None]:
    """PyTorch in one thread, and afterwards in as many as before."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
