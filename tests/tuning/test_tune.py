"""A study tries settings on the validation part, the same ones however often it is stopped."""

import dataclasses
import json
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import covey
from covey.algorithms.registry import ALGORITHMS, algorithm_class
from covey.datasets import Interactions, load
from covey.errors import ConfigError, RunError
from covey.runs import checkpoint
from covey.runs.settings import RunSettings
from covey.splits import without_test
from covey.tuning import Study, open_study, start_study
from covey.tuning.found import Tried
from covey.tuning.optimizer import JOURNAL, Optimizer
from covey.tuning.page import history
from covey.tuning.space import Choices, Numbers, read, space_of, usual

pytest.importorskip("optuna")

VILLAGE = load("synthetic:village")
SETTINGS: dict[str, Any] = {"people_per_round": 20, "global_rounds": 2, "workers": 1, "seed": 3}
OVER = {"factors": "2..8:log", "learning_rate": "0.05..2:log", "aggregation": "per-item|simple"}


def tuned(path: Path, data: Interactions = VILLAGE, **asked: Any) -> Study:
    return covey.tune("fedncf", data, out=path, **{**SETTINGS, "over": OVER, "trials": 5, **asked})


def trials_of(study: Study) -> list:
    return study.found().tried


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Five trials. Not to be written to."""
    return tuned(tmp_path_factory.mktemp("tuned") / "whole")


def with_other_last_rows(data: Interactions, split: str) -> Interactions:
    """The same data, but everybody's test rows hold other items and values."""
    parts = covey.split(data, split, validation=True, seed=3)
    item, value = data.item.copy(), data.value.copy()
    for person in range(data.people_count):
        held_out = set(parts.test.of(person).item.tolist())
        free = sorted(set(range(data.item_count)) - set(data.item[data.person == person].tolist()))
        for n, row in enumerate(np.flatnonzero((data.person == person) & np.isin(data.item, list(held_out)))):
            item[row], value[row] = free[n], 1.0
    return dataclasses.replace(data, item=item, value=value)


# --- what it does ---


@pytest.mark.parametrize("split", ["leave-last-out", "temporal"])
@pytest.mark.parametrize("candidates", ["sampled", "all"])
def test_what_people_hold_out_for_the_test_changes_nothing(tmp_path: Path, split: str, candidates: str):
    other = with_other_last_rows(VILLAGE, split)
    assert not np.array_equal(other.item, VILLAGE.item)
    asked = {"split": split, "candidates": candidates, "trials": 2}
    with_these, with_others = (
        tuned(tmp_path / name, data, **asked) for name, data in (("these", VILLAGE), ("others", other))
    )
    assert trials_of(with_these) == trials_of(with_others)


def test_a_run_that_validates_has_no_test_rows_anywhere(tmp_path: Path):
    run = covey.runs.start("fedncf", VILLAGE, out=tmp_path / "run", part="valid", **SETTINGS)
    assert len(run.split.test) == 0
    whole = covey.split(VILLAGE, "leave-last-out", validation=True, seed=3)
    assert len(run.split.valid) == len(whole.valid) == 60
    assert run.split.cold_items.tolist() == without_test(whole).cold_items.tolist()


def test_trials_lie_in_their_ranges_and_the_best_has_the_best_value(whole: Study):
    found = whole.found()
    assert [each.number for each in found.tried] == [1, 2, 3, 4, 5]
    for each in found.tried:
        assert 2 <= each.settings["factors"] <= 8
        assert 0.05 <= each.settings["learning_rate"] <= 2
        assert each.settings["aggregation"] in ("per-item", "simple")
    assert found.best.value == max(each.value for each in found.tried)


def test_a_trials_value_is_that_of_its_run_on_the_validation_part(whole: Study, tmp_path: Path):
    best = whole.found().best
    run = covey.train("fedncf", VILLAGE, out=tmp_path / "run", part="valid", **SETTINGS, **best.settings)
    assert run.evaluate()["hr@10"] == best.value


def test_the_command_trains_with_the_best_settings_and_looks_at_the_test(
    whole: Study, tmp_path: Path, monkeypatch
):
    from covey.cli.main import main

    monkeypatch.chdir(tmp_path)
    found = whole.found()
    words = found.command.split()
    assert words[:2] == ["covey", "train"]
    assert main([*words[1:], "--out", "run", "--beside", "none", "-q"]) == 0
    config = covey.open_run("run").config
    assert {key: getattr(config, key) for key in found.best.settings} == found.best.settings
    assert covey.open_run("run").settings == RunSettings(seed=3)
    stored = json.loads((whole.path / "best.json").read_text())
    assert stored["settings"]["factors"] == found.best.settings["factors"]
    assert stored["settings"]["people_per_round"] == 20
    assert (stored["value"], stored["command"], stored["part"]) == (found.best.value, found.command, "valid")


