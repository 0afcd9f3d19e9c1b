"""What an attacker knows beforehand: a growing part of a group's people, of its films, or of its single ratings."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from covey.audit.exposed import Ratings
from covey.types import Ints

# fedsplit.txt, section 4.4: 5% to 100% in steps of 5%.
SHARES: tuple[float, ...] = tuple(percent / 100 for percent in range(5, 101, 5))

# What is known as a whole: all rows of a person, all ratings of an item, or a rating by itself.
WAYS = ("people", "items", "ratings")


def turns(way: str, ratings: Ratings, generator: np.random.Generator) -> Ints:
    """At whose turn each rating becomes known, from 0: everything of a person, or of an item, at one turn."""
    if way == "ratings":
        return generator.permutation(len(ratings.value))
    belongs = ratings.person if way == "people" else ratings.item
    whose, place = np.unique(belongs, return_inverse=True)
    return generator.permutation(len(whose))[place]


def known_at(turn: Ints, share: float) -> npt.NDArray[np.bool_]:
    """Which ratings somebody knows who knows this share; one person, item or rating at least."""
    count = int(turn.max(initial=-1)) + 1
    # Rounded first: .15 of 20 is 3 and not a hair more.
    return turn < math.ceil(round(share * count, 9))


def known_by_share(turn: Ints, shares: Sequence[float] = SHARES) -> list[npt.NDArray[np.bool_]]:
    """Which ratings are known at each share; who knows more knows all of what who knows less does."""
    return [known_at(turn, share) for share in shares]
