"""From rows in any order to a Split: who comes when, and which part each row goes to."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from covey.datasets.interactions import Interactions
from covey.errors import SplitError
from covey.splits.histories import Histories, Split
from covey.types import Ints, ItemIndex, PersonIndex

TRAIN, VALID, TEST = 0, 1, 2

PartCode = npt.NDArray[np.int8]  # [rows] TRAIN, VALID or TEST

TIES = "where times are equal, the later row of the file is later"
UNTIMED = "the source has no times, so the order of its rows counts"


@dataclass(frozen=True, eq=False)
class Ordered:
    """Interactions seen person by person and, inside a person, from the oldest row to the newest."""

    source: Interactions
    order: Ints  # [rows] the source's row at each place
    offsets: Ints  # [people + 1] person p is at places offsets[p] to offsets[p + 1]

    @property
    def counts(self) -> Ints:
        """Rows of each person."""  # [people]
        return np.diff(self.offsets)

    @property
    def person(self) -> PersonIndex:
        """The person at each place."""  # [rows]
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    @property
    def rank(self) -> Ints:
        """How many older rows the same person has, at each place."""  # [rows]
        return np.arange(len(self.order)) - np.repeat(self.offsets[:-1], self.counts)

    @property
    def tie_rule(self) -> str:
        return TIES if self.source.has_time else UNTIMED


def in_time_order(interactions: Interactions) -> Ordered:
    """The rows by person, then time, then row number; refuses data without a row."""
    if len(interactions) == 0:
        raise SplitError(f"{interactions.name} has no rows, so there is nothing to split; read another file")
    counts = np.bincount(interactions.person, minlength=interactions.people_count)
    return Ordered(interactions, _order(interactions.person, interactions.time), offsets_of(counts))


def _order(person: PersonIndex, time: Ints) -> Ints:
    """A stable order by person and time; free where the rows already lie so."""
    next_person = person[1:] > person[:-1]
    same_person = person[1:] == person[:-1]
    if bool(np.all(next_person | (same_person & (time[1:] >= time[:-1])))):
        return np.arange(len(person))
    span = int(time.max()) - int(time.min()) + 1
    if (int(person.max()) + 1) * span < 2**63:
        # One sort of one number is twice as fast as two sorts of two.
        return np.argsort(person * np.int64(span) + (time - time.min()), kind="stable")
    return np.lexsort((time, person))


def offsets_of(counts: Ints) -> Ints:
    """Where each person's rows begin, and at the end where the last one's stop."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def divide(rows: Ordered, part: PartCode, rule: str) -> Split:
    """The Split that gives each row, in `rows`' order, to its part; each part keeps the order of time."""
    train, valid, test = (_take(rows, part == code) for code in (TRAIN, VALID, TEST))
    return finish(rule, train, valid, test)


def finish(
    rule: str, train: Histories, valid: Histories, test: Histories, negatives: ItemIndex | None = None
) -> Split:
    """A Split that also says who and what it leaves untrained."""
    trained = np.zeros(train.item_count, np.bool_)
    trained[train.item] = True
    held_out = np.zeros(train.item_count, np.bool_)
    held_out[valid.item] = True
    held_out[test.item] = True
    return Split(
        rule=rule,
        train=train,
        valid=valid,
        test=test,
        negatives=negatives,
        cold_people=np.flatnonzero(train.counts == 0).astype(np.int32),
        cold_items=np.flatnonzero(held_out & ~trained).astype(np.int32),
    )


def without_test(split: Split) -> Split:
    """The split for whoever still chooses: its test rows are nowhere, so nothing can depend on them."""
    nothing = (np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int64))
    offsets = np.zeros(split.people_count + 1, np.int64)
    test = Histories(offsets, *nothing, item_count=split.item_count)
    return replace(finish(split.rule, split.train, split.valid, test, split.negatives), groups=split.groups)


def _take(rows: Ordered, chosen: npt.NDArray[np.bool_]) -> Histories:
    """The rows at the chosen places."""
    source, picked = rows.source, rows.order[chosen]
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen, dtype=np.int64)])
    return Histories(
        offsets=before[rows.offsets],
        item=source.item[picked],
        value=source.value[picked],
        time=source.time[picked],
        item_count=source.item_count,
    )


def refuse_untrained(rows: Ordered, needed: int, rule: str) -> None:
    """Raises a SplitError when somebody has fewer rows than a rule needs to leave one for training."""
    short = np.flatnonzero(rows.counts < needed)
    if len(short) == 0:
        return
    first = short[0]
    who, have = ("1 person", "has") if len(short) == 1 else (f"{len(short):,} people", "have")
    raise SplitError(
        f"{rule} needs at least {needed} row{'s' if needed > 1 else ''} a person to leave one for training, "
        f"but {who} in {rows.source.name} {have} fewer (the first, {rows.source.person_ids[int(first)]!r}, "
        f"has {rows.counts[first]}); leave them out: --set min_rows={needed}, or in Python at_least({needed})"
    )
