"""Whole trainings against PyTorch: the same weights after several steps of its dense Adam and SGD."""

from typing import Any

import numpy as np
import pytest
from ncf_by_hand import ITEMS, SIZES, Batch, Weights, batch_of, weights_of

from covey.models import central, local, ncf

torch = pytest.importorskip("torch", reason="PyTorch is not installed; it comes with covey[torch]")

RATE = 0.01


def torch_logits(shape: ncf.Shape, users: Any, items: Any, parts: list[Any], batch: Batch) -> Any:
    gmf = shape.gmf_factors
    user, item = users[torch.tensor(batch.person).long()], items[torch.tensor(batch.item).long()]
    top = [user[:, :gmf] * item[:, :gmf]]
    if shape.mlp_factors:
        units = torch.cat([user[:, gmf:], item[:, gmf:]], dim=1)
        for layer in range(2, len(parts), 2):
            units = torch.relu(units @ parts[layer].T + parts[layer + 1])
        top.append(units)
    return torch.cat(top, dim=1) @ parts[0] + parts[1]


def torch_parts(shape: ncf.Shape, network: Any) -> list[Any]:
    """Output weights, output bias, then weights and biases layer by layer, each a parameter of its own."""
    sizes: list[tuple[int, ...]] = [(shape.gmf_factors + shape.last,), (1,)]
    if shape.mlp_factors:
        for width_in, width_out in zip(shape.layers[:-1].tolist(), shape.layers[1:].tolist(), strict=True):
            sizes += [(width_out, width_in), (width_out,)]
    parts, at = [], 0
    for size in sizes:
        count = int(np.prod(size))
        parts.append(torch.tensor(network[at : at + count].reshape(size), requires_grad=True))
        at += count
    assert at == len(network)
    return parts


def trained_by_torch(shape: ncf.Shape, start: Weights, batches: list[Batch], adam: bool) -> Weights:
    """The weights after a step of torch.optim for each batch."""
    users, items = (torch.tensor(part, requires_grad=True) for part in (start.users, start.items))
    parts = torch_parts(shape, start.network)
    optimizer = (torch.optim.Adam if adam else torch.optim.SGD)([users, items, *parts], lr=RATE)
    for batch in batches:
        optimizer.zero_grad()
        logits = torch_logits(shape, users, items, parts, batch)
        torch.nn.functional.binary_cross_entropy_with_logits(logits, torch.tensor(batch.label)).backward()
        optimizer.step()
    network = np.concatenate([part.detach().numpy().reshape(-1) for part in parts])
    return Weights(users.detach().numpy(), items.detach().numpy(), network)


def assert_same(ours: Weights, theirs: Weights) -> None:
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-5)


@pytest.mark.parametrize("adam", [True, False])
@pytest.mark.parametrize(("model", "factors", "hidden"), SIZES)
def test_central_epochs_are_torchs(model: str, factors: int, hidden: tuple[int, ...], adam: bool) -> None:
    """Batches of 5 do not divide 23 instances, so that the last one of an epoch is short."""
    shape, batch, size = ncf.shape_of(model, factors, hidden), batch_of(), 5
    start = weights_of(shape)
    ours = Weights(*(part.copy() for part in start))
    tables, steps = central.tables_of(*ours, {}), 0
    for _ in range(3):
        steps = central.train_epoch(
            shape, tables, *batch, central.Recipe(size, RATE, adam), steps, ncf.workspace(shape, size)
        )
    cuts = [Batch(*(part[at : at + size] for part in batch)) for at in range(0, len(batch.label), size)]
    assert steps == 3 * len(cuts)
    assert_same(ours, trained_by_torch(shape, start, cuts * 3, adam))


@pytest.mark.parametrize("adam", [True, False])
@pytest.mark.parametrize(("model", "factors", "hidden"), SIZES)
def test_a_visit_is_torchs_training_of_one_person(
    model: str, factors: int, hidden: tuple[int, ...], adam: bool
) -> None:
    """The person has all items but one, so every negative is that one: nothing is left to chance."""
    shape, negatives, epochs, missing = ncf.shape_of(model, factors, hidden), 2, 4, 6
    start = weights_of(shape, 1)
    own = np.array([item for item in range(ITEMS) if item != missing], np.int32)
    recipe = local.Recipe(negatives, epochs, 1000, RATE, adam)
    desk, user = local.desk(shape, recipe, ITEMS, len(own)), start.users.copy()
    keys = local.Keys(np.uint64(1), np.uint64(2))
    instances, used = local.train_person(
        shape, recipe, keys, 0, 0, own, user, start.items, start.network, desk
    )
    assert instances == len(own) * (1 + negatives)
    assert sorted(desk.rows[:used].tolist()) == list(range(ITEMS))
    items = start.items.copy()
    items[desk.rows[:used]] = desk.table[:used]
    everything = np.concatenate([own, np.full(len(own) * negatives, missing)]).astype(np.int32)
    label = (everything != missing).astype(np.float32)
    batch = Batch(np.zeros(len(everything), np.int32), everything, label)
    theirs = trained_by_torch(shape, start, [batch] * epochs, adam)
    assert_same(Weights(user, items, desk.network), theirs)
