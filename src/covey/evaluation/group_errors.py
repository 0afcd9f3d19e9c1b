"""Errors of predicted values group by group, for models whose participants are groups of people.

rmse_of_groups   the mean over groups of each one's RMSE
mse_of_groups    the mean over groups of each one's MSE
equation_8       the mean over groups of sum of squares / sqrt(people x items), as equation 8 of the FedSPLIT paper is
                 printed; it falls with the catalogue's size and is no error of a rating
rmse_NAME        over all rows of the people that the scorer shows apart (late, alone, forgotten)
"""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from covey.evaluation.candidates import Candidates
from covey.evaluation.scorer import ValueScorer
from covey.types import PersonIndex

Reals = npt.NDArray[np.float64]


@runtime_checkable
class GroupedScorer(ValueScorer, Protocol):
    """A scorer that knows who belongs together."""

    @property
    def groups(self) -> PersonIndex:
        """The group of each person; -1 for nobody's."""
        ...

    @property
    def sets(self) -> Mapping[str, PersonIndex]:
        """People whose errors are shown apart, by a name."""
        ...


def group_errors(scorer: GroupedScorer, candidates: Candidates, own_mse: Reals) -> dict[str, float]:
    """The errors above, from each evaluated person's own MSE."""
    counts = candidates.held_out.counts
    squares = own_mse * counts
    group = scorer.groups[candidates.people]
    held = group >= 0
    found: dict[str, float] = {}
    if held.any():
        numbers, place = np.unique(group[held], return_inverse=True)
        total, rows = np.bincount(place, squares[held]), np.bincount(place, counts[held])
        people = np.bincount(scorer.groups[scorer.groups >= 0])[numbers]
        found = {
            "rmse_of_groups": float(np.sqrt(total / rows).mean()),
            "mse_of_groups": float((total / rows).mean()),
            "equation_8": float((total / np.sqrt(people * candidates.item_count)).mean()),
        }
    for name, apart in scorer.sets.items():
        inside = np.isin(candidates.people, apart)
        if inside.any():
            found[f"rmse_{name}"] = float(np.sqrt(squares[inside].sum() / counts[inside].sum()))
    return found
