"""A finished run: its files, its account of bytes, its recommendations, and what it refuses."""

import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from safetensors.numpy import load_file
from small_runs import FEDERATED, VILLAGE, everything_of, started, trained

import covey
from covey.errors import ConfigError, DataError, RunError
from covey.runs import Run
from covey.testing.towns import Trap


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return trained(tmp_path_factory.mktemp("runs") / "village")


def test_evaluated_rounds_begin_before_training_and_end_with_the_last_round(run: Run) -> None:
    assert run.metrics["round"].to_list() == [0, 3, 5]
    assert run.metrics["global_round"].to_list() == pytest.approx([0, 1, 5 / 3])
    assert run.metrics["upload_bytes"].to_list() == sorted(run.metrics["upload_bytes"].to_list())
    assert {"hr@10", "ndcg@10", "download_bytes", "seconds"} <= set(run.metrics.columns)


def test_the_files_hold_what_the_run_says(run: Run) -> None:
    kept = load_file(run.path / "model.safetensors")
    assert {name: array.tobytes() for name, array in kept.items()} == {
        name: array.tobytes() for name, array in run.model.items()
    }
    assert pl.read_parquet(run.path / "metrics.parquet").equals(run.metrics)
    assert pl.read_parquet(run.path / "ledger.parquet").to_dicts() == run.session.ledger.entries()
    summary = json.loads((run.path / "summary.json").read_text())
    assert summary["finished"] is True
    assert summary["metrics"] == dict(run.evaluation())


def test_the_summary_accounts_for_the_bytes_of_a_person_and_a_pass(run: Run) -> None:
    summary = json.loads((run.path / "summary.json").read_text())
    ledger = pl.read_parquet(run.path / "ledger.parquet")
    for direction, name in (("up", "upload"), ("down", "download")):
        total = ledger.filter(pl.col("direction") == direction)["bytes"].sum()
        assert summary[f"{name}_bytes_per_person"] == pytest.approx(total / 60)
        assert summary[f"{name}_bytes_per_person_round"] == pytest.approx(total / 60 / (5 / 3))
        assert run.evaluate()[f"{name}_bytes"] == pytest.approx(total / 60)
    # Down: 22 of header, 40 of recipe, 120 items x 4 factors and 5 weights of 4 bytes, for five rounds of 20.
    plan_bytes = 22 + 40 + 4 * (120 * 4 + 5)
    assert summary["download_bytes_per_person"] == pytest.approx(5 * 20 / 60 * plan_bytes)


def test_the_summary_counts_the_operations_of_a_visit(run: Run) -> None:
    summary, rows = json.loads((run.path / "summary.json").read_text()), run.split.train.counts
    # Forward as the paper counts it: 2 a factor, 1 of the bias and 4 of the sigmoid, for 5 instances a row.
    forward = summary["forward_operations_per_person_round"]
    assert (forward["min"], forward["max"]) == (rows.min() * 5 * 13, rows.max() * 5 * 13)
    assert forward["mean"] == pytest.approx(rows.mean() * 5 * 13)
    assert summary["flops_per_person_round"]["mean"] > 2 * forward["mean"]


def test_private_files_are_their_owners_alone(run: Run) -> None:
    private = [*run.path.rglob("devices.safetensors"), run.path / "devices" / "values.parquet"]
    assert len(private) == 3
    assert {stat.S_IMODE(file.stat().st_mode) for file in private} == {0o600}
    assert stat.S_IMODE((run.path / "devices").stat().st_mode) == 0o700


def test_what_the_server_keeps_holds_nobodys_vector(run: Run) -> None:
    vectors = run.session.population.vectors  # type: ignore[attr-defined]  # a federated session has one
    for file in run.path.rglob("*"):
        if file.is_file() and file.name != "devices.safetensors":
            data = file.read_bytes()
            assert not any(vector.tobytes() in data for vector in vectors), f"{file} holds a private vector"


def test_recommendations_are_new_to_the_person_and_best_first(run: Run) -> None:
    for person in (0, 17, 59):
        listed = run.recommend(VILLAGE.person_ids[person], k=10)
        had = {VILLAGE.item_ids[int(item)] for item in VILLAGE.item[VILLAGE.person == person]}
        assert len({line.item for line in listed}) == 10
        assert not {line.item for line in listed} & had
        assert [line.score for line in listed] == sorted((line.score for line in listed), reverse=True)
        assert all(line.title for line in listed)


def test_a_person_can_be_asked_for_everything_that_is_left(run: Run) -> None:
    had = int((VILLAGE.person == 0).sum())
    assert len(run.recommend(VILLAGE.person_ids[0], k=1000)) == 120 - had


def test_an_unknown_person_and_an_empty_list_are_refused(run: Run) -> None:
    with pytest.raises(DataError, match=r"nobody in .* has the id 'nobody'"):
        run.recommend("nobody")
    with pytest.raises(DataError, match="at least 1"):
        run.recommend(VILLAGE.person_ids[0], k=0)


def test_an_opened_run_is_the_run_that_was_left(run: Run) -> None:
    opened = covey.open_run(run.path, VILLAGE)
    assert everything_of(opened) == everything_of(run)
    assert opened.evaluate() == run.evaluate()


