"""The BPR kernel: a step by hand, the slope of the likelihood, visits as the pseudocode has them, coins as promised."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.models import bpr
from covey.random import stream
from covey.types import Floats

KEYS = bpr.Keys(np.uint64(3), np.uint64(4))


def recipe(**choices: Any) -> bpr.Recipe:
    usual = {"triples": 1, "learning_rate": 0.5, "regularization": 0.0, "negative_regularization": 0.0,
             "bias_regularization": 0.0, "slope_levels": 0}  # fmt: skip
    return bpr.Recipe(**{**usual, **choices})


def floats(*numbers: float) -> Floats:
    return np.array(numbers, np.float32)


def test_a_step_by_hand() -> None:
    """p = (1, 2), q_i = (3, 0) with bias 1, q_j = (0, 2) with bias 0: the lead is 4 - 4 = 0, so the slope is 1/2."""
    user, liked, other = floats(1, 2), floats(3, 0, 1), floats(0, 2, 0)
    assert bpr.slope_of(user, liked, other) == 0.5
    mine = recipe(regularization=0.125, negative_regularization=0.0625, bias_regularization=0.25)
    changes = np.zeros((2, 3), np.float32)
    half = np.float32(0.5)
    bpr.step(mine, half, half, user, liked, other, changes[0], changes[1])
    assert changes[0].tolist() == [0.5 * 1 - 0.125 * 3, 0.5 * 2, 0.5 - 0.25 * 1]
    assert changes[1].tolist() == [-0.5 * 1, -0.5 * 2 - 0.0625 * 2, -0.5]
    assert user.tolist() == [1 + 0.5 * (0.5 * 3 - 0.125 * 1), 2 + 0.5 * (0.5 * -2 - 0.125 * 2)]
    assert liked.tolist() == [3 + 0.5 * 0.125, 0.5, 1 + 0.5 * 0.25]
    assert other.tolist() == [-0.25, 2 + 0.5 * -1.125, -0.25]


@pytest.mark.parametrize("factors", [1, 3, 4, 7, 20])
def test_a_change_is_the_slope_of_the_regularized_likelihood(factors: int) -> None:
    """Of ln sigmoid(x_ui - x_uj) less half of lambda times the squares, by differences in double precision."""
    rows = stream(1, "bpr", factors).uniform(-1, 1, (3, factors + 1))
    decays = (0.03, 0.03, 0.02, 0.01)  # person, liked, other, biases

    def objective(rows: np.ndarray) -> float:
        user, liked, other = rows[0, :-1], rows[1], rows[2]
        lead = user @ (liked - other)[:-1] + liked[-1] - other[-1]
        squares = [
            user @ user,
            liked[:-1] @ liked[:-1],
            other[:-1] @ other[:-1],
            liked[-1] ** 2 + other[-1] ** 2,
        ]
        return -math.log1p(math.exp(-lead)) - 0.5 * sum(map(np.multiply, decays, squares))

    user, liked, other = rows[0, :-1].astype(np.float32), *rows[1:].astype(np.float32)
    mine = recipe(regularization=0.03, negative_regularization=0.02, bias_regularization=0.01)
    slope, changes, before = (
        bpr.slope_of(user, liked, other),
        np.zeros((2, factors + 1), np.float32),
        user.copy(),
    )
    bpr.step(mine, slope, slope, user, liked, other, changes[0], changes[1])
    found = np.vstack([np.append((user - before) / 0.5, 0), changes])
    for at in np.ndindex(rows.shape):
        if at == (0, factors):
            continue  # a person has no bias
        nudge = np.zeros_like(rows)
        nudge[at] = 1e-6
        expected = (objective(rows + nudge) - objective(rows - nudge)) / 2e-6
        assert found[at] == pytest.approx(expected, rel=1e-4, abs=2e-6)


@given(st.sets(st.integers(0, 30)), st.integers(0, 30))
def test_a_list_has_what_is_in_it(items: set[int], item: int) -> None:
    assert bpr.has(np.array(sorted(items), np.int32), item) == (item in items)


def test_the_other_item_is_any_that_the_person_does_not_have() -> None:
    generator, positives = np.ones(1, np.uint64), np.array([0, 2, 3], np.int32)
    drawn = np.bincount([bpr.draw_other(positives, 6, generator) for _ in range(6000)], minlength=6)
    assert drawn[positives].sum() == 0
    assert drawn[[1, 4, 5]].min() > 1850  # 2000 each; 3.4 standard deviations


@given(st.floats(0, 1, width=32), st.integers(1, 1000), st.integers(0, 2**64 - 1))
def test_a_rounded_slope_is_a_neighbouring_level(slope: float, levels: int, state: int) -> None:
    told = bpr.told_slope(np.float32(slope), levels, np.array([state], np.uint64))
    assert abs(told - slope) <= 1 / levels + 1e-6
    assert round(float(told) * levels) == pytest.approx(float(told) * levels, abs=1e-4)
    assert 0 <= told <= 1


def test_rounded_slopes_are_right_on_average_and_exact_without_levels() -> None:
    generator = np.ones(1, np.uint64)
    told = [bpr.told_slope(np.float32(0.3), 1, generator) for _ in range(10_000)]
    assert set(told) == {0.0, 1.0}
    assert np.mean(told) == pytest.approx(0.3, abs=0.02)
    assert bpr.told_slope(np.float32(0.3), 0, generator) == np.float32(0.3)


def test_everybodys_items_are_ascending_and_each_once() -> None:
    offsets, items = np.array([0, 3, 3, 7]), np.array([5, 1, 5, 4, 0, 3, 1], np.int32)
    starts, distinct = bpr.liked_items(offsets, items, 6)
    assert starts.tolist() == [0, 2, 2, 6]
    assert distinct.tolist() == [1, 5, 0, 1, 3, 4]


# --- a visit ---

ITEMS, FACTORS = 12, 5
MINE = np.array([1, 4, 7, 8], np.int32)


def visit(
    share: float, number: int = 0, positives: np.ndarray = MINE, **choices: Any
) -> tuple[dict[int, Any], Floats]:
    """What may leave, item -> change, and the person's vector afterwards."""
    mine = recipe(learning_rate=0.1, regularization=0.02, negative_regularization=0.01, **choices)
    items, user = table(), stream(2, "user").uniform(-1, 1, FACTORS).astype(np.float32)
    desk = bpr.desk(mine, ITEMS, FACTORS + 1)
    used = bpr.train_person(mine, KEYS, share, 0, number, positives, user, items, desk)
    assert (desk.slot == -1).all()  # clean for the next person
    assert items.tobytes() == table().tobytes()
    assert len(set(desk.rows[:used].tolist())) == used
    return dict(zip(desk.rows[:used].tolist(), desk.changes[:used].copy(), strict=True)), user


