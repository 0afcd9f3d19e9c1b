"""The rules by which a population's rows are divided; RULES is the one list of them.

Test rows do not depend on `validation`: its rows come out of what would be training, never out of the test.
A rule that would leave a person without a training row raises a SplitError. The one exception is `random`,
which does not look at people: whom chance leaves untrained is reported in `Split.cold_people`. `random-covered`
brings those people and items back.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from covey import random
from covey.datasets.interactions import Interactions
from covey.errors import ConfigError, SplitError, unknown
from covey.splits.histories import Histories, Split
from covey.splits.parts import (
    TEST,
    TRAIN,
    VALID,
    Ordered,
    PartCode,
    divide,
    finish,
    in_time_order,
    offsets_of,
    refuse_untrained,
)
from covey.types import Ints


@dataclass(frozen=True)
class Ask:
    """What can be asked of a rule; each reads what it needs."""

    validation: bool = False
    seed: int = 0
    share: float = 0.8  # of the rows (of each person, or of all) that is not test
    valid_share: float = 0.1  # of the same rows that validation takes out of that share

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ConfigError(
                f"share is {self.share}, but must lie between 0 and 1; 0.8 keeps 80% for training"
            )
        if not 0 < self.valid_share < self.share:
            raise ConfigError(
                f"valid_share is {self.valid_share}, but must lie between 0 and share ({self.share}), "
                f"since validation rows are taken out of that share"
            )


def leave_last_out(interactions: Interactions, ask: Ask) -> Split:
    """Each person's last row is test; with validation, the one before it is valid."""
    rows = in_time_order(interactions)
    if ask.validation:
        refuse_untrained(rows, 3, "leave-last-out with validation")
    else:
        refuse_untrained(rows, 2, "leave-last-out")
    part = np.zeros(len(rows.order), np.int8)
    part[rows.offsets[1:] - 1] = TEST
    if ask.validation:
        part[rows.offsets[1:] - 2] = VALID
    second = ", the one before it is valid" if ask.validation else ""
    return divide(rows, part, f"leave-last-out: each person's last row is test{second}; {rows.tie_rule}")


def temporal(interactions: Interactions, ask: Ask) -> Split:
    """Each person's first rows by time train and the rest test; at least one row of everybody trains."""
    rows = in_time_order(interactions)
    refuse_untrained(rows, 1, "temporal")
    part = _by_rank(rows.rank, rows.counts, ask)
    return divide(rows, part, f"temporal: each person's first {_shares(ask)}; {rows.tie_rule}")


def random_person(interactions: Interactions, ask: Ask) -> Split:
    """As `temporal`, but each person's rows are shuffled first."""
    rows = in_time_order(interactions)
    refuse_untrained(rows, 1, "random-person")
    shuffled = np.lexsort((_draws(rows, ask, "random-person"), rows.person))
    part = np.empty(len(rows.order), np.int8)
    part[shuffled] = _by_rank(rows.rank, rows.counts, ask)
    return divide(rows, part, f"random-person: of each person's rows a random {_shares(ask)}; {_named(ask)}")


def random_rows(interactions: Interactions, ask: Ask) -> Split:
    """A random share of all rows trains, whoever's they are; can leave people cold."""
    rows = in_time_order(interactions)
    part = _drawn(np.argsort(_draws(rows, ask, "random"), kind="stable"), ask)
    return divide(rows, part, f"random: of all rows a random {_shares(ask)}; {_named(ask)}")


def random_covered(interactions: Interactions, ask: Ask) -> Split:
    """As `random`, but a row returns to training for every person, then every item, that would have none."""
    rows = in_time_order(interactions)
    drawn = np.argsort(_draws(rows, ask, "random-covered"), kind="stable")
    part = _drawn(drawn, ask)
    for whose in (rows.person, rows.source.item[rows.order]):
        # The test gives back first, and as if there were no validation, which must not change it.
        for held_out in (TEST, VALID) if ask.validation else (TEST,):
            _return_one(part, held_out, whose, drawn)
    back = "every person and item has a training row, brought back where chance left none"
    return divide(rows, part, f"random-covered: of all rows a random {_shares(ask)}; {back}; {_named(ask)}")


