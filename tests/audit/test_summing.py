"""What sums say of one of the people in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.aggregation.sums import UpdateSum
from covey.audit import summing
from covey.audit.estimates import area_under_roc
from covey.audit.summing import Naming
from covey.random import stream


def sum_of(senders: list[int], people: int) -> UpdateSum:
    count = np.array(senders, np.int64)
    return UpdateSum(count[:, None] * 3, count, np.zeros(0, np.int64), 0, people)


def test_odds_by_hand():
    # Nine others, of whom 4 have the item: (4 + .5) / 10 = .45. Of 3 people 2 sent it; somebody with it always does,
    # nobody else ever: r = 2 (1 - .45) / (1 x .45), and the odds before are .45 / .55. Together 2 to 1.
    found = summing.odds(sum_of([2], 3), np.array([4.0]), 9, Naming(1.0, 0.0))
    assert found == pytest.approx([2])


def test_what_nobody_in_a_sum_sent_none_of_its_people_has():
    found = summing.odds(sum_of([0, 2], 4), np.array([5.0, 5.0]), 9, Naming(1.0, 0.2))
    assert found[0] == 0 < found[1]


def test_where_everybody_names_everything_the_sum_changes_no_odds():
    found = summing.odds(sum_of([4, 4], 4), np.array([1.0, 5.0]), 9, Naming(1.0, 1.0))
    assert found == pytest.approx([0.15 / 0.85, 0.55 / 0.45])


@given(st.lists(st.integers(0, 1), min_size=3, max_size=6), st.integers(0, 99))
def test_a_sum_less_the_same_without_one_person_is_that_persons_own(own, seed):
    others = stream(seed, "others").integers(0, 3, len(own)).tolist()
    whole = sum_of([a + b for a, b in zip(own, others, strict=True)], 4)
    assert summing.difference(whole, sum_of(others, 3)).equals(sum_of(own, 1))


def rounds(count: int, people: int, items: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Who was in each round, what its sum says of each item, and who has what."""
    draws = stream(count, "rounds")
    has = (draws.random((people, items)) < 0.3).astype(float)
    present = np.stack([np.isin(np.arange(people), draws.permutation(people)[:4]) for _ in range(count)])
    told = present @ has + noise * draws.normal(size=(count, items))
    return present.astype(float), told, has


def test_enough_sums_with_known_people_give_every_history_back():
    present, told, has = rounds(60, 12, 20, 0.0)
    found = summing.apart(present, told, 0.0, np.arange(12))
    np.testing.assert_allclose(found, has, atol=1e-2)


def test_few_and_noisy_sums_say_something_and_not_all():
    present, told, has = rounds(8, 12, 200, 0.3)
    found = summing.apart(present, told, 1.0, np.arange(12))
    area = np.mean([area_under_roc(f, h > 0) for f, h in zip(found, has, strict=True)])
    assert 0.55 < area < 0.95


def test_sums_of_everybody_in_each_round_tell_nobody_apart():
    present, has = np.ones((5, 6)), np.eye(6)
    found = summing.apart(present, present @ has, 0.0, np.arange(6))
    assert found == pytest.approx(np.full((6, 6), 1 / 6), abs=1e-3)


def test_both_forms_of_the_system_have_one_solution():
    present, told, _ = rounds(12, 12, 5, 0.5)
    wanted = np.array([3, 1])
    of_people = summing.apart(present, told, 2.0, wanted)
    # One person more, who is never there: fewer rounds than people, and so the other form.
    of_rounds = summing.apart(np.hstack([present, np.zeros((12, 1))]), told, 2.0, wanted)
    assert of_rounds == pytest.approx(of_people)