@pytest.mark.parametrize("algorithm", ["fedncf", "central-ncf"])
def test_training_never_looks_at_held_out_rows(algorithm: str, tmp_path: Path) -> None:
    """Nor does it change with them: neither traps in their place nor other items leave a mark."""
    runs = [started(tmp_path / name, algorithm) for name in ("plain", "trapped", "other")]
    trap: Any = Trap()
    runs[1].split = replace(runs[1].split, valid=trap, test=trap)
    test = runs[2].split.test
    runs[2].split = replace(runs[2].split, test=replace(test, item=(test.item + 1) % test.item_count))
    for each in runs:
        while each.session.round < each.session.rounds:
            each.session.advance()
    plain, trapped, other = ([array.tobytes() for array in each.model.values()] for each in runs)
    assert plain == trapped == other


def test_other_held_out_items_in_the_data_leave_the_same_model(tmp_path: Path) -> None:
    """From the file on: everybody's last item is another one, and the model has the same bits."""
    order = np.lexsort((np.arange(len(VILLAGE)), VILLAGE.time, VILLAGE.person))
    last = np.array([order[VILLAGE.person[order] == person][-1] for person in range(60)])
    item = VILLAGE.item.copy()
    for person, row in enumerate(last):
        had = set(VILLAGE.item[VILLAGE.person == person].tolist())
        item[row] = next(other for other in range(119, -1, -1) if other not in had)
    moved = trained(tmp_path / "moved", data=replace(VILLAGE, item=item))
    plain = trained(tmp_path / "plain")
    assert moved.evaluate() != plain.evaluate()
    for name, array in plain.model.items():
        assert moved.model[name].tobytes() == array.tobytes()


def test_nothing_is_written_where_anything_is_wrong(tmp_path: Path) -> None:
    for bad, error in (
        ({"people_per_round": 61}, "people_per_round is 61, but there are only 60 people"),
        ({"learning_rte": 1}, "did you mean 'learning_rate'"),
        ({"factors": 0}, "factors must be from 1"),
        ({"factors": "many"}, "factors must be a whole number, got 'many'"),
        ({"participation": 0}, "participation must be above 0"),
        ({"candidates": "gven"}, "did you mean 'given'"),
    ):
        with pytest.raises(ConfigError, match=error):
            trained(tmp_path / "run", **bad)
        assert not list(tmp_path.iterdir())


def test_a_run_appears_together_with_its_yardsticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the two, a run would go on without what it was asked to stand beside."""
    true, appeared = Path.rename, list[bool]()

    def watched(draft: Path, target: Path) -> Path:
        appeared.append((draft / "beside/most-popular/config.toml").is_file())
        return true(draft, target)

    monkeypatch.setattr(Path, "rename", watched)
    started(tmp_path / "run", beside=("most-popular",))
    assert appeared == [True]


def test_a_folder_in_use_is_refused_and_left_alone(run: Run, tmp_path: Path) -> None:
    before = {file: file.read_bytes() for file in run.path.rglob("*") if file.is_file()}
    with pytest.raises(RunError, match="already holds this run; go on with it by"):
        trained(run.path)
    with pytest.raises(RunError, match=r"belongs to another configuration .*factors is 4 there, 5 here"):
        trained(run.path, factors=5)
    assert {file: file.read_bytes() for file in run.path.rglob("*") if file.is_file()} == before
    (tmp_path / "letters.txt").write_text("mine")
    with pytest.raises(RunError, match="not empty and holds no run"):
        trained(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["letters.txt"]


def test_participation_leaves_people_out_of_the_run_altogether(tmp_path: Path) -> None:
    run = trained(tmp_path / "half", participation=0.5, people_per_round=15, rounds=2)
    assert run.data.people_count == 30
    assert run.session.rounds_a_pass == 2
    again = started(tmp_path / "again", participation=0.5, people_per_round=15, rounds=2)
    assert again.data.person_ids.to_list() == run.data.person_ids.to_list()


def test_a_validation_run_keeps_the_test_rows_out_of_training_too(tmp_path: Path) -> None:
    run = started(tmp_path / "valid", part="valid")
    assert run.split.train.counts.tolist() == [rows - 2 for rows in VILLAGE.counts.tolist()]
    assert run.evaluation().part == "valid"


def test_workers_change_no_bit(tmp_path: Path) -> None:
    assert everything_of(trained(tmp_path / "one")) == everything_of(trained(tmp_path / "two", workers=2))


def test_most_popular_is_a_run_like_any_other(tmp_path: Path) -> None:
    run = covey.train("most-popular", VILLAGE, out=tmp_path / "run")
    had = np.bincount(run.split.train.item, minlength=120)
    best = run.recommend(VILLAGE.person_ids[0], k=1)[0]
    assert best.score == had[~np.isin(np.arange(120), VILLAGE.item[VILLAGE.person == 0])].max()
    assert "upload_bytes" not in run.evaluate()
    assert FEDERATED["rounds"] != run.session.rounds == 1
