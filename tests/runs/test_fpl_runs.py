"""A run of sequential FPL goes in blocks of rounds: evaluated where it is due, saved between, resumed to the same bits."""

from pathlib import Path
from typing import Any

import pytest
from small_runs import VILLAGE, everything_of

import covey
from covey.engines import inprocess
from covey.runs import Run

SETTINGS: dict[str, Any] = {
    "factors": 4, "people_per_round": 1, "disclose": 0.5, "disclose_spread": 0.5, "epochs": 2, "seed": 3, "workers": 1,
    "evaluate_every": 4,
}  # fmt: skip


class CrashError(Exception):
    """Stands for a process that is killed."""


def trained(path: Path, **settings: Any) -> Run:
    return covey.train("fpl", VILLAGE, out=path, **{**SETTINGS, **settings})


def test_a_run_evaluates_on_its_way_where_single_rounds_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = trained(tmp_path / "blocks", epochs=1)
    monkeypatch.setattr(inprocess, "BLOCK", 1)
    singly = trained(tmp_path / "singly", epochs=1)
    assert everything_of(blocks) == everything_of(singly)
    every, people = blocks.metrics["round"].to_list(), blocks.data.people_count
    assert every == [*range(0, blocks.session.rounds, 4 * people), blocks.session.rounds]


def test_a_run_that_crashed_between_two_blocks_ends_with_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = trained(tmp_path / "whole")
    monkeypatch.setattr(inprocess, "BLOCK", 70)
    calls: list[int] = []

    def crash_at_the_fifth(run: Run) -> None:
        calls.append(run.session.round)
        if len(calls) == 5:
            raise CrashError

    with pytest.raises(CrashError):
        trained(tmp_path / "broken", on_round=crash_at_the_fifth)
    assert calls == [70, 140, 210, 240, 310]
    assert everything_of(covey.resume(tmp_path / "broken", VILLAGE)) == everything_of(whole)


def test_central_bpr_stands_beside_with_its_factors(tmp_path: Path) -> None:
    run = trained(tmp_path / "run", epochs=1, beside=["bpr-mf"])
    beside = covey.open_run(run.path / "beside" / "bpr-mf", VILLAGE)
    assert beside.config.factors == 4
    assert beside.session.title == "central BPR-MF"