def test_the_same_seed_gives_the_same_trials_and_another_seed_others(whole: Study, tmp_path: Path):
    assert trials_of(tuned(tmp_path / "same")) == trials_of(whole)
    assert trials_of(tuned(tmp_path / "other", seed=4, trials=2)) != trials_of(whole)[:2]


@pytest.mark.parametrize("prune", [False, True])
def test_stopped_in_a_trial_it_goes_on_to_the_same_trials(tmp_path: Path, prune: bool, monkeypatch):
    monkeypatch.setattr(checkpoint, "PAUSE_S", 0.0)
    unbroken = tuned(tmp_path / "unbroken", prune=prune, trials=4)
    seen: list[str] = []

    @contextmanager
    def stop_in_the_third(run):
        seen.append(run.path.name)

        def on_round(run) -> None:
            if len(seen) == 3 and run.session.round == 4:
                raise KeyboardInterrupt

        yield on_round

    with pytest.raises(KeyboardInterrupt):
        tuned(tmp_path / "stopped", prune=prune, trials=4, watch=stop_in_the_third)
    assert seen == ["0001", "0002", "0003"]
    resumed = open_study(tmp_path / "stopped", VILLAGE)
    again: list[int] = []
    resumed.go_on(on_trial=lambda tried: again.append(tried.number))
    assert again == [3, 4]
    assert trials_of(resumed) == trials_of(unbroken)


def test_stopped_while_a_trial_was_proposed_it_proposes_the_same(whole: Study, tmp_path: Path, monkeypatch):
    from covey.tuning import optimizer

    suggest, asked = optimizer._suggest, []

    def stop_at_the_fifth(trial, name, range_) -> None:
        asked.append(name)
        if len(asked) == 5:
            raise KeyboardInterrupt
        suggest(trial, name, range_)

    monkeypatch.setattr(optimizer, "_suggest", stop_at_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        tuned(tmp_path / "s")
    monkeypatch.setattr(optimizer, "_suggest", suggest)
    resumed = open_study(tmp_path / "s", VILLAGE)
    resumed.go_on()
    plain = [(each.settings, each.value) for each in trials_of(resumed)]
    assert plain == [(each.settings, each.value) for each in trials_of(whole)]


def test_a_record_that_was_cut_short_is_mended(whole: Study, tmp_path: Path):
    shutil.copytree(whole.path, tmp_path / "s")
    with (tmp_path / "s" / JOURNAL).open("ab") as journal:
        journal.write(b'{"op_code": 4, "work')
    more = open_study(tmp_path / "s", VILLAGE, trials=6)
    more.go_on()
    assert trials_of(more)[:5] == trials_of(whole)
    assert len(trials_of(open_study(tmp_path / "s", VILLAGE))) == 6


def test_a_trial_that_diverges_is_told_and_the_study_goes_on(tmp_path: Path):
    study = tuned(tmp_path / "s", over={"learning_rate": "0.1|1e30"}, trials=6)
    tried = trials_of(study)
    diverged = [each for each in tried if each.value is None]
    assert diverged
    assert all(each.settings == {"learning_rate": 1e30} and each.why for each in diverged)
    assert study.found().best.settings == {"learning_rate": 0.1}
    assert "ended early" in (tmp_path / "s/report.md").read_text()


def test_where_every_trial_diverges_it_says_so(tmp_path: Path):
    with pytest.raises(RunError, match=r"no trial of .* came to its end"):
        tuned(tmp_path / "s", over={"learning_rate": "1e30..1e31"}, trials=1)


def test_behind_the_median_of_those_before_a_trial_may_end(tmp_path: Path):
    optimizer = Optimizer(tmp_path, 0, {"factors": Numbers(2, 8, False, True)}, lower=False)
    for value in (0.2, 0.3, 0.4, 0.5, 0.6):
        trial = optimizer.next()
        assert not optimizer.report(trial, 1, value), "the first five come to their end"
        optimizer.done(trial, value)
    ahead = optimizer.next()
    assert not optimizer.report(ahead, 1, 0.45)
    assert not optimizer.report(optimizer.next(), 1, 0.45), "the same trial, gone on with, says a round again"
    optimizer.done(ahead, 0.45)
    assert optimizer.report(optimizer.next(), 1, 0.35)


def test_a_trial_that_ends_early_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Optimizer, "report", lambda self, trial, step, value: trial.number == 1)
    study = tuned(tmp_path / "s", prune=True, trials=3)
    assert [each.value is None for each in trials_of(study)] == [False, True, False]
    assert "behind the median" in trials_of(study)[1].why
    assert "ended early" in (tmp_path / "s/report.md").read_text()


