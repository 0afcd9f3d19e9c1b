"""What is fixed at enrolment, and what everybody in a round can work out from the announcement and the roll."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from covey.aggregation.secure.graph import Graph, Selection, graph_of
from covey.aggregation.secure.keyring import KEY_BYTES, MOST_NUMBER, fingerprint, labelled, number_bytes
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.terms import Settings, Terms, terms_for
from covey.aggregation.secure.wire import Announcement, place_bytes
from covey.errors import ConfigError
from covey.messages.catalogue import UPDATE_SCHEMAS

_KIND_OF = {schema.number: kind for kind, schema in UPDATE_SCHEMAS.items()}


@dataclass(frozen=True, eq=False)
class Agreement:
    """Who is enrolled with which key, on what terms, and how rounds are made up. Public, and the same for everybody.

    A person gets it once, over a way that they trust, and refuses a round under any other.
    """

    roster: Mapping[int, bytes]  # number -> Ed25519 public key
    settings: Settings
    people_per_round: int
    selection_commitment: bytes

    def __post_init__(self) -> None:
        for number, key in self.roster.items():
            if not 0 <= number <= MOST_NUMBER or len(key) != KEY_BYTES:
                raise ConfigError(
                    f"the roster has number {number} with a key of {len(key)} bytes, expected a number from 0 to "
                    f"{MOST_NUMBER} and {KEY_BYTES} bytes"
                )

    @cached_property
    def enrolled(self) -> tuple[int, ...]:
        """Everybody's number, increasing."""
        return tuple(sorted(self.roster))

    @cached_property
    def digest(self) -> bytes:
        """A hash of all of it."""
        keys = [number_bytes(number) + self.roster[number] for number in self.enrolled]
        terms = self.settings
        said = [terms.least_people, terms.least_difference, terms.dropped, terms.corrupt, terms.neighbours]
        words = " ".join(map(str, [*said, terms.failure_bits, self.people_per_round])).encode()
        return fingerprint("agreement", words, b"\0", self.selection_commitment, *keys)

    def selection(self, seed: bytes) -> Selection:
        """Who takes part when, by an opened seed."""
        return Selection(seed, self.enrolled, self.people_per_round)


@dataclass(frozen=True, eq=False)
class Opening:
    """A round as it was announced."""

    agreement: Agreement
    announcement: Announcement

    @cached_property
    def digest(self) -> bytes:
        """Stands for the round in every later message."""
        return fingerprint("round", self.announcement.encode())

    @cached_property
    def terms(self) -> Terms:
        """The terms of a group of this size."""
        return terms_for(self.agreement.settings, len(self.people))

    @cached_property
    def layout(self) -> Layout:
        """How updates stand in a vector."""
        told = self.announcement
        return Layout(_KIND_OF[told.schema], told.items, told.width, told.shared, len(told.people))

    @property
    def people(self) -> tuple[int, ...]:
        """Who was asked, in increasing order."""
        return self.announcement.people

    @property
    def least(self) -> int:
        """How many must be left after each phase."""
        return max(self.terms.survivors, self.agreement.settings.least_people)

    @cached_property
    def _place_of(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.people)}

    def numbers(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """The people at these places of the announcement."""
        return tuple(self.people[place] for place in places)

    def places(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        """The places of these people in the announcement."""
        return tuple(self._place_of[number] for number in numbers)

    def keys_statement(self, number: int, mask_key: bytes, sealing_key: bytes) -> bytes:
        """What a person signs when they advertise."""
        return labelled("keys", self.digest, number_bytes(number), mask_key, sealing_key)


@dataclass(frozen=True, eq=False)
class Rollcall:
    """A round after its keys are known: who advertised, and who is whose neighbour."""

    opening: Opening
    graph_seed: bytes
    advertised: tuple[int, ...]

    @cached_property
    def digest(self) -> bytes:
        """Salts every key of the round: who was shown another roll has other keys."""
        opening = self.opening
        places = place_bytes(opening.places(self.advertised), len(opening.people))
        return fingerprint("roll", opening.digest, self.graph_seed, places)

    @property
    def graph(self) -> Graph:
        """Who is whose neighbour."""
        return graph_of(self.graph_seed, self.advertised, self.opening.terms.neighbours)

    def partners(self, number: int, dealt: tuple[int, ...]) -> tuple[int, ...]:
        """A person's neighbours among those who dealt shares."""
        present = frozenset(dealt)
        return tuple(each for each in self.graph.neighbours(number) if each in present)

    def answerers_statement(self, dealt: tuple[int, ...], answered: tuple[int, ...]) -> bytes:
        """What a person signs before any share is revealed: the lists of who dealt and who answered."""
        opening, count = self.opening, len(self.opening.people)
        lists = (place_bytes(opening.places(each), count) for each in (dealt, answered))
        return labelled("answerers", self.digest, *lists)
