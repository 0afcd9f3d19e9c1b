"""Who takes part in which round. A global round is one pass over everybody, in groups drawn anew for each pass."""

from dataclasses import dataclass

import numpy as np

from covey.random import stream
from covey.types import PersonIndex


@dataclass(frozen=True)
class Schedule:
    """Cuts each pass over the people into rounds of at most `people_per_round`, as even as they can be."""

    people_count: int
    people_per_round: int
    seed: int

    @property
    def rounds_a_pass(self) -> int:
        """Rounds until everybody has taken part once."""
        return -(-self.people_count // self.people_per_round)

    def people(self, round_id: int) -> PersonIndex:
        """The people of a round, counted from 0. Even groups: a last one of three would be nobody's crowd."""
        which_pass, place = divmod(round_id, self.rounds_a_pass)
        order = stream(self.seed, "participants", which_pass).permutation(self.people_count)
        return np.array_split(order.astype(np.int32), self.rounds_a_pass)[place]


def people_in_a_round(people_per_round: float, people_count: int) -> int:
    """A share below 1 or a count, as a count of at least one person; 0 is everybody."""
    if people_per_round == 0:
        return people_count
    if people_per_round < 1:
        return max(1, round(people_per_round * people_count))
    return int(people_per_round)
