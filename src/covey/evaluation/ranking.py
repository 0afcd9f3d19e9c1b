"""Where the held-out items end up: ranks and top lists, computed once; every metric is read off them.

A score that is not a number stops the evaluation: it has no place in an order, and a model that yields one
has diverged.
"""

from dataclasses import dataclass

import numpy as np

from covey.errors import BadInput, CoveyError
from covey.evaluation.candidates import EVERYTHING_CELLS, Candidates, rows_of
from covey.evaluation.placing import Numbers, place_everything, place_lists
from covey.evaluation.scorer import Scorer
from covey.splits import Histories
from covey.types import Ints, ItemIndex, PersonIndex


@dataclass(frozen=True, eq=False)
class Ranking:
    """The place of every held-out item among its person's candidates."""

    people: PersonIndex  # [evaluated]
    offsets: Ints  # [evaluated + 1] of each person's ranks
    rank: Ints  # [held-out rows] 1 is first; ascending within a person
    rival_counts: Ints  # [evaluated]
    top: ItemIndex  # [evaluated, longest list] -1 where there are fewer candidates
    item_count: int

    @property
    def held_out_counts(self) -> Ints:
        """Held-out items of each person, at least one."""  # [evaluated]
        return np.diff(self.offsets)


def rank(scorer: Scorer, candidates: Candidates, longest: int) -> Ranking:
    """Scores the candidates, chunk by chunk, and places the held-out items; top lists hold `longest`."""
    held_out = candidates.held_out
    ranks = np.empty(len(held_out), np.int64)
    top = np.full((len(candidates), longest), -1, np.int32)
    if candidates.known is None:
        _rank_lists(scorer, candidates, ranks, top)
    else:
        _rank_everything(scorer, candidates, candidates.known, ranks, top)
    return Ranking(
        candidates.people, held_out.offsets, ranks, candidates.rival_counts, top, candidates.item_count
    )


def checked(got: Numbers, shape: tuple[int, int], method: str) -> Numbers:
    """What a scorer's method returned, contiguous, if it has the shape that was asked for."""
    if got.shape != shape:
        raise CoveyError(f"{method}() returned an array of {got.shape}; expected [people, items] = {shape}")
    return np.ascontiguousarray(got)


def diverged(person: int, method: str) -> BadInput:
    """The error for a score that is not a number."""
    return BadInput(
        f"{method}() of person {person} holds NaN where a number is expected: "
        "the model has diverged; lower the learning rate or strengthen the regularization"
    )


def _rank_lists(scorer: Scorer, candidates: Candidates, ranks: Ints, top: ItemIndex) -> None:
    """Fills ranks and top lists from the prepared blocks."""
    for block in candidates.blocks:
        people = candidates.people[block.places]
        scores = checked(scorer.candidates(people, block.items), block.items.shape, "candidates")
        offsets, rivals = candidates.held_out.offsets, candidates.rival_counts
        bad = place_lists(scores, block.items, block.places, offsets, rivals, ranks, top)
        if bad >= 0:
            raise diverged(int(people[bad]), "candidates")


def _rank_everything(
    scorer: Scorer, candidates: Candidates, known: tuple[Histories, Histories], ranks: Ints, top: ItemIndex
) -> None:
    """Fills ranks and top lists from the scores of all items."""
    held_out, train, before = rows_of(candidates.held_out), rows_of(known[0]), rows_of(known[1])
    step = max(1, EVERYTHING_CELLS // candidates.item_count)
    for start in range(0, len(candidates), step):
        people = candidates.people[start : start + step]
        scores = checked(scorer.everything(people), (len(people), candidates.item_count), "everything")
        bad = place_everything(scores, people, start, held_out, train, before, ranks, top)
        if bad >= 0:
            raise diverged(int(people[bad]), "everything")
