"""`covey audit`: what it shows and writes, and what it refuses."""

import json

import pytest

GROUPS = (
    "--set",
    "largest_group=8",
    "--set",
    "components=4",
    "--set",
    "iterations=10",
    "--set",
    "split=random",
)


@pytest.fixture
def run(covey, home):
    ended = covey("train", "fedsplit", "--data", "synthetic:village", *GROUPS, "--out", "run", "--quiet")
    assert ended.code == 0, ended.err
    return home / "run"


def test_an_audit_is_shown_written_and_drawn(covey, run):
    ended = covey("audit", "run", "--groups", "4", "--quiet")
    assert ended.code == 0, ended.err
    assert "GroupPatterns.patterns" in ended.out
    assert "error on ratings not known, half of the people known" in ended.out
    assert "Means over 4 of" in ended.out
    assert json.loads((run / "audit.json").read_bytes())["audited"] == 4
    assert "What somebody could learn from it" in (run / "report.html").read_text()


def test_an_audit_changes_nothing_of_the_run_and_comes_out_the_same_again(covey, run):
    before = (run / "summary.json").read_bytes()
    covey("audit", "run", "--groups", "3", "--seed", "2")
    first = (run / "audit.json").read_bytes()
    covey("audit", "run", "--groups", "3", "--seed", "2")
    assert (run / "audit.json").read_bytes() == first
    assert (run / "summary.json").read_bytes() == before


def test_a_report_made_later_keeps_the_audit_and_a_damaged_one_is_named(covey, run):
    covey("audit", "run", "--groups", "3")
    assert covey("report", "run").code == 0
    assert "could learn" in (run / "report.html").read_text()
    (run / "audit.json").write_bytes(b"half")
    ended = covey("report", "run")
    assert ended.code == 2
    assert "audit.json is damaged" in ended.err
    assert "make it anew: covey audit run" in ended.err
    assert covey("audit", "run", "--groups", "3").code == 0


def test_a_run_that_is_not_finished_is_told_how_to_end(covey, run):
    (run / "state" / "good").unlink()
    ended = covey("audit", "run")
    assert ended.code == 2
    assert "not finished (round 0 of 2); go on with it first: covey train --resume run" in ended.err


def test_a_mean_over_two_groups_is_refused(covey, run):
    ended = covey("audit", "run", "--groups", "2")
    assert ended.code == 2
    assert "expected at least 3 groups, got 2" in ended.err


def test_a_run_person_by_person_is_audited_of_so_many_people(covey, village):
    covey("train", "fedncf", *village, "--out", "run", "--quiet")
    ended = covey("audit", "run", "--people", "3", "--quiet")
    assert ended.code == 0, ended.err
    assert "Means over 3 of" in ended.out
    assert "from one message: had or not, area under the ROC curve" in ended.out
    assert (
        covey("audit", "run", "--people", "2")
        .err.strip()
        .startswith("error: expected at least 3 people, got 2")
    )


def test_a_run_that_sends_nothing_has_no_audit_and_says_why_in_one_sentence(covey, village):
    covey("train", "fedncf", *village, "--out", "run", "--quiet")
    ended = covey("audit", "run/beside/most-popular")
    assert ended.code == 2
    assert "nothing left a device, every history was in one place" in ended.err


def test_a_folder_without_a_run_is_named(covey):
    ended = covey("audit", "nowhere")
    assert ended.code == 2
    assert "no run at nowhere" in ended.err
