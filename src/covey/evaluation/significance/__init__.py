"""Whether a difference between two systems is more than luck: pure functions over paired values.

    test = paired_t(ours, theirs)                       # one pair: difference, interval, effect, p
    pairs = paired_tests({"fcf": a, "fedncf": b, ...})  # every pair, with Holm's correction of the p values
    paired_t(ours, theirs, overlap=0.25)                # over repeats that share data: Nadeau and Bengio's variance
    posterior = bayesian_correlated(ours, theirs, rope=0.01, correlation=0.2)
    posterior.worse, posterior.equal, posterior.better  # add up to 1
    letters(["fcf", "fedncf", "most-popular"], {("fcf", "most-popular"), ("fedncf", "most-popular")})

Values are paired by place: the same person, or the same repeat, at the same place of both. A difference is always
the first less the second.
"""

from covey.evaluation.significance.bayes import Posterior, bayesian_correlated
from covey.evaluation.significance.corrections import holm
from covey.evaluation.significance.letters import letters
from covey.evaluation.significance.paired import Pair, PairedTest, paired_t, paired_tests

__all__ = [
    "Pair",
    "PairedTest",
    "Posterior",
    "bayesian_correlated",
    "holm",
    "letters",
    "paired_t",
    "paired_tests",
]
