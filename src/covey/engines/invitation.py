"""Which groups of a simulation take part, which come later, which will leave, and which cannot, with the reason."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.algorithms.fedsplit_groups import GroupRows
from covey.random import stream

_SHORT = 0.5  # of the scale's range: a group none of whose ratings comes so far up has another scale


@dataclass(frozen=True)
class Invited:
    """The groups by what becomes of them."""

    scale: tuple[float, float]  # lowest and highest rating that all share
    early: list[int]
    late: list[int]
    leaving: list[int]  # of the early ones
    refused: dict[int, str]  # group -> a sentence
    settings: int  # numbers of the recipe that an invitation carries

    def reasons(self) -> str:
        """Why groups were refused, in few words."""
        return "; ".join(sorted(set(self.refused.values()))) or "all of them come late"


def invite(config: Any, groups: list[GroupRows], seed: int) -> Invited:
    """Sorts groups: each looks at its own data and stays away where it does not fit what the server asks for.

    The reason is for the group itself: it says what its ratings are, and no message carries it.
    """
    scale = _scale_of(config, groups)
    refused = {
        g: reason for g, rows in enumerate(groups) if (reason := _misfit(config, rows, scale)) is not None
    }
    fit = np.array([g for g in range(len(groups)) if g not in refused], np.int64)
    order = stream(seed, "late and leaving groups").permutation(fit)
    late, early = np.split(order, [int(config.late * len(fit))])
    # Somebody has to stay.
    count = min(int(np.ceil(config.forgotten * len(early))), max(0, len(early) - 1))
    leaving = early[len(early) - count :]
    return Invited(
        scale,
        sorted(early.tolist()),
        sorted(late.tolist()),
        sorted(leaving.tolist()),
        refused,
        len(config.__struct_fields__),
    )


def _scale_of(config: Any, groups: list[GroupRows]) -> tuple[float, float]:
    """The scale that the server announces: as it was set, or what most groups have.

    A service knows the scale of its stars. A simulation reads it off the data; no group sends its own ends for that.
    """
    if config.highest_rating:
        return config.lowest_rating, config.highest_rating
    rated = [rows.value for rows in groups if len(rows.value)]
    if not rated:
        return 0.0, 1.0
    lowest = Counter(float(value.min()) for value in rated).most_common(1)[0][0]
    highest = Counter(float(value.max()) for value in rated).most_common(1)[0][0]
    return lowest, highest


def _misfit(config: Any, rows: GroupRows, scale: tuple[float, float]) -> str | None:
    """Why a group cannot take part; None where it can."""
    people, least = len(rows.people), config.smallest_group
    if people < least:
        return f"fewer people than the smallest group of {least} that hides anybody"
    if not len(rows.value):
        return "it has no rating"
    low, high = scale
    found = f"{rows.value.min():g} to {rows.value.max():g}"
    if rows.value.max() > high or (config.highest_rating and rows.value.min() < low):
        return f"its ratings go from {found}, those of others from {low:g} to {high:g}; convert them"
    if high > low and rows.value.max() - low < _SHORT * (high - low):
        return f"its ratings go from {found} alone, those of others from {low:g} to {high:g}; convert them"
    return None
