"""An audit as a whole: what it says, what it refuses, and that nobody's own data is in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from small_groups import FakeRun, fake_run, ratings

from covey.algorithms.fedsplit import FedSPLITConfig
from covey.audit import audit, refuse, write_audit
from covey.audit.fedsplit import messages_of
from covey.engines import session
from covey.engines.sums import SumSettings
from covey.errors import ConfigError, RunError
from covey.runs.audited import Audit


def audited(run: FakeRun, **asked: Any) -> Audit:
    anything: Any = run
    return audit(anything, **asked)


@pytest.fixture(scope="module")
def found() -> Audit:
    return audited(fake_run(), seed=3)


def test_the_message_of_a_small_group_gives_ratings_away_that_baselines_cannot_guess(found: Audit):
    by_ratings = found.findings[2]
    assert by_ratings.headline.reached.mean < 0.7 * by_ratings.headline.chance
    assert "So the message is worth" in by_ratings.found


def test_the_zeros_of_a_message_say_which_items_the_group_rated(found: Audit):
    assert found.findings[-1].headline.reached.mean == 1
    assert found.findings[-1].headline.chance == 0.5


def test_there_are_three_ways_to_know_and_one_question_without_knowing(found: Audit):
    assert [each.title.split(",")[0] for each in found.findings[:3]] == ["Guessing ratings"] * 3
    assert [len(each.charts) for each in found.findings] == [4, 4, 4, 0]
    printed, root, known, unknown = found.findings[0].charts
    assert printed.curves[0].x == (0.05, *(pytest.approx(n / 20) for n in range(2, 21)))
    assert known.curves[0].x[-1] == 1
    assert unknown.curves[0].x[-1] < 1, "there is nothing left to guess"
    assert all(y.over == 4 for chart in (printed, root, known) for curve in chart.curves for y in curve.y)


def test_the_same_seed_finds_the_same_and_a_sample_is_of_the_groups(found: Audit):
    assert audited(fake_run(), seed=3) == found
    assert (found.audited, found.of, found.audited_are) == (4, 4, "groups")
    assert audited(fake_run(), groups=3).audited == 3


def test_progress_counts_to_its_end():
    steps: list[tuple[int, int]] = []
    audited(fake_run(), groups=3, on_step=lambda done, to_do: steps.append((done, to_do)))
    assert steps == [(n, 12) for n in range(1, 13)]


def test_the_file_holds_means_alone_and_comes_back_as_it_was(found: Audit, tmp_path: Path):
    path = write_audit(tmp_path, found)
    assert msgspec.json.decode(path.read_bytes(), type=Audit) == found
    objects = list(objects_in(msgspec.json.decode(path.read_bytes())))
    named = {name for each in objects for name in each}
    assert named.isdisjoint({"group", "groups", "person", "people", "item", "items", "rows", "ids"})
    assert all(each["over"] >= 3 for each in objects if "over" in each)


def objects_in(anything: Any) -> Iterator[dict[str, Any]]:
    """Every JSON object in another, itself included."""
    if isinstance(anything, dict):
        yield anything
    for inner in anything.values() if isinstance(anything, dict) else anything:
        if isinstance(inner, dict | list):
            yield from objects_in(inner)


def test_too_few_groups_are_refused_for_their_mean_would_be_a_groups_own():
    with pytest.raises(RunError, match="expected at least 3 groups to audit, got 2"):
        audited(fake_run(groups=2))
    with pytest.raises(ConfigError, match="expected at least 3 groups, got 1"):
        refuse("fedsplit", True, 1)


def test_a_run_that_is_not_finished_is_told_how_to_end():
    run = fake_run()
    run.session.round = 0
    with pytest.raises(
        RunError, match=r"not finished .round 0 of 2.; go on with it first: covey train --resume"
    ):
        audited(run)


def test_an_algorithm_without_an_audit_is_told_which_have_one():
    with pytest.raises(ConfigError, match="no audit of other; audit a run of: fcf, fedncf, fedsplit, fpl"):
        refuse("other", True, 40)
    with pytest.raises(ConfigError, match="nothing left a device, every history was in one place"):
        refuse("ease", False, 40)


def session_of(**choices: Any) -> Any:
    config = FedSPLITConfig(components=2, patterns=2, iterations=5, largest_group=4, **choices)
    made: Any = session("fedsplit", config, ratings(), 1, 1)
    while made.round < made.rounds:
        made.advance()
    return made


def test_bias_sums_read_alone_name_what_each_group_rated_and_nothing_where_none_are_sent():
    summed = session_of(hide="decoys")
    rows = summed.bias_rows()
    assert len(rows) >= 3
    for ticket, items in rows.items():
        own = np.isin(ratings().person, np.flatnonzero(summed.groups == ticket))
        assert items.tolist() == np.unique(ratings().item[own]).tolist()
    assert session_of(biases="groups").bias_rows() == {}


def test_bias_sums_that_are_added_under_masks_name_nothing_to_the_server():
    config = FedSPLITConfig(components=2, patterns=2, iterations=5, largest_group=4)
    hidden: Any = session("fedsplit", config, ratings(), 1, 1, sums=SumSettings(secure=True))
    assert hidden.bias_rows() == {}


@pytest.mark.parametrize(("biases", "alone"), [("evidence", False), ("groups", True)])
def test_an_attacker_has_a_groups_own_biases_where_it_sends_them_and_the_common_ones_where_not(biases, alone):
    told = session_of(biases=biases)
    message = messages_of(told, biases == "groups")[0]
    assert (message.item_bias is not None, message.summed_rows is None) == (alone, alone)
    assert message.centre == pytest.approx(float(told.shared()["network"][0]))
    assert message.common_bias.tolist() == told.shared()["items"][:, -1].tolist()
