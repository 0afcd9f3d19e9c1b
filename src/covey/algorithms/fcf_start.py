"""What a federation and its central twin have in common: the ranges of their keys, and the factors that they start at."""

from typing import Any

import numpy as np

from covey.algorithms.checks import at_least, between, one_of, positive
from covey.models import factorization as fz
from covey.random import stream
from covey.types import ItemFactors


def check_factorization(config: Any) -> None:
    """Raises unless the keys that both have are in range."""
    one_of("feedback", config.feedback, fz.FEEDBACK)
    between("factors", config.factors, 1, 1024)
    at_least("alpha", config.alpha, 0)
    one_of("weighing", config.weighing, fz.WEIGHINGS)
    at_least("regularization", config.regularization, 0)
    between("scaling", config.scaling, 0, 2)
    positive("spread", config.spread)


def first_factors(item_count: int, width: int, spread: float, biased: bool, seed: int) -> ItemFactors:
    """Normally distributed factors; the last column is zero where it holds biases."""  # [items, width]
    factors = stream(seed, "items").normal(0, spread, (item_count, width)).astype(np.float32)
    if biased:
        factors[:, -1] = 0
    return factors
