"""Student's paired t-test, plain or with the variance of repeats that share data, for one pair or for all."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from covey.errors import ConfigError, unknown
from covey.evaluation.significance.corrections import holm
from covey.evaluation.significance.differences import Values, differences, spread


@dataclass(frozen=True)
class PairedTest:
    """One comparison: first less second."""

    count: int  # pairs of values
    difference: float  # their mean
    sd: float  # sample standard deviation of the differences
    low: float  # the interval of confidence around the mean
    high: float
    t: float  # infinite where all differences are the same number other than 0
    df: int
    p: float  # two-sided
    effect: float  # Cohen's d_z: the mean difference in standard deviations of the differences


@dataclass(frozen=True)
class Pair:
    """One of several comparisons."""

    first: str
    second: str
    test: PairedTest
    adjusted_p: float  # after Holm's correction over all of them


def paired_t(first: Values, second: Values, *, overlap: float = 0.0, level: float = 0.95) -> PairedTest:
    """The paired t-test of first against second; `overlap` 0 is Student's.

    Repeats over one dataset train on much the same rows, so their differences are not independent and Student's
    variance is too small. `overlap` is test rows / training rows: the variance of the mean is then
    (1/n + overlap) s^2 (Nadeau and Bengio, Inference for the Generalization Error, 2003).
    """
    # Light beside scipy.stats, and still not to be paid for by who only evaluates.
    from scipy.special import stdtr, stdtrit

    if not 0 <= overlap < math.inf:
        raise ConfigError(f"overlap must be at least 0 and finite, got {overlap:g}")
    if not 0 < level < 1:
        raise ConfigError(f"level must lie between 0 and 1, got {level:g}; 0.95 is usual")
    found = differences(first, second)
    n, mean, sd = len(found), float(found.mean()), spread(found)
    error = sd * math.sqrt(1 / n + overlap)
    if error > 0:
        t = mean / error
        p = float(2 * stdtr(n - 1, -abs(t)))
        effect = mean / sd
    else:
        t = effect = math.copysign(math.inf, mean) if mean else 0.0
        p = 0.0 if mean else 1.0
    reach = error * float(stdtrit(n - 1, (1 + level) / 2))
    return PairedTest(n, mean, sd, mean - reach, mean + reach, t, n - 1, p, effect)


def paired_tests(
    values: Mapping[str, Values], *, against: str | None = None, overlap: float = 0.0, level: float = 0.95
) -> list[Pair]:
    """The test of every pair of names, or of one name against each other one, with Holm's correction over them.

    The intervals are those of single tests; only p is corrected.
    """
    if against is not None and against not in values:
        raise unknown("name to test against", against, values)
    named = (
        list(combinations(values, 2))
        if against is None
        else [(against, other) for other in values if other != against]
    )
    tests = [paired_t(values[a], values[b], overlap=overlap, level=level) for a, b in named]
    adjusted = holm([test.p for test in tests])
    return [Pair(a, b, test, p) for (a, b), test, p in zip(named, tests, adjusted, strict=True)]
