"""Who is whose neighbour, and who takes part in which round: orders that a public seed fixes and anybody can check.

The server publishes a hash of the seed before it can know what would suit it, and the seed afterwards. Everybody then
sorts the people by a hash of the seed and their number. Who has another order has another seed or other people.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from covey.aggregation.secure.keyring import fingerprint, number_bytes
from covey.aggregation.secure.terms import FULL
from covey.errors import ConfigError, PrivacyError

SEED_BYTES = 32


def commitment(purpose: str, seed: bytes) -> bytes:
    """What is published of a seed before the seed."""
    return fingerprint(f"{purpose} commitment", seed)


def check_opening(purpose: str, seed: bytes, committed: bytes) -> None:
    """Raises PrivacyError unless the seed is the one that was committed to."""
    if commitment(purpose, seed) != committed:
        raise PrivacyError(
            f"the server opened another {purpose} seed than it committed to: it may have chosen it to suit it; "
            "do not take part in this round"
        )


def ordered(purpose: str, seed: bytes, people: Sequence[int], turn: int = 0) -> tuple[int, ...]:
    """The people in the order that the seed fixes; another order for each turn."""
    begin = seed + number_bytes(turn)
    return tuple(
        sorted(people, key=lambda number: fingerprint(f"{purpose} order", begin, number_bytes(number)))
    )


@dataclass(frozen=True)
class Graph:
    """A ring in random order, on which people are neighbours who are at most half the degree apart."""

    ring: tuple[int, ...]
    degree: int  # even; FULL: everybody is everybody's neighbour

    @cached_property
    def _place_of(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.ring)}

    def neighbours(self, number: int) -> tuple[int, ...]:
        """A person's neighbours, in increasing order of their numbers."""
        if self.degree == FULL or self.degree >= len(self.ring) - 1:
            return tuple(sorted(each for each in self.ring if each != number))
        place, size = self._place_of[number], len(self.ring)
        steps = range(1, self.degree // 2 + 1)
        return tuple(sorted(self.ring[(place + side * step) % size] for step in steps for side in (-1, 1)))

    def thinnest_gaps(self, answered: frozenset[int]) -> int | None:
        """The fewest people who answered in any two separate gaps of half the degree; None in the full graph.

        Only two gaps without an honest person in them take the ring apart.
        """
        size, gap = len(self.ring), self.degree // 2
        if self.degree == FULL or self.degree >= size - 1:
            return None
        here = np.array([number in answered for number in self.ring], np.int64)
        upto = np.concatenate([[0], np.cumsum(np.concatenate([here, here]))])
        inside = upto[gap : gap + size] - upto[:size]  # [place] who answered in the gap that begins there
        # A gap that begins at place 0 and each one apart from it, then the same for every other place.
        return min(int((inside + np.roll(inside, -apart)).min()) for apart in range(gap, size // 2 + 1))


@lru_cache(maxsize=16)
def graph_of(seed: bytes, people: tuple[int, ...], degree: int) -> Graph:
    """The graph that the seed fixes."""
    return Graph(ordered("graph", seed, people), degree)


@dataclass(frozen=True)
class Selection:
    """Cuts each pass over the enrolled people into rounds as even as they can be, in an order that a seed fixes."""

    seed: bytes
    enrolled: tuple[int, ...]
    people_per_round: int

    def __post_init__(self) -> None:
        if not 1 <= self.people_per_round <= len(self.enrolled):
            raise ConfigError(
                f"people_per_round is {self.people_per_round}, expected 1 to {len(self.enrolled)}, "
                "the people who are enrolled"
            )

    def people(self, round_id: int) -> tuple[int, ...]:
        """The people of a round, counted from 0, in increasing order of their numbers."""
        rounds = -(-len(self.enrolled) // self.people_per_round)
        which_pass, place = divmod(round_id, rounds)
        size, larger = divmod(len(self.enrolled), rounds)
        begin, end = (at * size + min(at, larger) for at in (place, place + 1))
        return tuple(sorted(_pass_order(self.seed, self.enrolled, which_pass)[begin:end]))


@lru_cache(maxsize=16)
def _pass_order(seed: bytes, enrolled: tuple[int, ...], which_pass: int) -> tuple[int, ...]:
    return ordered("selection", seed, enrolled, which_pass)
