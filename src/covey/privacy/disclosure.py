"""What people choose to disclose: for each a share pi, the probability that an update of an item they have leaves.

The choice is made at home and stays there. A simulation draws everybody's from the person's own stream.
"""

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models import draws
from covey.types import PersonIndex


class Choices(NamedTuple):
    """Between which shares people choose, each evenly; least and most are equal where all choose alike."""

    key: np.uint64
    least: float
    most: float


@nb.njit(cache=True, nogil=True)
def share_of(choices: Choices, person: int | np.int64, generator: draws.Generator) -> float:
    """The share that this person chose; the same in every round."""
    if choices.least == choices.most:
        return choices.least
    draws.restart(generator, choices.key, person, 0)
    return choices.least + (choices.most - choices.least) * draws.unit(generator)


def shares(choices: Choices, people: PersonIndex) -> npt.NDArray[np.float64]:
    """What each of these people chose."""  # [people]
    generator = np.zeros(1, np.uint64)
    return np.array([share_of(choices, int(person), generator) for person in people], np.float64)