def test_a_trial_keeps_no_model_and_nothing_of_people(whole: Study):
    names = {path.name for path in (whole.path / "trials").rglob("*")}
    assert names & {"devices", "state", "model.safetensors", "values.parquet"} == set()
    assert {"config.toml", "summary.json", "metrics.parquet"} <= names


def test_the_report_has_history_importance_and_the_command(whole: Study):
    found = whole.found()
    page, markdown = ((whole.path / name).read_text() for name in ("report.html", "report.md"))
    assert "HR@10 by trial" in page
    assert "HR@10 by learning_rate" in page
    assert "HR@10 by aggregation" not in page
    assert ("Importance of each key" in page) == bool(found.importance)
    assert found.command in markdown
    assert len(json.loads((whole.path / "report.json").read_text())["trials"]) == 5


def test_the_best_so_far_of_an_error_goes_down_in_steps(whole: Study):
    values = [Tried(1, {}, 0.9, ""), Tried(2, {}, 0.7, ""), Tried(3, {}, 0.8, "")]
    asked = msgspec.structs.replace(whole.asked, metric="rmse")
    found = dataclasses.replace(whole.found(), asked=asked, tried=values)
    assert history(found).series[0].points == ((1, 0.9), (2, 0.9), (2, 0.7), (3, 0.7))


# --- more of it, and what is refused ---


def test_more_trials_may_be_asked_and_no_fewer(whole: Study, tmp_path: Path):
    shutil.copytree(whole.path, tmp_path / "s")
    assert open_study(tmp_path / "s", VILLAGE, trials=6).asked.trials == 6
    assert open_study(tmp_path / "s", VILLAGE).asked.trials == 6
    with pytest.raises(ConfigError, match="asked for 6 trials already, got 2"):
        open_study(tmp_path / "s", VILLAGE, trials=2)


def test_a_folder_of_another_study_is_refused_and_nothing_changes(whole: Study, tmp_path: Path):
    shutil.copytree(whole.path, tmp_path / "s")
    before = {path: path.read_bytes() for path in (tmp_path / "s").rglob("*") if path.is_file()}
    for other, said in (
        ({}, "already holds this study; go on with it by --resume"),
        (
            {"over": {"factors": "2..9"}},
            "another configuration .*the range of factors is '2..8:log' there, '2..9' here",
        ),
        ({"seed": 4}, "another configuration .*seed is 3 there, 4 here"),
        ({"global_rounds": 3}, "another configuration .*global_rounds is 2 there, 3 here"),
        ({"metric": "ndcg@10"}, "another configuration .*metric is 'hr@10' there"),
    ):
        with pytest.raises(RunError, match=said):
            tuned(tmp_path / "s", **other)
    with pytest.raises(RunError, match="from other data"):
        open_study(tmp_path / "s", VILLAGE.only_people(range(40)))
    assert {path: path.read_bytes() for path in (tmp_path / "s").rglob("*") if path.is_file()} == before


def test_ranges_are_read_by_the_keys_kind():
    assert read("fedncf", "factors", "8..64:log") == Numbers(8, 64, True, True)
    assert read("fedncf", "learning_rate", "0.1..2") == Numbers(0.1, 2, False, False)
    assert read("fedncf", "hidden", "48,24|12") == Choices(("48,24", "12"))


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_every_declared_space_can_be_used(algorithm: str):
    if not getattr(algorithm_class(algorithm), "space", None) and not usual(algorithm):
        with pytest.raises(ConfigError, match="has nothing to tune"):
            space_of(algorithm, {}, {})
        return
    space = space_of(algorithm, {}, {})
    assert all(read(algorithm, key, text) for key, text in space.items())


def test_an_algorithm_without_ranges_is_tuned_around_its_defaults(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(algorithm_class("central-ncf"), "space")
    assert space_of("central-ncf", {}, {}) == {
        "factors": "3..48:log",
        "negatives": "1..8",
        "learning_rate": "0.0001..0.01:log",
    }


def test_what_is_fixed_is_not_tuned():
    assert "factors" not in space_of("fedncf", {}, {"factors": 8})
    start: Any = start_study
    with pytest.raises(ConfigError, match=r"factors is both fixed \(8\) and to be tuned"):
        start("fedncf", VILLAGE, over={"factors": "2..4"}, factors=8)
