"""What a device keeps to itself. These types do not print what they hold and refuse to be copied into anything."""

from covey.privacy.home import StaysHome
from covey.types import Floats, PersonIndex


class PrivateState(StaysHome):
    """One person's own vector and the key of their own randomness.

    The key must be the device's own: who knows it knows which sampled items were drawn, and so which were not.
    """

    __slots__ = ("number", "seed", "vector")

    def __init__(self, vector: Floats, seed: int, number: int = 0) -> None:
        self.vector = vector  # [1, width]
        self.seed = seed
        self.number = number  # tells a simulation's people apart; 0 on a real device


class Population(StaysHome):
    """The private states of everybody in a simulation, as columns. No function of the server takes one."""

    __slots__ = ("seed", "vectors")

    def __init__(self, vectors: Floats, seed: int) -> None:
        self.vectors = vectors  # [people, width]
        self.seed = seed

    def __len__(self) -> int:
        return len(self.vectors)

    def state(self, person: int) -> PrivateState:
        """A copy of one person's state."""
        return PrivateState(self.vectors[person : person + 1].copy(), self.seed, person)

    def keep(self, people: PersonIndex, vectors: Floats) -> None:
        """Puts new vectors of these people in place of their old ones."""
        self.vectors[people] = vectors
