"""Laws of an audit's own arithmetic, each with an example by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.audit.estimates import area_under_roc, estimate
from covey.audit.exposed import Ratings
from covey.audit.knowledge import SHARES, WAYS, known_at, known_by_share, turns
from covey.audit.reconstruction import errors
from covey.audit.regression import STRENGTHS, fit, pooled_and_apart
from covey.random import stream

SMALL = Ratings(np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32), np.array([3.0, 4.0, 5.0]))
SCORES = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=20)


@given(SCORES)
def test_the_area_is_how_often_a_positive_beats_a_negative_and_turns_round_with_the_scores(pairs):
    scores, positive = np.array([float(s) for s, _ in pairs]), np.array([p for _, p in pairs])
    wins = [(a > b) + (a == b) / 2 for a in scores[positive].tolist() for b in scores[~positive].tolist()]
    area = area_under_roc(scores, positive)
    if wins:
        assert area == pytest.approx(np.mean(wins))
        assert area_under_roc(-scores, positive) == pytest.approx(1 - area)
    else:
        assert np.isnan(area)


def test_the_interval_of_1_2_and_3_is_that_of_students_table():
    found = estimate(np.array([1.0, 2.0, 3.0, np.nan]))
    # 4.303 is the table's value for two degrees of freedom; the standard error is 1 / sqrt(3).
    assert (found.mean, found.over) == (2, 3)
    assert found.high == pytest.approx(2 + 4.303 / 3**0.5, abs=1e-3)
    assert found.low == pytest.approx(2 - 4.303 / 3**0.5, abs=1e-3)


def test_a_mean_over_two_groups_is_not_told():
    assert estimate(np.array([1.0, 2.0])) is None


@given(st.integers(0, 99), st.sampled_from(WAYS), st.integers(1, 6), st.integers(1, 6))
def test_who_knows_more_knows_all_of_what_who_knows_less_does(seed, way, people, items):
    person = np.repeat(np.arange(people, dtype=np.int32), items)
    ratings = Ratings(person, np.tile(np.arange(items, dtype=np.int32), people), np.ones(people * items))
    known = known_by_share(turns(way, ratings, stream(seed, "turns")))
    assert known[0].any()
    assert known[-1].all()
    assert all((less <= more).all() for less, more in pairwise(known))


def test_everything_of_a_person_or_of_an_item_becomes_known_at_once():
    assert len(set(turns("people", SMALL, stream(1, "a"))[:2])) == 1
    assert len(set(turns("items", SMALL, stream(1, "a"))[1:])) == 1
    assert len(set(turns("ratings", SMALL, stream(1, "a")))) == 3


def test_a_share_is_rounded_up_and_never_by_a_hair():
    twenty = np.arange(20)
    assert [int(known_at(twenty, share).sum()) for share in SHARES] == list(range(1, 21))
    assert int(known_at(np.arange(3), 0.05).sum()) == 1


def test_errors_by_hand():
    guess = np.array([[3.0, 2.0], [0.0, 4.0]])
    printed, root, known, unknown = errors(SMALL, guess, np.array([True, True, False]))
    # Squared errors 0, 4 and 1; squared ratings 9, 16 and 25.
    assert printed == pytest.approx(5 / 50)
    assert root == pytest.approx(0.1**0.5)
    assert known == pytest.approx((4 / 25) ** 0.5)
    assert unknown == pytest.approx((1 / 25) ** 0.5)


def test_the_error_on_what_is_not_known_is_no_number_when_everything_is_known():
    assert np.isnan(errors(SMALL, np.zeros((2, 2)), np.ones(3, bool))[3])


@given(st.integers(0, 99), st.integers(2, 6))
def test_leaving_a_row_out_in_closed_form_is_leaving_it_out(seed, rows):
    draws = stream(seed, "rows")
    features, target = draws.normal(size=(rows, 2)), draws.normal(size=rows)
    slow = np.zeros(len(STRENGTHS))
    for row in range(rows):
        others = np.arange(rows) != row
        for at, strength in enumerate(STRENGTHS):
            gram = features[others].T @ features[others] + strength * np.eye(2)
            weights = np.linalg.solve(gram, features[others].T @ target[others])
            slow[at] += (target[row] - features[row] @ weights) ** 2
    assert fit(features, target).left_out == pytest.approx(slow, rel=1e-6)


def test_somebody_of_whom_nothing_is_known_has_everybodys_weights():
    features, person = np.array([[1.0], [1.0], [1.0]]), np.array([0, 0, 1], np.int32)
    weights = pooled_and_apart(features, np.array([4.0, 4.0, 4.0]), person, 3)
    assert weights[2] == pytest.approx([4 * 3 / 3.01])
