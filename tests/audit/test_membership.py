"""Whether a message tells which items its group rated."""

from dataclasses import replace

import numpy as np
import pytest
from small_groups import fake_run, messages

from covey.audit.exposed import Message, expose
from covey.audit.membership import (
    BOTH,
    POPULARITY,
    READINGS,
    SUMMED,
    answers,
    finding,
    joint_patterns,
    likeness_to_others,
    readings,
    rows_alike,
)

RUN = fake_run()
MESSAGES = messages(RUN)
EVERY = (*READINGS, BOTH, POPULARITY)
COUNTS = np.bincount(RUN.split.train.item, minlength=RUN.split.train.item_count)


def message(patterns: list[list[float]], group: int = 0) -> Message:
    table = np.array(patterns)
    return Message(
        group, np.arange(len(table), dtype=np.int32), table, None, 3.0, table, np.zeros(len(table))
    )


def test_a_message_with_a_row_for_what_was_rated_alone_says_all_by_its_rows():
    full = MESSAGES[0]
    own = expose(full, RUN.session.groups, RUN.split.train).items
    named = replace(full, rows=own, patterns=full.patterns[own], item_bias=None)
    found = answers(expose(named, RUN.session.groups, RUN.split.train), MESSAGES, COUNTS, 1)
    assert found[READINGS[0]] == 1


def test_a_message_with_every_row_says_nothing_by_its_rows_and_all_by_the_zeros_in_them():
    exposed = expose(MESSAGES[0], RUN.session.groups, RUN.split.train)
    found = answers(exposed, MESSAGES, COUNTS, 1)
    assert found[READINGS[0]] == 0.5
    assert found[READINGS[1]] == 1
    assert set(found) == set(EVERY)


def test_likeness_is_1_for_what_the_others_have_in_common_and_0_for_what_none_of_them_has():
    others = [message([[1.0], [1.0], [0.0]], 1), message([[2.0], [2.0], [0.0]], 2)]
    found = likeness_to_others(message([[1.0], [1.0], [3.0]]), others, 3, 1)
    assert found == pytest.approx([1, 1, 0], abs=1e-9)


def test_groups_that_sent_nothing_have_nothing_in_common():
    assert joint_patterns([], 3, 1).shape == (3, 0)
    assert joint_patterns([message([[0.0], [0.0], [0.0]])], 3, 1).shape == (3, 0)


def test_a_made_up_row_that_equals_a_true_one_is_found_where_it_is_of_a_less_popular_item():
    copied = message([[1.0], [1.0], [2.0], [3.0]])
    kind, count = rows_alike(copied)
    assert count[kind].tolist() == [2, 2, 1, 1]
    found = readings(copied, [], np.array([8.0, 0.0, 1.0, 1.0]), 1)
    assert found[READINGS[4]].tolist() == [0.5, 0.5, 1, 1]
    assert found[BOTH][[0, 2, 3]].tolist() == pytest.approx([1, 1, 1], abs=1e-5)
    assert found[BOTH][1] < 0.001


def test_where_no_row_is_a_copy_popularity_decides():
    found = readings(message([[1.0], [4.0], [2.0], [3.0]]), [], np.array([8.0, 0.0, 3.0, 1.0]), 1)
    assert np.argsort(found[BOTH]).tolist() == [1, 3, 2, 0]


def test_rows_that_differ_in_their_bias_alone_are_not_alike():
    one = replace(message([[1.0], [1.0]]), item_bias=np.array([0.0, 0.5]))
    assert rows_alike(one)[1].tolist() == [1, 1]


def test_a_reading_that_is_always_wrong_is_turned_round_but_popularity_is_not():
    wrong = {name: np.full(4, 0.1) for name in EVERY}
    found = finding(wrong)
    assert [level.reached.mean for level in found.levels] == pytest.approx([0.9] * 5 + [0.1, 0.1])
    assert [level.reads_message for level in found.levels] == [True] * 6 + [False]
    assert found.headline.reached.mean == pytest.approx(0.9)


def test_readings_that_cannot_be_told_from_a_coin_are_said_to_be_none():
    areas = {name: np.array([0.3, 0.5, 0.7]) for name in EVERY}
    said = finding(areas).found
    assert "cannot be told from a coin" in said
    assert "adds nothing to it that was found" in said


def test_what_the_message_adds_to_popularity_is_said():
    areas = {name: np.array([0.5, 0.5, 0.5]) for name in EVERY} | {BOTH: np.array([0.61, 0.6, 0.59])}
    assert "popularity among rows that are alike in 60.0%" in finding(areas).found


def test_what_is_sent_to_be_summed_is_read_apart_and_is_no_headline():
    run = fake_run()
    run.session.summed = True
    found = answers(expose(messages(run)[0], run.session.groups, run.split.train), messages(run), COUNTS, 1)
    assert found[SUMMED] > 0.5, "it names items that the group rated"
    areas = {name: np.full(3, 0.6) for name in EVERY} | {SUMMED: np.ones(3)}
    said = finding(areas)
    assert said.headline.reached.mean == pytest.approx(0.6)
    assert "before they are summed, does it in 100.0%" in said.found
