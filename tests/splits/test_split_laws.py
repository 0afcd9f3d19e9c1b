"""Laws that every rule keeps, whatever the data."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from towns_by_hand import crowds

from covey.datasets.interactions import Interactions
from covey.splits import Histories, Split, split, without_test

OWN_RULES = ["leave-last-out", "temporal", "random-person", "random", "random-covered"]

# A busy machine must not fail a law, so examples have no deadline.
calm = settings(deadline=None)

every_rule = pytest.mark.parametrize("rule", OWN_RULES)


def rows_of(part: Histories) -> list[tuple[int, int, float, int]]:
    return list(
        zip(part.person.tolist(), part.item.tolist(), part.value.tolist(), part.time.tolist(), strict=True)
    )


def parts_of(done: Split) -> list[list[tuple[int, int, float, int]]]:
    return [rows_of(part) for part in (done.train, done.valid, done.test)]


def shuffled(data: Interactions, seed: int) -> Interactions:
    order = np.random.Generator(np.random.Philox(key=seed)).permutation(len(data))
    columns = {name: getattr(data, name)[order] for name in ("person", "item", "value", "time")}
    return replace(data, **columns)


@every_rule
@calm
@given(data=crowds(), validation=st.booleans(), seed=st.integers(0, 9))
def test_no_row_is_lost_and_none_is_in_two_parts(rule, data, validation, seed):
    done = split(data, rule, validation=validation, seed=seed)
    came = zip(data.person.tolist(), data.item.tolist(), data.value.tolist(), data.time.tolist(), strict=True)
    assert Counter(row for part in parts_of(done) for row in part) == Counter(came)


@every_rule
@calm
@given(data=crowds(), validation=st.booleans())
def test_a_persons_rows_are_in_time_order_and_ties_keep_the_order_of_the_file(rule, data, validation):
    for part in parts_of(split(data, rule, validation=validation)):
        # The value is the row's number in the file.
        keys = [(person, time, value) for person, _, value, time in part]
        assert keys == sorted(keys)


@every_rule
@calm
@given(data=crowds(), validation=st.booleans())
def test_cold_people_and_cold_items_are_exactly_those_without_a_training_row(rule, data, validation):
    done = split(data, rule, validation=validation)
    train, valid, test = parts_of(done)
    trained_people = {row[0] for row in train}
    trained_items = {row[1] for row in train}
    assert done.cold_people.tolist() == sorted(set(range(data.people_count)) - trained_people)
    assert done.cold_items.tolist() == sorted({row[1] for row in valid + test} - trained_items)


@every_rule
@calm
@given(data=crowds(), validation=st.booleans(), seed=st.integers(0, 9))
def test_the_same_seed_gives_the_same_split(rule, data, validation, seed):
    first, again = (parts_of(split(data, rule, validation=validation, seed=seed)) for _ in range(2))
    assert first == again


@every_rule
@calm
@given(data=crowds(distinct_times=True), validation=st.booleans(), seed=st.integers(0, 9))
def test_the_order_of_the_file_does_not_matter_when_times_differ(rule, data, validation, seed):
    plain = split(data, rule, validation=validation)
    mixed = split(shuffled(data, seed), rule, validation=validation)
    assert parts_of(plain) == parts_of(mixed)


@every_rule
@calm
@given(data=crowds())
def test_validation_leaves_the_test_rows_as_they_were(rule, data):
    without, with_valid = (split(data, rule, validation=flag) for flag in (False, True))
    assert rows_of(without.test) == rows_of(with_valid.test)
    assert len(without.valid) == 0
    assert len(with_valid.train) + len(with_valid.valid) == len(without.train)


@every_rule
@calm
@given(data=crowds(), validation=st.booleans())
def test_offsets_and_counts_describe_everybody_in_every_part(rule, data, validation):
    done = split(data, rule, validation=validation)
    for part in (done.train, done.valid, done.test):
        assert part.people_count == data.people_count
        assert part.item_count == data.item_count
        assert part.offsets[0] == 0
        assert part.offsets[-1] == len(part)
        assert part.counts.min() >= 0


@pytest.mark.parametrize("rule", ["leave-last-out", "temporal"])
@calm
@given(data=crowds(), validation=st.booleans())
def test_nothing_in_training_is_later_than_what_is_held_out(rule, data, validation):
    done = split(data, rule, validation=validation)
    for person in range(data.people_count):
        latest = [done.train.of(person), done.valid.of(person), done.test.of(person)]
        times = [part.time for part in latest if len(part)]
        assert all(early.max() <= late.min() for early, late in pairwise(times))


@calm
@given(data=crowds(at_least=1), share=st.floats(0.2, 0.95))
@pytest.mark.parametrize("rule", ["temporal", "random-person"])
def test_a_share_a_person_never_leaves_anybody_untrained(rule, data, share):
    done = split(data, rule, share=share, validation=True, valid_share=0.1)
    assert done.train.counts.min() >= 1
    assert len(done.cold_people) == 0


@calm
@given(data=crowds(at_least=1), validation=st.booleans(), share=st.floats(0.15, 0.95), seed=st.integers(0, 9))
def test_random_covered_leaves_nobody_and_nothing_untrained(data, validation, share, seed):
    done = split(data, "random-covered", validation=validation, seed=seed, share=share, valid_share=0.1)
    assert done.train.counts.min() >= 1
    assert set(done.train.item.tolist()) == set(data.item.tolist())
    assert len(done.cold_items) == len(done.cold_people) == 0


@calm
@given(data=crowds(), validation=st.booleans(), rule=st.sampled_from(OWN_RULES))
def test_a_split_tells_who_is_with_whom_as_the_data_does(data, validation, rule):
    groups = np.arange(data.people_count, dtype=np.int32) % 2 - 1
    done = split(replace(data, group=groups), rule, validation=validation)
    assert done.groups is groups
    assert without_test(done).groups is groups
    assert split(data, rule).groups is None
