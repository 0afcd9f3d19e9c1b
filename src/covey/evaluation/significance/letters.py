"""Which systems cannot be told apart, as letters: two that share one differ by no more than luck."""

from collections.abc import Collection, Sequence
from string import ascii_lowercase


def letters(names: Sequence[str], distinguishable: Collection[tuple[str, str]]) -> dict[str, str]:
    """Each name's letters; names share a letter exactly if no pair of `distinguishable` holds both.

    Give the names best first: then whatever has an "a" cannot be told apart from the best. The groups are the
    largest that are possible (Piepho, An Algorithm for a Letter-Based Representation of All-Pairwise
    Comparisons, 2004).
    """
    groups = [frozenset(names)]
    for a, b in distinguishable:
        split = [
            part for group in groups for part in ((group - {a}, group - {b}) if {a, b} <= group else (group,))
        ]
        # A group inside another says nothing that the larger one does not say.
        groups = [g for g in dict.fromkeys(split) if not any(g < other for other in split)]
    place = {name: n for n, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {name: "".join(_letter(n) for n, group in enumerate(groups) if name in group) for name in names}


def _letter(number: int) -> str:
    """a to z, then a', b' and so on."""
    return ascii_lowercase[number % 26] + "'" * (number // 26)
