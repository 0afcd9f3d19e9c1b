"""How many neighbours a person has and how many shares give a secret back, for a group of a given size.

Of n people at most D drop out and C work together with the server. A person's secrets are held by themselves and by
k neighbours, those at most k / 2 places away on a ring in random order; t shares give a secret back. After Bell et al.
(2020) three things must hold; the bounds are our own. H(k; n, m) is how many of k people, drawn from n, are among m of
them; each line is exact for one person or one pair of gaps, and summed over all.

secret      nobody has t neighbours among the C                        n       P[H(k; n - D - 1, C) >= t]
complete    everybody keeps t holders: who stays                       n       P[1 + k - H(k; n - 1, D) < t]
            and who drops out                                          n       P[k - H(k; n - 1, D - 1) < t]
connected   of any two gaps of k / 2 places t people answer            n^2 / 2 P[k - H(k; n, D) < t]
            and one of those is honest                                 n^2 / 2 P[H(k; n - D, C) >= t]

The ring of the honest people who answer falls apart only where it has two gaps of k / 2 places, and then the server would
learn the sums of the pieces. It may choose who is called missing when it knows the graph, so nothing is left to chance
there: everybody counts the answerers in the gaps and refuses a list with fewer than t. Chance decides only how the C, whom
the server did not choose by their places, are spread, and how the absences of an honest round are. C is counted out of
n - D, since people can be missing before the ring is drawn.

`terms_for` takes the smallest even k for which the best t makes all of these together at most 2^-bits, and the full graph
where no such k is left. There, t is more than half of n + C: two kinds of shares of one person are then out of reach
even for somebody who could show different lists of answerers to different people.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb

from covey.errors import ConfigError

FULL = 0  # neighbours: everybody is everybody's
LEAST_SHARES = 2  # one share alone must not be the secret


@dataclass(frozen=True)
class Settings:
    """What everybody agrees to when they enrol; a person refuses rounds on any other terms."""

    # people in a sum; with fewer the round is refused
    least_people: int = 10
    # people by whom two sums of one person may differ; with fewer the later one is refused
    least_difference: int = 10
    # the share of a group that may be missing; with more the round is given up
    dropped: float = 1 / 3
    # the share of a group that may work together with the server
    corrupt: float = 1 / 5
    # neighbours of each person: an even number, 0 for everybody, None for as few as suffice
    neighbours: int | None = None
    # what the three conditions together may fail with is 2 to minus this
    failure_bits: int = 40

    def __post_init__(self) -> None:
        if self.least_people < 2:
            raise ConfigError(
                f"least_people is {self.least_people}, expected 2 or more; the sum of one person is that person's update"
            )
        if self.least_difference < 1:
            raise ConfigError(f"least_difference is {self.least_difference}, expected 1 or more")
        if not (0 <= self.dropped < 1 and 0 <= self.corrupt < 1 and 2 * self.dropped + self.corrupt < 1):
            raise ConfigError(
                f"dropped is {self.dropped:g} and corrupt {self.corrupt:g}, expected shares with 2 dropped + corrupt "
                "below 1; otherwise two lists of answerers could both be signed by enough people. Lower one of them"
            )
        if self.failure_bits < 1:
            raise ConfigError(f"failure_bits is {self.failure_bits}, expected 1 or more; 40 is usual")


@dataclass(frozen=True)
class Terms:
    """What holds for one group."""

    people: int
    survivors: int  # must answer in every phase
    neighbours: int  # of each person; FULL: everybody
    shares: int  # give a secret back


@lru_cache(maxsize=256)
def terms_for(settings: Settings, people: int) -> Terms:
    """The terms of a group of so many people; ConfigError where the settings allow none."""
    if people < settings.least_people:
        raise ConfigError(
            f"a group has {people} people, expected {settings.least_people} or more; ask more people a round"
        )
    dropped, corrupt = _count(settings.dropped, people), _count(settings.corrupt, people)
    allowed = Fraction(1, 2**settings.failure_bits)
    degree = settings.neighbours
    if degree is None:
        degree = _smallest_degree(people, dropped, corrupt, allowed)
    if degree == FULL or degree >= people - 1:
        return Terms(people, people - dropped, FULL, (people + corrupt) // 2 + 1)
    if degree < 2 or degree % 2:
        raise ConfigError(f"neighbours is {degree}, expected an even number, or 0 for everybody")
    shares, fails = best_threshold(people, dropped, corrupt, degree)
    if fails > allowed:
        raise ConfigError(
            f"{degree} neighbours are too few for {people} people of whom {dropped} may drop out and {corrupt} may work "
            f"with the server, expected {_smallest_degree(people, dropped, corrupt, allowed) or 'everybody'}; "
            "leave neighbours out"
        )
    return Terms(people, people - dropped, degree, shares)


def best_threshold(people: int, dropped: int, corrupt: int, degree: int) -> tuple[int, Fraction]:
    """The t with which the conditions fail least, the middle one of several, and how often they then fail."""
    stay, pairs = people - dropped, Fraction(people * people, 2)
    corrupt_neighbours = _at_least(stay - 1, corrupt, degree)
    corrupt_in_gaps = _at_least(stay, corrupt, degree)
    lost = _at_least(people - 1, dropped, degree)
    lost_of_others = _at_least(people - 1, max(dropped - 1, 0), degree)
    lost_in_gaps = _at_least(people, dropped, degree)
    fails = list[Fraction]()
    for shares in range(LEAST_SHARES, degree + 1):
        # k - H < t is H >= k - t + 1
        left = degree - shares + 1
        one = corrupt_neighbours[shares] + lost[left + 1] + (lost_of_others[left] if dropped else 0)
        fails.append(people * one + pairs * (corrupt_in_gaps[shares] + lost_in_gaps[left]))
    least = min(fails)
    best = [place + LEAST_SHARES for place, each in enumerate(fails) if each == least]
    return best[len(best) // 2], least


def _smallest_degree(people: int, dropped: int, corrupt: int, allowed: Fraction) -> int:
    """The smallest even degree that fails no more often than allowed; FULL where there is none."""
    # More neighbours fail less often, so halving the range finds the smallest.
    low, high = 1, (people - 2) // 2 + 1  # half the degree; high stands for the full graph
    while low < high:
        half = (low + high) // 2
        if best_threshold(people, dropped, corrupt, 2 * half)[1] <= allowed:
            high = half
        else:
            low = half + 1
    return 2 * low if 2 * low < people - 1 else FULL


def _at_least(others: int, marked: int, drawn: int) -> list[Fraction]:
    """[d] the chance that of so many drawn from the others at least d are marked, for d from 0 to drawn + 1."""
    drawn_at_most = min(drawn, others)
    sets = comb(others, drawn_at_most)
    ways = [comb(marked, d) * comb(others - marked, drawn_at_most - d) for d in range(drawn_at_most + 1)]
    above = [*accumulate(reversed(ways))][::-1] + [0] * (drawn + 1 - drawn_at_most)
    return [Fraction(each, sets) for each in above]


def _count(share: float, people: int) -> int:
    """A share of the people, rounded down; a third of 9 is 3 though 1/3 is a little less in binary."""
    return int(share * people + 1e-9)
