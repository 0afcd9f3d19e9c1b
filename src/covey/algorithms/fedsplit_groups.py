"""Who belongs together: groups drawn at random as in the FedSPLIT paper, or those of the data; and each one's rows."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from covey.errors import ConfigError
from covey.random import stream
from covey.splits.histories import Histories
from covey.types import ItemIndex, PersonIndex

ALONE = -1

Groups = npt.NDArray[np.int32]  # [people] the group of each, ALONE where they have none


class GroupRows(NamedTuple):
    """One group's ratings, its people and its items numbered among themselves. It stays with the group."""

    people: PersonIndex  # [own people] their numbers in the population
    items: ItemIndex  # [own items] their numbers in the catalogue, increasing
    person: PersonIndex  # [rows] place in people
    item: ItemIndex  # [rows] place in items
    value: npt.NDArray[np.float32]  # [rows]

    def __repr__(self) -> str:
        return "GroupRows(kept at home)"


def drawn_groups(people_count: int, smallest: int, largest: int, alone: float, seed: int) -> Groups:
    """People in groups of sizes drawn evenly from smallest to largest; a share of them stays alone.

    Fewer than the smallest that are left at the end join the last group. Where it becomes too large it is halved; it
    stays too large only where halves would be too small.
    """
    if people_count < smallest:
        raise ConfigError(
            f"smallest_group is {smallest}, but there are only {people_count} people; lower it, or take more people"
        )
    generator = stream(seed, "groups")
    order = generator.permutation(people_count)
    order = order[: people_count - min(round(alone * people_count), people_count - smallest)]
    sizes: list[int] = []
    left = len(order)
    while left >= smallest:
        sizes.append(min(left, int(generator.integers(smallest, largest + 1))))
        left -= sizes[-1]
    if left:
        last = sizes.pop() + left
        sizes += [last] if last <= largest or last < 2 * smallest else [last // 2, last - last // 2]
    groups = np.full(people_count, ALONE, np.int32)
    groups[order] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return groups


def rows_of_groups(train: Histories, groups: Groups) -> list[GroupRows]:
    """Each group's rows, group after group; whoever is alone is in none."""
    person = train.person
    group = groups[person]
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(int(groups.max(initial=ALONE)) + 2))
    members = np.argsort(groups, kind="stable").astype(np.int32)
    begins = np.searchsorted(groups[members], np.arange(len(bounds)))
    found: list[GroupRows] = []
    for g in range(len(bounds) - 1):
        rows = order[bounds[g] : bounds[g + 1]]
        people = members[begins[g] : begins[g + 1]]
        items, item = np.unique(train.item[rows], return_inverse=True)
        own = np.searchsorted(people, person[rows])
        found.append(GroupRows(people, items, own.astype(np.int32), item.astype(np.int32), train.value[rows]))
    return found
