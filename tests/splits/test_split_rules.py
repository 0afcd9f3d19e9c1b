"""What each rule does to rows that a reader can follow by hand."""

import numpy as np
import pytest
from towns_by_hand import interactions_of

from covey.datasets.interactions import GivenTest
from covey.errors import ConfigError, SplitError
from covey.splits import RULES, split

# Ada (0) has items 0, 1, 2; her last two have the same time. Bo (1) has items 3, 1, 0, in a scattered file.
BY_HAND = [
    (1, 3, 5.0, 30),
    (0, 2, 4.0, 20),
    (1, 0, 3.0, 50),
    (0, 0, 2.0, 10),
    (0, 1, 1.0, 20),
    (1, 1, 2.0, 40),
]


def ten_rows_each(people: int):
    rows = [(person, item, 1.0, item) for person in range(people) for item in range(10)]
    return interactions_of(rows, people, 10)


def test_leave_last_out_by_hand_with_a_tie_and_a_cold_item():
    done = split(interactions_of(BY_HAND, people=2, items=4), validation=True)
    assert done.train.item.tolist() == [0, 3]
    assert done.valid.item.tolist() == [2, 1]
    # Items 2 and 1 have one time for Ada; item 1 comes later in the file, so it is her last.
    assert done.test.item.tolist() == [1, 0]
    assert done.test.value.tolist() == [1.0, 3.0]
    assert done.test.time.tolist() == [20, 50]
    assert done.train.offsets.tolist() == [0, 1, 2]
    assert done.cold_items.tolist() == [1, 2]
    assert done.cold_people.tolist() == []
    assert done.negatives is None


def test_the_rule_says_how_ties_were_broken():
    timed = split(interactions_of(BY_HAND, 2, 4))
    assert "the later row of the file is later" in timed.rule


def test_without_times_the_order_of_the_rows_counts():
    rows = [(0, 2, 1.0, 0), (0, 0, 1.0, 0), (0, 1, 1.0, 0)]
    done = split(interactions_of(rows, 1, 3, has_time=False))
    assert done.train.item.tolist() == [2, 0]
    assert done.test.item.tolist() == [1]
    assert "no times" in done.rule


def test_temporal_keeps_the_first_share_and_cuts_validation_before_the_test():
    done = split(ten_rows_each(2), "temporal", share=0.8, validation=True, valid_share=0.1)
    assert done.train.of(1).item.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert done.valid.of(1).item.tolist() == [7]
    assert done.test.of(1).item.tolist() == [8, 9]


@pytest.mark.parametrize(("rows", "tested"), [(1, 0), (2, 1), (4, 1), (5, 1), (9, 2)])
def test_temporal_holds_out_what_exceeds_the_share_but_never_the_only_row(rows, tested):
    data = interactions_of([(0, item, 1.0, item) for item in range(rows)], 1, rows)
    assert len(split(data, "temporal", share=0.8).test) == tested


def test_a_share_is_not_lost_to_binary_fractions():
    data = interactions_of([(0, item, 1.0, item) for item in range(100)], 1, 100)
    assert len(split(data, "temporal", share=0.29).train) == 29


def test_random_person_takes_the_same_number_of_everybody_but_other_rows():
    done = split(ten_rows_each(30), "random-person", seed=1)
    assert done.test.counts.tolist() == [2] * 30
    assert len({tuple(done.test.of(person).item.tolist()) for person in range(30)}) > 10


def test_random_covered_brings_back_one_row_for_each_person_then_for_each_item():
    """Nobody and nothing has a second row, so everything comes back; with one more person, that one row is enough."""
    alone = interactions_of([(person, person, 1.0, 0) for person in range(50)], 50, 50)
    done = split(alone, "random-covered", share=0.2)
    assert (len(done.train), len(done.test)) == (50, 0)
    crowd = interactions_of([(person, 0, 1.0, 0) for person in range(50)], 50, 1)
    assert len(split(crowd, "random-covered", share=0.2).test) == 0
    pairs = [(person, item, 1.0, 0) for person in range(20) for item in range(20)]
    done = split(interactions_of(pairs, 20, 20), "random-covered", share=0.8)
    assert (len(done.train), len(done.test)) == (320, 80), "where nobody is short nothing comes back"
    assert "brought back where chance left none" in done.rule


@pytest.mark.parametrize("rule", ["random-person", "random", "random-covered"])
def test_another_seed_holds_out_other_rows(rule):
    first, second = (split(ten_rows_each(20), rule, seed=seed) for seed in (1, 2))
    assert first.test.item.tolist() != second.test.item.tolist()


