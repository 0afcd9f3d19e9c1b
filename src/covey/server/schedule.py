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
        size, larger = divmod(self.people_count, self.rounds_a_pass)
        begin, end = (at * size + min(at, larger) for at in (place, place + 1))
        return self._order(which_pass)[begin:end]

    def one_by_one(self, first_round: int, rounds: int) -> PersonIndex:
        """The people of so many rounds on end, for a schedule of one person a round."""
        if self.rounds_a_pass != self.people_count:
            raise ValueError(f"rounds have {self.people_per_round} people each, not one")
        first_pass, place = divmod(first_round, self.rounds_a_pass)
        passes = -(-(place + rounds) // self.rounds_a_pass)
        orders = [self._order(first_pass + n) for n in range(passes)]
        return np.concatenate(orders)[place : place + rounds]

    def _order(self, which_pass: int) -> PersonIndex:
        """Everybody, in the order of one pass."""
        order = stream(self.seed, "participants", which_pass).permutation(self.people_count)
        return order.astype(np.int32)


def people_in_a_round(people_per_round: float, people_count: int) -> int:
    """A share below 1 or a count, as a count of at least one person; 0 is everybody."""
    if people_per_round == 0:
        return people_count
    if people_per_round < 1:
        return max(1, round(people_per_round * people_count))
    return int(people_per_round)
