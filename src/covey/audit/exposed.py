"""What a group's message said, laid beside the ratings behind it. Only a simulator can: it plays both sides."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from covey.audit.estimates import Reals
from covey.splits.histories import Histories
from covey.types import ItemIndex, PersonIndex


@dataclass(frozen=True, eq=False)
class Message:
    """What the server holds of one group, and what comes down to everybody."""

    group: int
    rows: ItemIndex  # [rows] the items that the message names
    patterns: Reals  # [rows, k]
    item_bias: Reals | None  # [rows]; None where the message brings none
    centre: float  # the mean rating that everybody is told
    common_patterns: Reals  # [items, components] what everybody gets back
    common_bias: Reals  # [items] the items' biases that everybody gets back
    summed_rows: ItemIndex | None = (
        None  # items named in what it sent to be summed; no server needs to see them
    )


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
    item_bias: Reals  # [items] the group's own, or the common ones where it sent none
    centre: float

    def blank(self) -> "Shared":
        """The same with nothing in it: for attackers who never saw the message."""
        return Shared(np.zeros_like(self.patterns), np.zeros_like(self.item_bias), 0.0)


@dataclass(frozen=True, eq=False)
class Exposed:
    """One group: its message, and the truth that an attacker is after."""

    message: Message
    people: int
    items: ItemIndex  # [items] the items that the group rated, increasing
    ratings: Ratings
    shared: Shared
    common: Shared  # the same items as everybody's model has them, which takes no group's message to know

    def __repr__(self) -> str:
        return "Exposed(stays in the simulation)"


def expose(message: Message, groups: npt.NDArray[np.int32], train: Histories) -> Exposed:
    """A group's message beside its people's training rows."""
    members = np.flatnonzero(groups == message.group)
    rows = [train.of(int(person)) for person in members]
    catalogue = np.concatenate([history.item for history in rows]) if rows else np.zeros(0, np.int32)
    items, item = np.unique(catalogue, return_inverse=True)
    value = np.concatenate([history.value for history in rows]) if rows else np.zeros(0)
    person = np.repeat(np.arange(len(members), dtype=np.int32), [len(history) for history in rows])
    ratings = Ratings(person, item.astype(np.int32), value.astype(np.float64))
    common = Shared(message.common_patterns[items], message.common_bias[items], message.centre)
    said = _said_of(items, message, train)
    return Exposed(message, len(members), items.astype(np.int32), ratings, said, common)


def _said_of(items: ItemIndex, message: Message, train: Histories) -> Shared:
    """The message's rows of these items."""
    place = np.full(train.item_count, -1)
    place[message.rows] = np.arange(len(message.rows))
    named = place[items] >= 0
    patterns = np.zeros((len(items), message.patterns.shape[1]))
    patterns[named] = message.patterns[place[items[named]]]
    bias = message.common_bias[items]
    if message.item_bias is not None:
        bias = np.zeros(len(items))
        bias[named] = message.item_bias[place[items[named]]]
    return Shared(patterns, bias, message.centre)
