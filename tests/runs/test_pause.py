"""Rounds of a few milliseconds are not each saved; what is saved is whole all the same."""

import math
from pathlib import Path

import pytest
from small_runs import VILLAGE, everything_of, started

import covey
from covey.runs import checkpoint
from covey.runs.train import go_on


@pytest.fixture(autouse=True)
def _never_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "PAUSE_S", math.inf)


def test_the_end_of_a_global_round_is_saved_in_the_other_slot_than_the_last(tmp_path: Path) -> None:
    run = started(tmp_path / "run", rounds=8, people_per_round=0.5, evaluate_every=100)
    pointed = []
    while run.session.round < run.session.rounds:
        run.round()
        if run.session.round % run.session.rounds_a_pass == 0:
            pointed.append((run.path / "state" / "good").read_text())
    assert run.session.rounds_a_pass == 2
    assert pointed == ["odd", "even", "odd", "even"]


def test_a_run_cut_off_between_saves_ends_with_the_bits_of_an_unbroken_one(tmp_path: Path) -> None:
    whole = started(tmp_path / "whole", global_rounds=3, people_per_round=0.2, rounds=0)
    go_on(whole)
    cut = started(tmp_path / "cut", global_rounds=3, people_per_round=0.2, rounds=0)
    for _ in range(cut.session.rounds_a_pass + 2):
        cut.round()
    assert everything_of(covey.resume(tmp_path / "cut", VILLAGE)) == everything_of(whole)
