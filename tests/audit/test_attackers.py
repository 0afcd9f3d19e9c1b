"""What each attacker makes of what they may see."""

from dataclasses import replace

import numpy as np
import pytest
from small_groups import Config, fake_run, messages

from covey.algorithms.fedsplit_local import penalties_of
from covey.audit.attackers import Attacker, attackers, means, multiplicative, own_patterns, regression
from covey.audit.exposed import Exposed, Ratings, Shared, expose
from covey.random import stream

PENALTIES = penalties_of(Config())
# Two people and four items, exactly: centre 3, one pattern, weights 1 and 2.
PATTERN = np.array([[0.0], [1.0], [0.5], [0.25]])
SHARED = Shared(PATTERN, np.zeros(4), 3.0)
TRUTH = 3.0 + np.array([[1.0], [2.0]]) * PATTERN[:, 0]
# Of each person two items.
KNOWN = Ratings(
    np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 0, 1], np.int32), TRUTH[[0, 0, 1, 1], [0, 1, 0, 1]]
)


def draws() -> np.random.Generator:
    return stream(1, "attacker")


def test_the_regression_finds_what_a_person_wants_from_some_of_their_ratings():
    pattern = np.linspace(0, 1, 8)[:, None]
    truth = 3.0 + np.array([[1.0], [2.0]]) * pattern[:, 0]
    person, item = np.repeat(np.arange(2, dtype=np.int32), 6), np.tile(np.arange(6, dtype=np.int32), 2)
    guess = regression(
        Shared(pattern, np.zeros(8), 3.0), 2, Ratings(person, item, truth[person, item]), draws()
    )
    # Ratings beyond what is known to occur are cut off, so the last two are at the highest known.
    assert guess == pytest.approx(np.minimum(truth, truth[1, 5]), abs=0.02)


def test_the_papers_attack_leaves_somebody_of_whom_nothing_is_known_at_the_items_biases():
    shared = SHARED._replace(item_bias=np.array([0.5, 0.0, 0.0, -0.5]))
    guess = multiplicative(shared, 3, KNOWN, draws(), PENALTIES, 50)
    assert guess[2] == pytest.approx([3.5, 3.0, 3.0, 2.5])
    assert np.abs(guess[:2, :2] - TRUTH[:, :2]).mean() < 0.3


def group() -> Exposed:
    run = fake_run()
    return expose(messages(run)[0], run.session.groups, run.split.train)


def test_no_attacker_changes_what_it_reads():
    there = group()
    before = [array.tobytes() for array in (*there.shared[:2], *there.common[:2])]
    for each in attackers(PENALTIES, signed=False):
        each.try_on(there, there.ratings, draws())
    assert [array.tobytes() for array in (*there.shared[:2], *there.common[:2])] == before


def test_a_baseline_never_gets_the_message():
    seen: list[Shared] = []

    def spy(shared: Shared, people: int, known: Ratings, generator: np.random.Generator) -> np.ndarray:
        seen.append(shared)
        return np.zeros((people, len(shared.patterns)))

    there = group()
    for reads in ("nothing", "model", "message"):
        Attacker("somebody", reads, spy).try_on(there, there.ratings, draws())
    assert not seen[0].patterns.any()
    assert (seen[0].centre, seen[0].item_bias.any()) == (0, False)
    assert seen[1] is there.common
    assert seen[2] is there.shared
    assert [each.name for each in attackers(PENALTIES, signed=False) if each.reads_message] == [
        "the paper's attack",
        "regression on the patterns",
    ]


def test_baselines_guess_within_what_ratings_are_known_to_be():
    for guess in (
        means(SHARED.blank(), 2, KNOWN, draws()),
        own_patterns(SHARED.blank(), 2, KNOWN, draws(), PENALTIES, 20),
    ):
        assert guess.min() >= KNOWN.value.min()
        assert guess.max() <= KNOWN.value.max()


def test_signed_patterns_are_attacked_by_regression_and_not_by_multiplicative_updates():
    assert attackers(PENALTIES, signed=False)[0].name == "the paper's attack"
    assert attackers(PENALTIES, signed=True)[0].name == "regression on the patterns"


def test_a_group_is_laid_beside_the_rows_of_its_message_whatever_their_order():
    run = fake_run()
    message = messages(run)[1]
    there = expose(message, run.session.groups, run.split.train)
    turned = replace(
        message, rows=message.rows[::-1], patterns=message.patterns[::-1], item_bias=message.item_bias[::-1]
    )
    back = expose(turned, run.session.groups, run.split.train)
    assert (there.people, len(there.ratings.value)) == (3, 30)
    assert back.shared.patterns.tolist() == there.shared.patterns.tolist()
    assert back.shared.item_bias.tolist() == there.shared.item_bias.tolist()
    assert there.items[there.ratings.item[10:20]].tolist() == run.split.train.of(4).item.tolist()


def test_an_item_that_a_message_does_not_name_has_zeros():
    run = fake_run()
    message = messages(run)[0]
    one = replace(
        message, rows=message.rows[:1], patterns=message.patterns[:1], item_bias=message.item_bias[:1]
    )
    there = expose(one, run.session.groups, run.split.train)
    assert not there.shared.patterns[there.items > 0].any()
    assert not there.shared.item_bias[there.items > 0].any()


def test_where_groups_send_no_biases_the_attacker_takes_those_that_everybody_is_told():
    run = fake_run()
    run.config.biases = "evidence"
    there = expose(messages(run)[0], run.session.groups, run.split.train)
    assert set(there.shared.item_bias) == {0.25}


def test_the_truth_does_not_print():
    run = fake_run()
    shown = repr(expose(messages(run)[0], run.session.groups, run.split.train))
    assert shown == "Exposed(stays in the simulation)"
