"""Who belongs together: everybody once, sizes in their range, and each group's own rows and no others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms.fedsplit_groups import ALONE, drawn_groups, rows_of_groups
from covey.errors import ConfigError
from covey.testing.rated import SIZES, households, street
from covey.testing.towns import histories


@given(st.integers(2, 200), st.integers(2, 9), st.integers(0, 30), st.floats(0, 0.9), st.integers(0, 99))
def test_everybody_is_in_one_group_or_alone_and_no_group_is_too_small_or_too_large(
    people: int, smallest: int, more: int, alone: float, seed: int
) -> None:
    smallest, largest = min(smallest, people), min(smallest, people) + more
    groups = drawn_groups(people, smallest, largest, alone, seed)
    sizes = np.bincount(groups[groups >= 0])
    assert len(groups) == people
    assert sizes.min() >= smallest, "the numbers have no gap either: a gap would be a group of nobody"
    # Only where two halves would be too small may the last group be larger.
    assert (sizes <= max(largest, 2 * smallest - 1)).all()
    assert (sizes > largest).sum() <= 1
    assert np.count_nonzero(groups == ALONE) == min(round(alone * people), people - smallest)


def test_remainders_by_hand() -> None:
    """Groups of three or four: of five people one group, of seven two, of nobody too few."""
    sizes = {n: sorted(np.bincount(drawn_groups(n, 3, 4, 0.0, 1)).tolist()) for n in (3, 5, 6, 7, 10)}
    assert sizes == {3: [3], 5: [5], 6: [3, 3], 7: [3, 4], 10: [3, 3, 4]}


def test_sizes_are_drawn_evenly_between_the_ends() -> None:
    sizes = np.bincount(drawn_groups(40_000, 3, 30, 0.0, 1))
    assert sizes.mean() == pytest.approx(16.5, abs=0.5)
    # 28 sizes, some 87 groups of each.
    assert 50 < np.bincount(sizes)[3:31].min() < np.bincount(sizes)[3:31].max() < 130


def test_who_belongs_together_is_drawn_by_the_seed_and_by_nothing_else() -> None:
    first, again, other = (drawn_groups(50, 3, 9, 0.1, seed) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_too_few_people_for_a_single_group_are_refused() -> None:
    with pytest.raises(ConfigError, match="smallest_group is 3, but there are only 2 people"):
        drawn_groups(2, 3, 30, 0.0, 1)


def test_each_group_gets_its_own_rows_and_nobody_elses() -> None:
    train, groups = street(), households()
    found = rows_of_groups(train, groups)
    assert [len(rows.people) for rows in found] == list(SIZES)
    again = {
        (int(rows.people[person]), int(rows.items[item]), float(value))
        for rows in found
        for person, item, value in zip(rows.person, rows.item, rows.value, strict=True)
    }
    wanted = zip(train.person.tolist(), train.item.tolist(), train.value.tolist(), strict=True)
    assert again == {row for row in wanted if groups[row[0]] != ALONE}
    assert sum(len(rows.value) for rows in found) == len(again)


def test_a_group_numbers_its_own_items_alone_by_hand() -> None:
    train = histories([[9, 2], [5], [2, 7], []])
    one, two = rows_of_groups(train, np.array([1, ALONE, 1, 0], np.int32))
    assert (one.people.tolist(), one.items.tolist(), len(one.value)) == ([3], [], 0)
    assert (two.people.tolist(), two.items.tolist()) == ([0, 2], [2, 7, 9])
    assert (two.person.tolist(), two.item.tolist()) == ([0, 0, 1, 1], [2, 0, 0, 1])


def test_a_number_that_nobody_has_is_a_group_of_nobody() -> None:
    nobody, somebody = rows_of_groups(histories([[1], [2]]), np.array([1, 1], np.int32))
    assert (len(nobody.people), len(nobody.value)) == (0, 0)
    assert somebody.people.tolist() == [0, 1]


def test_rows_of_a_group_do_not_print() -> None:
    assert repr(rows_of_groups(street(), households())[0]) == "GroupRows(kept at home)"