def table() -> Floats:
    return stream(2, "items").uniform(-1, 1, (ITEMS, FACTORS + 1)).astype(np.float32)


def test_a_visit_of_one_triple_sends_an_own_item_and_another() -> None:
    for number in range(20):
        sent, _ = visit(1.0, number)
        assert [item in MINE for item in sent] == [True, False]


def test_a_visit_of_many_triples_steps_its_own_copies_and_adds_up_the_changes() -> None:
    """The moves of a row over a visit are alpha times the sum of its changes, for the row moved by each of them."""
    sent, _ = visit(1.0, triples=40)
    assert set(MINE.tolist()) < set(sent)
    mine = recipe(triples=40, learning_rate=0.1, regularization=0.02, negative_regularization=0.01)
    items, user = table(), stream(2, "user").uniform(-1, 1, FACTORS).astype(np.float32)
    desk = bpr.desk(mine, ITEMS, FACTORS + 1)
    used = bpr.train_person(mine, KEYS, 1.0, 0, 0, MINE, user, items, desk)
    moved = desk.table[:used] - items[desk.rows[:used]]
    np.testing.assert_allclose(moved, 0.1 * desk.changes[:used], rtol=1e-4, atol=1e-6)


def test_at_home_everything_is_learned_whatever_leaves() -> None:
    assert visit(0.0, triples=9)[1].tobytes() == visit(1.0, triples=9)[1].tobytes()


def test_a_share_of_nothing_lets_no_own_item_out_and_all_others() -> None:
    for number in range(50):
        everything, hidden = visit(1.0, number, triples=6)[0], visit(0.0, number, triples=6)[0]
        assert set(hidden) == set(everything) - set(MINE.tolist())
        assert all(hidden[item].tobytes() == everything[item].tobytes() for item in hidden)


@pytest.mark.parametrize("triples", [1, 30])
def test_an_own_item_leaves_with_probability_pi_however_often_it_was_drawn(triples: int) -> None:
    one = np.array([4], np.int32)
    left = [4 in visit(0.3, number, one, triples=triples)[0] for number in range(2000)]
    assert np.mean(left) == pytest.approx(0.3, abs=0.035)


@pytest.mark.parametrize("positives", [[], list(range(ITEMS))])
def test_who_has_nothing_or_everything_can_form_no_triple(positives: list[int]) -> None:
    sent, user = visit(1.0, 0, np.array(positives, np.int32))
    assert sent == {}
    assert user.tobytes() == stream(2, "user").uniform(-1, 1, FACTORS).astype(np.float32).tobytes()


# --- a central epoch ---


def test_an_epoch_has_as_many_steps_as_there_are_positives_and_skips_who_has_everything() -> None:
    """The biases tell: without regularization each step adds its slope to one and takes it from another."""
    offsets, positives = bpr.liked_items(np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2], np.int32), 3)
    person = np.array([0, 0, 1, 1, 1], np.int32)
    users, items = np.zeros((2, 2), np.float32), np.zeros((3, 3), np.float32)
    bits = bpr.own_bits(person, positives, 2, 3)
    bpr.train_epoch(
        recipe(learning_rate=1e-3), np.uint64(1), 0, person, offsets, positives, bits, users, items
    )
    assert items[:, 2].sum() == pytest.approx(0, abs=1e-9)
    assert items[2, 2] < 0  # nobody else has it, and who has it has everything
    steps = -items[2, 2] / (0.5 * 1e-3)
    assert 1 <= round(float(steps)) <= 5
    assert not users.any()


def test_bits_of_what_everybody_has_change_no_bit_of_an_epoch() -> None:
    owned = stream(6, "owned").uniform(size=(9, 19)) < 0.4
    person, item = (found.astype(np.int32) for found in np.nonzero(owned))
    offsets, positives = bpr.liked_items(np.searchsorted(person, np.arange(10)), item, 19)
    tables = []
    for largest in (0, bpr.LARGEST_BITS):
        bits = bpr.own_bits(person, positives, 9, 19, largest)
        assert bits.shape == ((9, 3) if largest else (0, 3))
        users, items = (
            stream(7, name).normal(size=(rows, 5)).astype(np.float32) for name, rows in (("u", 9), ("i", 19))
        )
        bpr.train_epoch(
            recipe(), np.uint64(1), 0, person, offsets, positives, bits, users[:, :4].copy(), items
        )
        tables.append(items.tobytes())
    assert tables[0] == tables[1]
    unpacked = np.unpackbits(bits, axis=1, bitorder="little")[:, :19]
    np.testing.assert_array_equal(unpacked, owned)
