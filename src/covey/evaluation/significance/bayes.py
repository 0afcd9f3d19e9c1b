"""The Bayesian correlated t-test: how probable it is that a difference is too small to matter."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from covey.errors import ConfigError
from covey.evaluation.significance.differences import Values, differences, spread


@dataclass(frozen=True)
class Posterior:
    """What is known of the mean difference afterwards: Student's t, moved to `mean` and stretched by `scale`."""

    mean: float
    scale: float  # 0 where all repeats differ by the same number
    df: int
    rope: float  # differences from -rope to rope are practically none
    worse: float  # probability that the first is lower by more than the rope
    equal: float  # that the difference lies inside it
    better: float

    def density(self, at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The posterior's density; only where `scale` is above 0."""
        z = (np.asarray(at, np.float64) - self.mean) / self.scale
        factor = math.lgamma((self.df + 1) / 2) - math.lgamma(self.df / 2) - 0.5 * math.log(self.df * math.pi)
        return np.exp(factor - (self.df + 1) / 2 * np.log1p(z**2 / self.df)) / self.scale

    def interval(self, share: float = 0.95) -> tuple[float, float]:
        """The middle stretch that holds this share of the probability."""
        from scipy.special import stdtrit

        reach = self.scale * float(stdtrit(self.df, (1 + share) / 2))
        return self.mean - reach, self.mean + reach


def bayesian_correlated(first: Values, second: Values, *, rope: float, correlation: float) -> Posterior:
    """The posterior of first less second over repeats that share data (Corani and Benavoli, 2015), by baycomp.

    `correlation` between repeats is test rows / (test rows + training rows): 0.2 for repeated 80/20 splits, 1/n
    for one cross-validation of n folds. `rope` is in the values' own unit. Values that are differences already
    are tested against zeros.
    """
    if not (rope > 0 and math.isfinite(rope)):
        raise ConfigError(f"rope must be above 0 and finite, got {rope:g}; 0.01 is a point of a share")
    if not 0 <= correlation < 1:
        raise ConfigError(f"correlation must be at least 0 and below 1, got {correlation:g}")
    found = differences(first, second)
    n, mean = len(found), float(found.mean())
    # baycomp's own front counts folds and so knows no share of test rows but 1/n; its posterior takes any.
    scale = spread(found) * math.sqrt(1 / n + correlation / (1 - correlation))
    posterior = _posterior_type()(mean, scale**2, n - 1, rope)
    worse, equal, better = (float(p) for p in posterior.probs())
    return Posterior(mean, scale, n - 1, rope, worse, max(0.0, equal), better)


def _posterior_type() -> type:
    try:
        from baycomp.single import Posterior as OfBaycomp
    except ImportError:
        raise ConfigError(
            "the Bayesian test needs baycomp, which is not installed; pip install 'covey[compare]'"
        ) from None
    return OfBaycomp
