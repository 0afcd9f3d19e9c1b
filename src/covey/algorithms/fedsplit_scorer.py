"""Scores of FedSPLIT: from the joint patterns for whoever has them, from a group's own model for whoever has not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from covey.algorithms.fedsplit_groups import ALONE, GroupRows, Groups
from covey.device.groups import GroupModel
from covey.types import Floats, ItemIndex, PersonIndex, Scores


@dataclass(frozen=True, eq=False)
class GroupScorer:
    """Ratings that every person's device or group would predict; cut off at the ends of the scale."""

    item_count: int
    centre: float
    scale: tuple[float, float]  # lowest and highest rating
    groups: Groups
    users: Floats  # [people, components + 1] a person's vector and bias
    table: Floats  # [items, components + 1] joint patterns and biases
    local: Mapping[int, tuple[GroupRows, GroupModel]] = field(
        default_factory=dict[int, tuple[GroupRows, GroupModel]]
    )  # groups that predict with their own model
    sets: Mapping[str, PersonIndex] = field(default_factory=dict[str, PersonIndex])  # to be judged apart

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        users, rows = self.users[people], self.table[items]
        scores: Any = np.einsum("pcf,pf->pc", rows[:, :, :-1], users[:, :-1]) + rows[:, :, -1] + users[:, -1:]
        scores += np.float32(self.centre)
        for place in self._own(people):
            scores[place] = self._of_group(int(people[place]))[items[place]]
        return scores

    def everything(self, people: PersonIndex) -> Scores:
        users = self.users[people]
        scores: Any = users[:, :-1] @ self.table[:, :-1].T + self.table[:, -1] + users[:, -1:]
        scores += np.float32(self.centre)
        for place in self._own(people):
            scores[place] = self._of_group(int(people[place]))
        return scores

    def values(self, people: PersonIndex, items: ItemIndex) -> Scores:
        """The predicted ratings."""
        low, high = (np.float32(end) for end in self.scale)
        return np.clip(self.candidates(people, items), low, high)

    def _own(self, people: PersonIndex) -> Sequence[int]:
        """The places of people whose group predicts with its own model."""
        if not self.local:
            return ()
        return np.flatnonzero(np.isin(self.groups[people], list(self.local))).tolist()

    def _of_group(self, person: int) -> Floats:
        """Ratings of every item by the model of the person's own group."""  # [items]
        group = int(self.groups[person])
        assert group != ALONE
        rows, model = self.local[group]
        fit, at = model.fit, int(np.searchsorted(rows.people, person))
        ratings = np.full(self.item_count, self.centre + fit.user_bias[at])
        ratings[rows.items] += fit.items @ fit.users[at] + fit.item_bias
        return ratings.astype(np.float32)
