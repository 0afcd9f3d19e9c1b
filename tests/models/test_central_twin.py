"""The central twin: everybody's instances in one shuffled epoch, and a loss that falls."""

import numpy as np
import pytest
from ncf_by_hand import Batch, Weights, batch_of, loss, weights_of

from covey.models import central, ncf
from covey.random import stream
from covey.testing.towns import ITEMS, histories

# Two tastes: evens and odds.
LISTS = [[item for item in range(ITEMS) if item % 2 == person % 2 and item % 5] for person in range(8)]
TRAIN = histories(LISTS)


def epoch(number: int, negatives: int = 3) -> Batch:
    return Batch(*central.draw_everybody(TRAIN.offsets, TRAIN.item, ITEMS, negatives, number, np.uint64(4)))


def test_an_epoch_holds_everybodys_positives_once_and_negatives_that_nobody_has() -> None:
    person, item, label = epoch(0)
    own = set(zip(TRAIN.person.tolist(), TRAIN.item.tolist(), strict=True))
    pairs = list(zip(person.tolist(), item.tolist(), strict=True))
    liked = [pair for pair, one in zip(pairs, label, strict=True) if one]
    assert sorted(liked) == sorted(own)
    assert not {pair for pair, one in zip(pairs, label, strict=True) if not one} & own
    assert len(pairs) == 4 * len(own)


def test_people_are_mixed_and_every_epoch_is_drawn_anew() -> None:
    first, again, next_one = epoch(0), epoch(0), epoch(1)
    assert (np.diff(first.person) < 0).any()
    assert [part.tolist() for part in first] == [part.tolist() for part in again]
    assert first.item.tolist() != next_one.item.tolist()


@pytest.mark.parametrize("model", ncf.MODELS)
def test_the_loss_falls(model: str) -> None:
    shape = ncf.shape_of(model, 4, (8, 4))
    draws = stream(2, "central twin", model)
    sizes = [(TRAIN.people_count, shape.width), (ITEMS, shape.width), (shape.network_size,)]
    weights = Weights(*(draws.uniform(-0.5, 0.5, size).astype(np.float32) for size in sizes))
    fresh, steps = loss(shape, weights, epoch(99)), 0
    tables, room = central.tables_of(*weights, {}), ncf.workspace(shape, 16)
    recipe = central.Recipe(16, 0.02, True)
    for number in range(40):
        steps = central.train_epoch(shape, tables, *epoch(number), recipe, steps, room)
    assert loss(shape, weights, epoch(99)) < 0.6 * fresh


def steps_of(recipe: central.Recipe, epochs: int) -> tuple[list[Weights], central.Tables]:
    """GMF after each step where an epoch has two of them, trained by the recipe, and the tables at the end."""
    shape, batch = ncf.shape_of("gmf", 3, (4,)), batch_of(instances=10)
    weights = weights_of(shape)
    tables, room, half = (
        central.tables_of(*weights, {}),
        ncf.workspace(shape, 5),
        recipe._replace(averaging=0),
    )
    apart = Weights(*(part.copy() for part in weights))
    seen, parts = list[Weights](), central.tables_of(*apart, {})
    for epoch in range(epochs):
        central.train_epoch(shape, tables, *batch, recipe, 2 * epoch, room)
        for step in range(2):
            one = Batch(*(part[5 * step : 5 * step + 5] for part in batch))
            central.train_epoch(shape, parts, *one, half, 2 * epoch + step, room)
            seen.append(Weights(*(part.copy() for part in apart)))
    return seen, tables


def test_the_mean_is_plain_until_it_has_all_that_it_looks_back_over() -> None:
    seen, tables = steps_of(central.Recipe(5, 0.1, False, averaging=100.0), 3)
    for n in range(3):
        plain = np.mean([weights[n].reshape(-1) for weights in seen], axis=0)
        np.testing.assert_allclose(tables.means[n], plain, rtol=0, atol=1e-6)


def test_afterwards_the_newest_weights_count_their_share() -> None:
    """One epoch of two steps to look back over: (a + b) / 2, then half of it and half of c, and so on."""
    (a, b, c, d), tables = steps_of(central.Recipe(5, 0.1, True, averaging=1.0), 2)
    for n in range(3):
        expected = (((a[n] + b[n]) / 2 + c[n]) / 2 + d[n]) / 2
        np.testing.assert_allclose(tables.means[n], expected.reshape(-1), rtol=0, atol=1e-6)


def test_a_penalty_shrinks_a_row_as_often_as_it_is_read() -> None:
    shape, batch = ncf.shape_of("gmf", 3, (4,)), batch_of(instances=10)
    start = weights_of(shape)
    with_it, without = (Weights(*(part.copy() for part in start)) for _ in range(2))
    for weights, penalty in ((with_it, 0.4), (without, 0.0)):
        recipe = central.Recipe(10, 0.5, False, penalty)
        central.train_epoch(
            shape, central.tables_of(*weights, {}), *batch, recipe, 0, ncf.workspace(shape, 10)
        )
    for name, row in (("users", batch.person), ("items", batch.item)):
        read = np.bincount(row, minlength=len(getattr(start, name)))[:, None]
        expected = getattr(without, name) - 0.5 * 0.4 / 10 * read * getattr(start, name)
        np.testing.assert_allclose(getattr(with_it, name), expected, rtol=0, atol=1e-6)
    assert with_it.network.tolist() == without.network.tolist()
