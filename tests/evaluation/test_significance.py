"""Tests of differences: against scipy and baycomp, against examples worked by hand, and their laws."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from covey.errors import ConfigError
from covey.evaluation.significance import bayesian_correlated, holm, letters, paired_t, paired_tests
from covey.random import stream

A = [0.61, 0.64, 0.60, 0.66, 0.63]
B = [0.60, 0.61, 0.60, 0.62, 0.61]


def samples(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draws = stream(seed, "significance")
    first = draws.normal(size=count)
    return first, first + draws.normal(0.2, 1.0, size=count)


# --- Student's test ---


def test_student_by_hand():
    # Differences 1, 3, 0, 4, 2 hundredths: mean 2, deviations -1 1 -2 2 0, so s^2 = 10 / 4 and s = 1.5811.
    # t = 2 / (1.5811 / sqrt 5) = 2.8284, with 4 degrees of freedom; the table's t for 97.5% is 2.7764.
    test = paired_t(A, B)
    assert (test.count, test.df) == (5, 4)
    assert test.difference == pytest.approx(0.02)
    assert test.sd == pytest.approx(0.015811, abs=1e-6)
    assert test.t == pytest.approx(8**0.5)
    assert test.effect == pytest.approx(2 / 2.5**0.5)
    assert (test.low, test.high) == pytest.approx(
        (0.02 - 2.7764 * 0.0070711, 0.02 + 2.7764 * 0.0070711), abs=1e-6
    )
    assert test.p == pytest.approx(0.0474, abs=1e-4)


@pytest.mark.parametrize("count", [2, 3, 30, 6040])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_student_is_scipys(count: int, level: float):
    a, b = samples(count)
    ours, theirs = paired_t(a, b, level=level), stats.ttest_rel(a, b)
    assert (ours.t, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval(level)))


def test_overlap_widens_by_the_formula_of_nadeau_and_bengio():
    # Five repeats of an 80/20 split: the variance of the mean is (1/5 + 1/4) s^2 instead of s^2 / 5.
    plain, corrected = paired_t(A, B), paired_t(A, B, overlap=0.25)
    assert corrected.t == pytest.approx(plain.t * (0.2 / 0.45) ** 0.5)
    assert corrected.high - corrected.difference == pytest.approx(
        (plain.high - plain.difference) * (0.45 / 0.2) ** 0.5
    )
    assert corrected.p == pytest.approx(2 * stats.t.sf(corrected.t, 4))
    assert corrected.effect == plain.effect, "the effect is of the differences, not of their mean's error"


def test_equal_values_are_no_difference_and_a_constant_one_is_certain():
    same = paired_t(A, A)
    assert (same.difference, same.t, same.p, same.effect, same.low, same.high) == (0, 0, 1, 0, 0, 0)
    shifted = paired_t([0.5, 0.75, 1.0], [0.25, 0.5, 0.75])
    assert (shifted.difference, shifted.p, shifted.t) == (0.25, 0, float("inf"))
    assert paired_t([0.25, 0.5], [0.5, 0.75]).t == -float("inf")


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=20))
def test_turning_a_pair_around_turns_the_signs_and_keeps_p(pairs: list[tuple[int, int]]):
    a, b = [a for a, _ in pairs], [b for _, b in pairs]
    ahead, behind = paired_t(a, b), paired_t(b, a)
    assert ahead.p == pytest.approx(behind.p)
    assert (ahead.difference, ahead.effect, ahead.low) == pytest.approx(
        (-behind.difference, -behind.effect, -behind.high)
    )
    assert 0 <= ahead.p <= 1
    assert ahead.low <= ahead.difference <= ahead.high


def test_all_pairs_are_tested_once_and_corrected_together():
    c = [value - 0.05 for value in B]
    pairs = paired_tests({"a": A, "b": B, "c": c})
    assert [(pair.first, pair.second) for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.test for pair in pairs] == [paired_t(A, B), paired_t(A, c), paired_t(B, c)]
    assert [pair.adjusted_p for pair in pairs] == holm([pair.test.p for pair in pairs])
    assert [(pair.first, pair.second) for pair in paired_tests({"a": A, "b": B, "c": c}, against="b")] == [
        ("b", "a"),
        ("b", "c"),
    ]
    assert paired_tests({"a": A}) == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: paired_t([1.0], [2.0]), "at least 2 pairs of values, got 1"),
        (lambda: paired_t(A, A[:3]), "got 5 and 3"),
        (lambda: paired_t(np.ones((2, 2)), np.ones((2, 2))), "got 2x2"),
        (lambda: paired_t([1.0, float("nan")], [1.0, 2.0]), "finite values, got nan"),
        (lambda: paired_t(A, B, overlap=-1), "overlap must be at least 0"),
        (lambda: paired_t(A, B, level=95), "level must lie between 0 and 1, got 95"),
        (lambda: paired_tests({"ann": A, "bob": B}, against="anne"), "did you mean 'ann'"),
        (lambda: holm([0.5, 1.5]), "from 0 to 1, got 1.5"),
        (lambda: bayesian_correlated(A, B, rope=0, correlation=0.2), "rope must be above 0"),
        (
            lambda: bayesian_correlated(A, B, rope=0.01, correlation=1),
            "correlation must be at least 0 and below 1",
        ),
        (lambda: bayesian_correlated(A[:1], B[:1], rope=0.01, correlation=0.2), "at least 2 pairs"),
    ],
)
def test_what_cannot_be_tested_is_said_in_a_sentence(call, said: str):
    with pytest.raises(ConfigError, match=said):
        call()


# --- several tests at once ---


def test_holm_by_hand():
    # .01 x 4 = .04; .02 x 3 = .06; .03 x 2 = .06; .5 x 1. In order: never below the one before.
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert holm([0.4, 0.9]) == pytest.approx([0.8, 0.9])
    assert holm([0.6, 0.9]) == [1, 1]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_rejects_what_the_stepwise_procedure_rejects(ps: list[float]):
    rejected: set[int] = set()
    for done, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if ps[place] * (len(ps) - done) > 0.05:
            break
        rejected.add(place)
    adjusted = holm(ps)
    assert {n for n, p in enumerate(adjusted) if p <= 0.05} == rejected
    assert all(before <= after <= 1 for before, after in zip(ps, adjusted, strict=True))


# --- letters ---


def test_letters_by_hand():
    assert letters(["a", "b", "c"], {("a", "c")}) == {"a": "a", "b": "ab", "c": "b"}
    assert letters(["a", "b", "c"], set()) == {"a": "a", "b": "a", "c": "a"}
    assert letters(["a", "b", "c"], {("b", "a"), ("a", "c"), ("c", "b")}) == {"a": "a", "b": "b", "c": "c"}
    assert letters([], set()) == {}


@given(st.data())
def test_two_names_share_a_letter_exactly_if_they_cannot_be_told_apart(data: st.DataObject):
    names = [f"n{n}" for n in range(data.draw(st.integers(1, 7)))]
    pairs = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
    apart = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    found = letters(names, apart)
    for a, b in pairs:
        assert bool(set(found[a]) & set(found[b])) == ((a, b) not in apart)
    assert found[names[0]].startswith("a")


# --- the Bayesian test ---


@pytest.mark.parametrize("rope", [0.001, 0.01, 0.1])
def test_with_one_cross_validation_it_is_baycomps(rope: float):
    baycomp = pytest.importorskip("baycomp")
    ours = bayesian_correlated(A, B, rope=rope, correlation=1 / len(A))
    # baycomp looks at the second less the first.
    worse, equal, better = baycomp.two_on_single(np.array(B), np.array(A), rope)
    assert (ours.worse, ours.equal, ours.better) == pytest.approx((worse, equal, better))


def test_the_posterior_by_hand():
    pytest.importorskip("baycomp")
    # s = 1.5811 hundredths over five repeats of an 80/20 split: scale = s sqrt(1/5 + .2/.8) = 1.0607 hundredths.
    # From the rope's edge at one hundredth to the mean at two are .9428 scales: t with 4 degrees gives .1996 below.
    ours = bayesian_correlated(A, B, rope=0.01, correlation=0.2)
    assert ours.scale == pytest.approx(0.010607, abs=1e-6)
    assert ours.better == pytest.approx(1 - 0.1996, abs=1e-4)
    assert ours.worse + ours.equal + ours.better == pytest.approx(1)
    assert (ours.better, ours.worse) == pytest.approx(
        (stats.t.sf(0.01, 4, 0.02, ours.scale), stats.t.cdf(-0.01, 4, 0.02, ours.scale))
    )


def test_its_density_and_interval_are_those_of_students_t():
    pytest.importorskip("baycomp")
    ours = bayesian_correlated(A, B, rope=0.01, correlation=0.2)
    at = np.linspace(-0.05, 0.09, 7)
    assert ours.density(at) == pytest.approx(stats.t.pdf(at, 4, ours.mean, ours.scale))
    assert ours.interval(0.9) == pytest.approx(stats.t.interval(0.9, 4, ours.mean, ours.scale))


def test_without_any_spread_the_difference_is_certain():
    pytest.importorskip("baycomp")
    certain = bayesian_correlated([0.5, 0.75], [0.25, 0.5], rope=0.1, correlation=0.2)
    assert (certain.worse, certain.equal, certain.better, certain.scale) == (0, 0, 1, 0)
    same = bayesian_correlated(A, A, rope=0.1, correlation=0.2)
    assert (same.worse, same.equal, same.better) == (0, 1, 0)


def test_without_baycomp_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "baycomp.single", None)
    with pytest.raises(ConfigError, match=r"needs baycomp.*covey\[compare\]"):
        bayesian_correlated(A, B, rope=0.01, correlation=0.2)
