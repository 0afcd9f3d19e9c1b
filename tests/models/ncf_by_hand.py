"""NCF models of any size with random weights, their batches, and the loss in plain numpy of double precision."""

from typing import Any, NamedTuple

import numpy as np

from covey.models import ncf
from covey.random import stream

SIZES = [("gmf", 5, (4,)), ("gmf", 12, (4,)), ("mlp", 5, (7, 3)), ("neumf", 5, (7, 3)), ("neumf", 4, (8,))]
PEOPLE, ITEMS, INSTANCES = 4, 9, 23


class Batch(NamedTuple):
    person: Any  # [instances]
    item: Any
    label: Any


class Weights(NamedTuple):
    users: Any  # [people, width]
    items: Any  # [items, width]
    network: Any  # [weights]


def weights_of(shape: ncf.Shape, people: int = PEOPLE) -> Weights:
    """Weights large enough that every gradient shows."""
    draws = stream(3, "weights", shape.width, shape.network_size)
    sizes = [(people, shape.width), (ITEMS, shape.width), (shape.network_size,)]
    return Weights(*(draws.uniform(-0.7, 0.7, size).astype(np.float32) for size in sizes))


def batch_of(people: int = PEOPLE, instances: int = INSTANCES) -> Batch:
    """Instances with repeated people and items; the last person and the last item never come."""
    draws = stream(3, "batch", people, instances)
    person = draws.integers(0, max(1, people - 1), instances).astype(np.int32)
    item = draws.integers(0, ITEMS - 1, instances).astype(np.int32)
    return Batch(person, item, draws.integers(0, 2, instances).astype(np.float32))


def gradient(shape: ncf.Shape, weights: Weights, batch: Batch) -> Weights:
    """The kernel's gradient."""
    slopes = Weights(*(np.zeros_like(part) for part in weights))
    ncf.batch_gradient(shape, *weights, *batch, *slopes, ncf.workspace(shape, len(batch.label)))
    return slopes


def loss(shape: ncf.Shape, weights: Weights, batch: Batch) -> float:
    """Mean binary cross-entropy, as the module's docstring defines the model."""
    gmf, mlp = shape.gmf_factors, shape.mlp_factors
    users, items = weights.users[batch.person], weights.items[batch.item]
    tower = np.zeros((len(batch.label), 0))
    at = gmf + shape.last + 1
    if mlp:
        tower = np.concatenate([users[:, gmf:], items[:, gmf:]], axis=1)
        for width_in, width_out in zip(shape.layers[:-1], shape.layers[1:], strict=True):
            layer = weights.network[at : at + width_in * width_out].reshape(width_out, width_in)
            at += width_in * width_out
            tower = np.maximum(tower @ layer.T + weights.network[at : at + width_out], 0)
            at += width_out
    assert at == len(weights.network)
    top = np.concatenate([users[:, :gmf] * items[:, :gmf], tower], axis=1)
    logits = top @ weights.network[: gmf + shape.last] + weights.network[gmf + shape.last]
    return float(np.mean(np.logaddexp(0, logits) - batch.label * logits))