def test_random_takes_its_share_of_all_rows_and_reports_whom_it_leaves_cold():
    data = interactions_of([(person, person, 1.0, 0) for person in range(50)], 50, 50)
    done = split(data, "random", share=0.8)
    assert (len(done.train), len(done.test)) == (40, 10)
    assert done.cold_people.tolist() == done.test.person.tolist()
    assert done.cold_items.tolist() == sorted(done.test.item.tolist())


@pytest.mark.parametrize("rule", ["random-person", "random", "random-covered"])
def test_a_random_draw_favours_no_item_and_no_place_in_time(rule):
    done = split(ten_rows_each(2000), rule, share=0.5)
    per_item = np.bincount(done.test.item, minlength=10)
    # 1,000 expected an item; five standard deviations of a fair coin are 112.
    assert np.abs(per_item - 1000).max() < 112


def given_test(item: list[int]) -> GivenTest:
    return GivenTest(
        item=np.array(item, np.int32),
        value=np.full(len(item), 4.0, np.float32),
        time=np.full(len(item), 99, np.int64),
        negatives=np.array([[1, 2], [2, -1]], np.int32),
    )


def test_given_takes_test_and_negatives_from_the_files():
    rows = [(0, 0, 1.0, 2), (0, 1, 1.0, 1), (1, 0, 1.0, 3)]
    done = split(interactions_of(rows, 2, 4, given=given_test([3, -1])), "given")
    assert done.train.item.tolist() == [1, 0, 0]
    assert done.test.item.tolist() == [3]
    assert done.test.counts.tolist() == [1, 0]
    assert done.test.time.tolist() == [99]
    assert done.negatives is not None
    assert done.negatives.tolist() == [[1, 2], [2, -1]]
    assert done.cold_items.tolist() == [3]


def test_given_with_validation_takes_the_last_training_row_by_time():
    rows = [(0, 0, 1.0, 2), (0, 1, 1.0, 1), (1, 0, 1.0, 3), (1, 1, 1.0, 4)]
    done = split(interactions_of(rows, 2, 4, given=given_test([3, 2])), "given", validation=True)
    assert done.train.item.tolist() == [1, 0]
    assert done.valid.item.tolist() == [0, 1]
    assert done.test.item.tolist() == [3, 2]


def test_given_refuses_a_test_item_that_the_person_also_trains_on():
    rows = [(0, 3, 1.0, 2), (0, 1, 1.0, 1), (1, 0, 1.0, 3)]
    with pytest.raises(SplitError, match="1 given test items"):
        split(interactions_of(rows, 2, 4, given=given_test([3, -1])), "given")


def test_given_without_given_files_names_the_remedy():
    with pytest.raises(SplitError, match="leave-last-out"):
        split(interactions_of(BY_HAND, 2, 4), "given")


@pytest.mark.parametrize(("validation", "needed"), [(False, 2), (True, 3)])
def test_a_person_left_without_training_is_an_error_that_counts_and_names_the_remedy(validation, needed):
    rows = [(0, item, 1.0, item) for item in range(3)] + [(1, item, 1.0, item) for item in range(needed - 1)]
    with pytest.raises(
        SplitError,
        match=rf"1 person in by-hand.*'p1'.*--set min_rows={needed}, or in Python at_least\({needed}\)",
    ):
        split(interactions_of(rows, 2, 3), validation=validation)


@pytest.mark.parametrize("rule", ["leave-last-out", "temporal", "random-person"])
def test_a_person_without_any_row_is_an_error(rule):
    rows = [(0, item, 1.0, item) for item in range(3)]
    with pytest.raises(SplitError, match="1 person in by-hand has fewer"):
        split(interactions_of(rows, 2, 3), rule)


@pytest.mark.parametrize("rule", sorted(RULES))
def test_nothing_to_split_is_an_error(rule):
    given = GivenTest(
        np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.int64), np.zeros((0, 0), np.int32)
    )
    with pytest.raises(SplitError, match="no rows"):
        split(interactions_of([], 0, 0, given=given), rule)


def test_an_unknown_rule_offers_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'leave-last-out'"):
        split(interactions_of(BY_HAND, 2, 4), "leave-one-out")


@pytest.mark.parametrize(
    "shares", [{"share": 0.0}, {"share": 1.0}, {"share": float("nan")}, {"valid_share": 0.9}]
)
def test_shares_that_leave_a_part_empty_are_refused(shares):
    with pytest.raises(ConfigError, match="must lie between"):
        split(interactions_of(BY_HAND, 2, 4), "temporal", **shares)
