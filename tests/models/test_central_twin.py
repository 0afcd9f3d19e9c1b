"""The central twin: everybody's instances in one shuffled epoch, and a loss that falls."""

import numpy as np
import pytest
from ncf_by_hand import Batch, Weights, loss

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
    for number in range(40):
        steps = central.train_epoch(shape, tables, *epoch(number), 16, 0.02, True, steps, room)
    assert loss(shape, weights, epoch(99)) < 0.6 * fresh
