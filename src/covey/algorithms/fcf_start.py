"""Where the factors of a federation and of its central twin start: at the same numbers."""

import numpy as np

from covey.random import stream
from covey.types import ItemFactors


def first_factors(item_count: int, width: int, spread: float, biased: bool, seed: int) -> ItemFactors:
    """Normally distributed factors; the last column is zero where it holds biases."""  # [items, width]
    factors = stream(seed, "items").normal(0, spread, (item_count, width)).astype(np.float32)
    if biased:
        factors[:, -1] = 0
    return factors
