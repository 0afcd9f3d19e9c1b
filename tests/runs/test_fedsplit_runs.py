"""A run of groups: evaluated after each exchange, opened and resumed to the same bits."""

from pathlib import Path
from typing import Any

import pytest
from small_runs import VILLAGE, everything_of

import covey
from covey.runs import Run

SETTINGS: dict[str, Any] = {
    "components": 4, "iterations": 5, "forgotten": 0.3, "late": 0.3, "alone": 0.1, "split": "random-covered", "seed": 3,
    "largest_group": 6, "workers": 1,
}  # fmt: skip


class CrashError(Exception):
    """Stands for a process that is killed."""


def trained(path: Path, **settings: Any) -> Run:
    return covey.train("fedsplit", VILLAGE, out=path, **{**SETTINGS, **settings})


def test_every_exchange_is_evaluated_with_the_people_who_are_shown_apart(tmp_path: Path) -> None:
    metrics = trained(tmp_path / "run").metrics
    assert metrics["round"].to_list() == [0, 1, 2, 3]
    assert metrics["rmse_late"].null_count() == metrics["rmse_alone"].null_count() == 0
    assert metrics["rmse_forgotten"].is_null().to_list() == [True, True, True, False]


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_run_that_crashed_ends_with_the_same_bits(tmp_path: Path, rounds: int) -> None:
    whole = trained(tmp_path / "whole")

    def crash(run: Run) -> None:
        if run.session.round == rounds:
            raise CrashError

    with pytest.raises(CrashError):
        trained(tmp_path / "broken", on_round=crash)
    again = covey.resume(tmp_path / "broken", VILLAGE)
    assert everything_of(again) == everything_of(whole)
    assert again.session.facts() == whole.session.facts()


def test_another_number_of_threads_changes_no_bit(tmp_path: Path) -> None:
    one, two = (trained(tmp_path / str(workers), workers=workers) for workers in (1, 2))
    assert everything_of(one) == everything_of(two)


def test_an_opened_run_recommends_what_it_recommended(tmp_path: Path) -> None:
    run = trained(tmp_path / "run")
    again = covey.open_run(run.path, VILLAGE)
    for person in VILLAGE.person_ids[:3]:
        assert again.recommend(person) == run.recommend(person)
