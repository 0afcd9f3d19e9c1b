"""What sums say of one of the people in them: by themselves, one held against another, and many solved together.

Who adds up under masks sees these sums and no update. So these are the attacks that are left.
"""

from typing import NamedTuple

import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.audit.estimates import Reals
from covey.types import Ints

_LEAST_SHRINKAGE = 1e-3  # so that a system without noise has one solution


class Naming(NamedTuple):
    """How likely a message names an item, which anybody can tell from the recipe."""

    own: float  # one that the person has
    other: float  # one that they do not have


def odds(total: UpdateSum, others: Reals, people: int, naming: Naming) -> Reals:
    """The odds that one of the people in a sum has each item, by Bayes' rule: [items].

    Before the sum they are by popularity: how many of `people` others have the item. A sum with s senders among n is

        r = Pr(s - 1 of the n - 1 others) / Pr(s of them) = s (1 - q) / ((n - s) q)

    times likelier if the person is one of them, q being how likely one of the others is.
    """
    have = (others + 0.5) / (people + 1)  # half a person more: what nobody else has is not impossible
    send = np.clip(have * naming.own + (1 - have) * naming.other, 1e-12, 1 - 1e-12)
    missing = np.maximum(total.people - total.senders, 1e-9)
    likelier = total.senders * (1 - send) / (missing * send)
    has = naming.own * likelier + 1 - naming.own
    lacks = naming.other * likelier + 1 - naming.other
    return have / (1 - have) * has / np.maximum(lacks, 1e-12)


def moved(total: UpdateSum) -> Reals:
    """How far each item's row moves in sum: [items]."""
    return np.linalg.norm(total.items.astype(np.float64), axis=1)


def difference(whole: UpdateSum, without: UpdateSum) -> UpdateSum:
    """One sum less another: the update of who is in the first alone, where all others sent the same again."""
    return UpdateSum(
        whole.items - without.items,
        whole.senders - without.senders,
        whole.shared - without.shared,
        whole.instances - without.instances,
        whole.people - without.people,
    )


def apart(present: Reals, told: Reals, noise: float, wanted: Ints) -> Reals:
    """Each wanted person's own share in sums, solved for: [wanted, items].

    present [rounds, people] is 1 where somebody took part, which the server knows for it asked them; told
    [rounds, items] is what each round's sum says. Ridge regression towards what is everybody's on average, as strong
    as the noise of a round's sum is beside what people differ by.
    """
    average = told.sum(axis=0) / present.sum()
    left = told - present.sum(axis=1)[:, None] * average
    rounds, people = present.shape
    strength = max(noise, _LEAST_SHRINKAGE)
    if rounds < people:  # the smaller of the two systems
        inner = present @ present.T + strength * np.eye(rounds)
        own = present.T[wanted] @ np.linalg.solve(inner, left)
    else:
        inner = present.T @ present + strength * np.eye(people)
        chosen = np.linalg.solve(inner, np.eye(people)[:, wanted])  # [people, wanted]
        own = (chosen.T @ present.T) @ left
    return average + own
