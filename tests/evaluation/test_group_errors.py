"""Errors group by group, by hand: two people together, one with another who holds nothing out, one alone."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pytest
from small_splits import Table, small_split

from covey.evaluation import AllItems, Evaluation, evaluate, prepare
from covey.types import ItemIndex, PersonIndex, Scores

ITEMS = 8
# Persons 0 and 1 are group 0, persons 2 and 3 group 1, person 4 is alone.
TEST = [[0, 1], [2], [3], [], [4]]
RATINGS = [[5, 3], [1], [4], [], [2]]


class Threes(Table):
    """Predicts 3 for everything."""

    def __init__(self, groups: npt.ArrayLike, sets: Mapping[str, PersonIndex] | None = None) -> None:
        super().__init__(np.full((len(TEST), ITEMS), 3.0))
        self.groups = np.asarray(groups, np.int32)
        self.sets = sets or {}

    def values(self, people: PersonIndex, items: ItemIndex) -> Scores:
        return self.candidates(people, items)


def judged(scorer: Table) -> Evaluation:
    split = small_split([[5], [5], [5], [5], [5]], TEST, ITEMS, test_values=RATINGS)
    return evaluate(scorer, prepare(split, AllItems()))


def test_each_group_counts_as_much_as_any_other() -> None:
    """Squares are 4, 0 and 4 in group 0, and 1 in group 1; person 4's 1 is in no group."""
    found = judged(Threes([0, 0, 1, 1, -1]))
    assert found["rmse"] == pytest.approx(np.sqrt((4 + 0 + 4 + 1 + 1) / 5))
    assert found["mse_of_groups"] == pytest.approx((8 / 3 + 1) / 2)
    assert found["rmse_of_groups"] == pytest.approx((np.sqrt(8 / 3) + 1) / 2)


def test_equation_8_divides_by_the_root_of_all_cells_also_of_who_holds_nothing_out() -> None:
    assert judged(Threes([0, 0, 1, 1, -1]))["equation_8"] == pytest.approx(
        (8 / np.sqrt(2 * ITEMS) + 1 / np.sqrt(2 * ITEMS)) / 2
    )


def test_people_who_are_shown_apart_have_an_error_of_their_own() -> None:
    sets = {
        "alone": np.array([4], np.int32),
        "late": np.array([0, 3], np.int32),
        "forgotten": np.array([3], np.int32),
    }
    found = judged(Threes([0, 0, 1, 1, -1], sets))
    assert found["rmse_alone"] == 1
    assert found["rmse_late"] == pytest.approx(np.sqrt(2))
    assert "rmse_forgotten" not in found, "they hold nothing out"


def test_where_everybody_is_alone_there_are_no_errors_of_groups() -> None:
    found = judged(Threes([-1] * 5))
    assert not [name for name in found if "groups" in name or name == "equation_8"]


def test_a_scorer_that_knows_no_groups_has_no_errors_of_groups() -> None:
    assert "rmse_of_groups" not in judged(Table(np.full((len(TEST), ITEMS), 3.0)))
