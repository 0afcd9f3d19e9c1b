"""Audits person by person as a whole, on a village: what they say, and what masks take away."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from covey.aggregation.secure import Settings
from covey.audit import audit
from covey.audit.refusal import sums_given
from covey.audit.watched import chosen, session_of
from covey.datasets import load
from covey.errors import ConfigError, RunError
from covey.reproduce.attacks import server_attacks, server_headlines
from covey.runs import Run
from covey.runs.audited import Audit, Finding
from covey.runs.settings import parse
from covey.testing.towns import histories

SMALL: dict[str, dict[str, Any]] = {
    "fedncf": {"factors": 4, "people_per_round": 20, "global_rounds": 5},
    "fcf": {"factors": 4, "global_rounds": 3},
    "fpl": {"factors": 4, "rounds": 30, "disclose": 0.4},
}


def finished(algorithm: str, **settings: Any) -> Run:
    """A run that stays in memory, trained to its end."""
    run_settings, config = parse(algorithm, {**SMALL[algorithm], **settings, "workers": 1})
    run = Run(Path(), algorithm, run_settings, config, load("synthetic:village"))
    while run.session.round < run.session.rounds:
        run.session.advance_by(run.session.rounds - run.session.round)
    return run


@pytest.fixture(scope="module")
def found() -> dict[str, Audit]:
    return {name: audit(finished(name), people=8) for name in SMALL}


def finding(of: Audit, key: str) -> Finding:
    return next(each for each in of.findings if each.key == key)


def test_one_plain_message_gives_the_history_away(found):
    assert finding(found["fedncf"], "one_message").headline.reached.mean > 0.95
    assert finding(found["fcf"], "one_message").headline.reached.mean == 1


def test_rows_alone_tell_nothing_at_first_and_nearly_all_when_the_person_came_back(found):
    back = finding(found["fedncf"], "own_or_sampled").charts[0].curves[0]
    assert (back.y[0].mean, back.reads_message) == (0.5, True)
    assert back.y[-1].mean > 0.9


def test_at_pi_0_signs_are_near_a_coin_and_the_more_is_disclosed_the_more_they_tell(found):
    by_pi = {each.attacker: each.reached.mean for each in finding(found["fpl"], "signs").levels}
    assert by_pi["pi 0"] < by_pi["pi 0.1"] < by_pi["pi 0.4, the run's"] < by_pi["pi 1"]
    assert by_pi["pi 0"] < 0.75


def test_every_system_is_audited_on_its_sums_beside_popularity(found):
    for name, each in found.items():
        levels = finding(each, "one_sum").levels
        assert [level.reads_message for level in levels] == [True, True, True, False], name
        assert "the people in the second refuse it" in finding(each, "two_sums").found


def test_sums_with_and_without_a_person_give_the_message_back_where_nothing_is_drawn(found):
    assert finding(found["fcf"], "two_sums").headline.reached.mean == 1


def test_all_sums_are_solved_where_groups_change_and_not_where_everybody_is_in_each(found):
    assert [each.key for each in found["fedncf"].findings][-1] == "all_sums"
    assert "all_sums" not in [each.key for each in found["fcf"].findings]


def test_means_are_over_the_people_who_were_asked_for(found):
    for each in found.values():
        assert (each.audited, each.audited_are) == (8, "people")
        assert all(level.reached.over <= 8 for one in each.findings for level in one.levels)


def test_the_same_seed_finds_the_same_and_the_run_stays_as_it_was():
    run = finished("fedncf")
    before = run.session.shared()["items"].tobytes(), session_of(run).population.vectors.tobytes()
    assert audit(run, people=4, seed=3) == audit(run, people=4, seed=3)
    assert before == (run.session.shared()["items"].tobytes(), session_of(run).population.vectors.tobytes())


def test_of_a_run_under_masks_sums_come_first_and_messages_are_what_it_would_have_seen():
    of = audit(finished("fedncf", secure=True, global_rounds=1), people=3)
    titles = [each.title for each in of.findings]
    assert titles[0].endswith("From one round's sum")
    assert [each.key for each in of.findings if not each.title.startswith("Without masks: ")] == [
        "one_sum",
        "all_sums",
    ]
    assert "under masks, the server had no such message" in finding(of, "one_message").attacker_has
    assert "under masks, the server had not both" in finding(of, "two_sums").attacker_has
    assert set(server_headlines(of, secure=True)) == {"one_sum", "all_sums", "popular"}


def test_ratings_come_back_from_one_message_of_ratings():
    of = audit(finished("fcf", feedback="explicit"), people=3)
    told = finding(of, "ratings")
    assert told.headline.reached.mean < 1e-3 < told.headline.chance


def test_gradients_of_all_items_are_read_too():
    published = {"payload": "all", "server_step": "adam", "scaling": 0.0}
    assert finding(audit(finished("fcf", **published), people=3), "one_message").headline.reached.mean > 0.9


@pytest.mark.parametrize(("least", "given"), [(1, 2), (10, 1)])
def test_the_second_of_two_sums_that_differ_by_one_person_is_refused_by_default(least, given):
    session = session_of(finished("fcf", global_rounds=1))
    assert sums_given(session, list(range(5)), Settings(least_people=2, least_difference=least)) == given


def test_a_person_with_nothing_or_with_everything_is_not_attacked_and_two_people_are_too_few():
    assert chosen(histories([[], [0, 1], [0], [1], [0]], 2), 9, 0).tolist() == [2, 3, 4]
    with pytest.raises(RunError, match="expected at least 3 people to audit, got 2"):
        chosen(histories([[0], [1]], 3), 9, 0)
    with pytest.raises(ConfigError, match="expected at least 3 people, got 2"):
        audit(finished("fcf", global_rounds=1), people=2)


def test_the_measure_keeps_the_runs_metrics_the_areas_and_every_curve():
    found = server_attacks("fedncf", {**SMALL["fedncf"], "workers": 1}, 1, load("synthetic:village"))
    assert {
        "hr@10",
        "one_message",
        "own_or_sampled",
        "came_back",
        "one_sum",
        "two_sums",
        "all_sums",
        "popular",
    } <= set(found["metrics"])
    assert "own_or_sampled/own_or_sampled/how often it came back" in found["curve"]


def test_no_id_or_single_figure_is_in_what_is_written(found):
    for each in found.values():
        text = msgspec.json.encode(each).decode()
        assert '"person"' not in text
        assert "Watched" not in text