def given(interactions: Interactions, ask: Ask) -> Split:
    """Test items and negatives as they came with the files; with validation, the last other row is valid."""
    held_out = interactions.given
    if held_out is None:
        raise SplitError(
            f"{interactions.name} came without test items; use another split, such as leave-last-out"
        )
    rows = in_time_order(interactions)
    refuse_untrained(rows, 2 if ask.validation else 1, "given with validation" if ask.validation else "given")
    # The files decide, so they can be wrong: a test item among the same person's rows would be trained on.
    leaked = int(np.count_nonzero(held_out.item[interactions.person] == interactions.item))
    if leaked:
        raise SplitError(
            f"{leaked:,} given test items of {interactions.name} are also rows of the same person; "
            f"take those rows out of the training file"
        )
    part = np.zeros(len(rows.order), np.int8)
    if ask.validation:
        part[rows.offsets[1:] - 1] = VALID
    kept = divide(rows, part, "")
    has_test = held_out.item >= 0
    test = Histories(
        offsets=offsets_of(has_test.astype(np.int64)),
        item=held_out.item[has_test],
        value=held_out.value[has_test],
        time=held_out.time[has_test],
        item_count=interactions.item_count,
    )
    second = f", each person's last other row is valid; {rows.tie_rule}" if ask.validation else ""
    rule = f"given: the test items and negatives that came with the files{second}"
    return finish(rule, kept.train, kept.valid, test, held_out.negatives)


def _by_rank(rank: Ints, group_size: Ints, ask: Ask) -> PartCode:
    """Parts for rows in groups, by their rank inside the group: training, then valid, then test."""
    # The small sum undoes what binary fractions lose: 0.29 * 100 is 28.999999999999996.
    kept = np.maximum(1, np.floor(ask.share * group_size + 1e-9).astype(np.int64))
    if ask.validation:
        wanted = np.maximum(1, np.floor(ask.valid_share * group_size + 1e-9).astype(np.int64))
        trained = kept - np.minimum(wanted, kept - 1)
    else:
        trained = kept
    part = np.zeros(len(rank), np.int8)
    part[rank >= np.repeat(trained, group_size)] = VALID
    part[rank >= np.repeat(kept, group_size)] = TEST
    return part


def _drawn(order: Ints, ask: Ask) -> PartCode:
    """Parts for rows that are drawn in this order from all of them, whoever's they are."""
    total = np.array([len(order)])
    part = np.empty(len(order), np.int8)
    part[order] = _by_rank(np.arange(total[0]), total, ask)
    return part


def _return_one(part: PartCode, held_out: int, whose: npt.NDArray[np.int32], drawn: Ints) -> None:
    """Puts one row of this part into training for everybody without an earlier part's: the first that was drawn."""
    kept = np.zeros(whose.max() + 1, np.bool_)
    kept[whose[part < held_out]] = True
    waiting = drawn[(part[drawn] == held_out) & ~kept[whose[drawn]]]
    _, first = np.unique(whose[waiting], return_index=True)
    part[waiting[first]] = TRAIN


def _draws(rows: Ordered, ask: Ask, rule: str) -> npt.NDArray[np.uint64]:
    """A random number a row, named by its person and item, so that the order of the file cannot matter."""
    item = rows.source.item[rows.order]
    mixed = (rows.person.astype(np.uint64) << np.uint64(32)) | item.astype(np.uint64)
    # The finishing steps of splitmix64, in place: at 25 million rows each copy is 200 MB.
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed += np.uint64(random.key(ask.seed, "split", rule))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _shares(ask: Ask) -> str:
    if not ask.validation:
        return f"{ask.share:.0%} train, the rest test"
    trained = ask.share - ask.valid_share
    return f"{trained:.0%} train, {ask.valid_share:.0%} are valid, the rest test"


def _named(ask: Ask) -> str:
    return f"drawn from seed {ask.seed} by person and item, whatever the order of the file"


RULES: dict[str, Callable[[Interactions, Ask], Split]] = {
    "leave-last-out": leave_last_out,
    "temporal": temporal,
    "random-person": random_person,
    "random": random_rows,
    "random-covered": random_covered,
    "given": given,
}


def split(
    interactions: Interactions,
    rule: str = "leave-last-out",
    *,
    validation: bool = False,
    seed: int = 0,
    share: float = 0.8,
    valid_share: float = 0.1,
) -> Split:
    """The interactions divided by a rule of RULES; the test rows are the same with and without validation."""
    if rule not in RULES:
        raise unknown("split", rule, RULES)
    made = RULES[rule](interactions, Ask(validation, seed, share, valid_share))
    return replace(made, groups=interactions.group)
