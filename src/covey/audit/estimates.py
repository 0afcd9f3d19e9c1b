"""Means over groups or people with what is uncertain about them, and the area under a ROC curve."""

import math

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from scipy.stats import t as student

from covey.runs.audited import Estimate

Reals = npt.NDArray[np.float64]

# A mean over fewer would be close to one group's own figure, and an audit holds no group's own figures.
FEWEST = 3


def estimate(values: Reals) -> Estimate | None:
    """The mean of the values that are numbers and its 95% interval by Student's t; None of fewer than FEWEST."""
    known = values[np.isfinite(values)]
    if len(known) < FEWEST:
        return None
    mean = float(known.mean())
    half = float(student.ppf(0.975, len(known) - 1) * known.std(ddof=1)) / math.sqrt(len(known))
    return Estimate(mean, mean - half, mean + half, len(known))


def area_under_roc(scores: Reals, positive: npt.NDArray[np.bool_]) -> float:
    """How often a positive scores higher than a negative, ties counting half; NaN where either is missing."""
    count = int(positive.sum())
    others = len(positive) - count
    if count == 0 or others == 0:
        return math.nan
    ranks = rankdata(scores)
    return float((ranks[positive].sum() - count * (count + 1) / 2) / (count * others))
