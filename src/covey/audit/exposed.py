"""What a group's message said, laid beside the ratings behind it. Only a simulator can: it plays both sides."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from covey.audit.estimates import Reals
from covey.splits.histories import Histories
from covey.types import ItemIndex, PersonIndex


class Disclosed(Protocol):
    """What the server holds of one group."""

    @property
    def group(self) -> int: ...
    @property
    def rows(self) -> ItemIndex:
        """The items that the message names."""  # [rows]
        ...

    @property
    def patterns(self) -> npt.NDArray[np.floating]: ...  # [rows, k]
    @property
    def item_bias(self) -> npt.NDArray[np.floating]: ...  # [rows]
    @property
    def centre(self) -> float: ...


class Discloses(Protocol):
    """A session of groups that send their patterns."""

    @property
    def groups(self) -> npt.NDArray[np.int32]:
        """Each person's group; -1 for who is alone."""  # [people]
        ...

    def disclosures(self) -> Sequence[Disclosed]:
        """What the server holds, group by group."""
        ...


class Ratings(NamedTuple):
    """Ratings of one group, in numbers of its own: person 0 is its first, item 0 the first item that it rated."""

    person: PersonIndex  # [ratings]
    item: ItemIndex  # [ratings]
    value: Reals  # [ratings]

    def only(self, chosen: npt.NDArray[np.bool_]) -> "Ratings":
        """Some of them."""
        return Ratings(self.person[chosen], self.item[chosen], self.value[chosen])


class Shared(NamedTuple):
    """What a message says of the items that its group rated; zeros for an item that it does not name."""

    patterns: Reals  # [items, k]
    item_bias: Reals  # [items]
    centre: float

    def blank(self) -> "Shared":
        """The same with nothing in it: for attackers who never saw the message."""
        return Shared(np.zeros_like(self.patterns), np.zeros_like(self.item_bias), 0.0)


@dataclass(frozen=True, eq=False)
class Exposed:
    """One group: its message, and the truth that an attacker is after."""

    message: Disclosed
    people: int
    items: ItemIndex  # [items] the items that the group rated, increasing
    ratings: Ratings
    shared: Shared

    def __repr__(self) -> str:
        return "Exposed(stays in the simulation)"


def expose(message: Disclosed, groups: npt.NDArray[np.int32], train: Histories) -> Exposed:
    """A group's message beside its people's training rows."""
    members = np.flatnonzero(groups == message.group)
    rows = [train.of(int(person)) for person in members]
    catalogue = np.concatenate([history.item for history in rows]) if rows else np.zeros(0, np.int32)
    items, item = np.unique(catalogue, return_inverse=True)
    value = np.concatenate([history.value for history in rows]) if rows else np.zeros(0)
    person = np.repeat(np.arange(len(members), dtype=np.int32), [len(history) for history in rows])
    ratings = Ratings(person, item.astype(np.int32), value.astype(np.float64))
    return Exposed(message, len(members), items.astype(np.int32), ratings, _said_of(items, message, train))


def _said_of(items: ItemIndex, message: Disclosed, train: Histories) -> Shared:
    """The message's rows of these items."""
    place = np.full(train.item_count, -1)
    place[message.rows] = np.arange(len(message.rows))
    named = place[items] >= 0
    patterns, bias = np.zeros((len(items), message.patterns.shape[1])), np.zeros(len(items))
    patterns[named] = message.patterns[place[items[named]]]
    bias[named] = message.item_bias[place[items[named]]]
    return Shared(patterns, bias, float(message.centre))
