"""One person's visit: what is drawn, what is touched, and what stays as it was."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms.ncf_scorer import NcfScorer
from covey.models import local, ncf
from covey.random import stream

ITEMS = 12
SHAPE = ncf.shape_of("neumf", 3, (5, 2))
KEYS = local.Keys(np.uint64(11), np.uint64(12))


class Visit(NamedTuple):
    instances: int
    rows: list[int]  # items touched, in increasing order
    user: Any
    items: Any  # the whole table afterwards
    network: Any


def visit(
    positives: list[int],
    *,
    person: int = 0,
    number: int = 0,
    start: Visit | None = None,
    desk: Any = None,
    **recipe: Any,
) -> Visit:
    """A visit by somebody with these items, to a NeuMF with fixed weights or to where another visit ended."""
    plan = local.Recipe(**{**_RECIPE, **recipe})
    user, items, network = start[2:] if start else _first()
    desk = desk or desk_for(len(positives), **recipe)
    user = user.copy()
    before = (items.copy(), network.copy())
    instances, used = local.train_person(
        SHAPE, plan, KEYS, person, number, np.array(positives, np.int32), user, items, network, desk
    )
    assert items.tobytes() == before[0].tobytes(), "a visit must not change the shared model"
    assert network.tobytes() == before[1].tobytes()
    after = items.copy()
    after[desk.rows[:used]] = desk.table[:used]
    rows = desk.rows[:used].tolist()
    assert len(set(rows)) == used
    return Visit(instances, sorted(rows), user, after, desk.network.copy())


_RECIPE: dict[str, Any] = {
    "negatives": 2,
    "local_epochs": 1,
    "batch_size": 4,
    "learning_rate": 0.05,
    "adam": False,
}


def desk_for(largest: int, **recipe: Any) -> local.Desk:
    return local.desk(SHAPE, local.Recipe(**{**_RECIPE, **recipe}), ITEMS, largest)


def _first() -> tuple[Any, Any, Any]:
    draws = stream(1, "one visit")
    sizes = [(1, SHAPE.width), (ITEMS, SHAPE.width), (SHAPE.network_size,)]
    user, items, network = (draws.uniform(0.1, 0.8, size).astype(np.float32) for size in sizes)
    return user, items, network


def same_bits(left: Visit, right: Visit) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(left[2:], right[2:], strict=True))


owned = st.sets(st.integers(0, ITEMS - 1), min_size=1).map(sorted)


@given(owned, st.integers(0, 5), st.integers(0, 2**64 - 1))
def test_each_positive_comes_once_with_its_negatives_and_no_negative_is_in_training(
    positives: list[int], negatives: int, state: int
) -> None:
    own = np.array(positives, np.int32)
    room = len(own) * (1 + negatives)
    slot, item, label = np.full(ITEMS, -1, np.int32), np.zeros(room, np.int32), np.zeros(room, np.float32)
    count = local.draw_instances(own, negatives, slot, item, label, np.array([state], np.uint64))
    liked, sampled = item[:count][label[:count] == 1], item[:count][label[:count] == 0]
    assert sorted(liked.tolist()) == positives
    assert not set(sampled.tolist()) & set(positives)
    assert len(sampled) == (0 if len(own) == ITEMS else len(own) * negatives)
    assert len(liked) + len(sampled) == count


def test_every_item_that_the_person_does_not_have_is_drawn_as_often() -> None:
    own, each = np.array([1, 5], np.int32), 400
    free = ITEMS - len(own)
    rounds = free * each // 2
    slot, item, label = np.full(ITEMS, -1, np.int32), np.zeros(4, np.int32), np.zeros(4, np.float32)
    generator, counts = np.array([9], np.uint64), np.zeros(ITEMS)
    for _ in range(rounds):
        slot[:] = -1
        local.draw_instances(own, 1, slot, item, label, generator)
        np.add.at(counts, item[label == 0], 1)
    assert counts[own].tolist() == [0, 0]
    chi_square = float(((np.delete(counts, own) - each) ** 2 / each).sum())
    assert chi_square < 9 + 4.5 * np.sqrt(2 * 9)


@given(owned, st.integers(0, 50))
def test_the_rows_that_move_are_those_that_the_visit_names(positives: list[int], number: int) -> None:
    done = visit(positives, number=number)
    _, before, _ = _first()
    moved = np.flatnonzero((done.items != before).any(axis=1)).tolist()
    assert moved == done.rows
    assert set(positives) <= set(done.rows)
    assert len(done.rows) <= done.instances


def test_other_visits_and_other_people_draw_other_negatives() -> None:
    drawn = {
        tuple(visit([0, 1], person=person, number=number).rows) for person in range(4) for number in range(4)
    }
    assert len(drawn) > 8
    assert same_bits(visit([0, 1], person=3, number=2), visit([0, 1], person=3, number=2))


def test_a_desk_remembers_nobody() -> None:
    """The next person's visit has the same bits at a used desk as at a fresh one."""
    desk = desk_for(ITEMS, adam=True, local_epochs=2)
    for positives in ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [3], [2, 9, 4]):
        used = visit(positives, desk=desk, adam=True, local_epochs=2)
        assert same_bits(used, visit(positives, adam=True, local_epochs=2))


def test_local_epochs_are_reshuffled() -> None:
    """Two epochs in one order would be one epoch after another with the same draws, bit by bit."""
    positives = [0, 3, 4, 7]
    once = visit(positives, batch_size=1)
    same_order = visit(positives, batch_size=1, start=once)
    twice = visit(positives, batch_size=1, local_epochs=2)
    assert twice.instances == once.instances  # instances count what a person has, not how often it was used
    assert twice.rows == same_order.rows  # negatives are drawn once a visit
    assert not same_bits(twice, same_order)
    np.testing.assert_allclose(twice.items, same_order.items, atol=0.02)


def test_somebody_without_rows_changes_nothing() -> None:
    done = visit([])
    user, items, network = _first()
    assert (done.instances, done.rows) == (0, [])
    assert same_bits(done, Visit(0, [], user, items, network))


@pytest.mark.parametrize("adam", [True, False])
def test_a_visit_brings_the_persons_items_up_and_the_others_down(adam: bool) -> None:
    positives = [0, 3, 4, 7]
    done = visit(positives, adam=adam, local_epochs=100, batch_size=64)
    first = Visit(0, [], *_first())
    assert _gap(done, positives) > _gap(first, positives) + 0.5


def _gap(state: Visit, positives: list[int]) -> float:
    """How much higher the person's own items score than the other touched ones."""
    scorer = NcfScorer(SHAPE, state.user, state.items, state.network)
    scores = scorer.everything(np.zeros(1, np.int32))[0]
    others = [item for item in range(ITEMS) if item not in positives]
    return float(scores[positives].mean() - scores[others].mean())
