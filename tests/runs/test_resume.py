"""A run that was broken off anywhere ends with the bits of one that was not, or says clearly why it cannot."""

import errno
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from safetensors import SafetensorError
from small_runs import CHOICES, VILLAGE, everything_of, started, trained

import covey
from covey.engines import inprocess
from covey.errors import RunError
from covey.runs import Run, checkpoint
from covey.runs import run as run_module
from covey.runs.settings import younger_keys
from covey.runs.train import go_on
from covey.server import model as server_model
from covey.server.model import GlobalModel

algorithms = pytest.mark.parametrize("algorithm", CHOICES)


class CrashError(Exception):
    """Stands for a process that is killed."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    """What uninterrupted runs end with."""
    folder = tmp_path_factory.mktemp("whole")
    return {algorithm: everything_of(trained(folder / algorithm, algorithm)) for algorithm in CHOICES}


def crash_after(rounds: int) -> Any:
    def on_round(run: Run) -> None:
        if run.session.round == rounds:
            raise CrashError

    return on_round


@algorithms
@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_a_crash_after_a_round_loses_nothing(
    algorithm: str, rounds: int, tmp_path: Path, whole: dict[str, list[bytes]]
) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", algorithm, on_round=crash_after(rounds))
    assert covey.open_run(tmp_path / "run", VILLAGE).session.round == rounds
    assert everything_of(covey.resume(tmp_path / "run", VILLAGE)) == whole[algorithm]


@pytest.mark.parametrize("averaging", [0.0, 1.5])
def test_a_crash_in_pretraining_or_after_it_loses_nothing(averaging: float, tmp_path: Path) -> None:
    asked = {"model": "neumf", "pretrain_rounds": 2, "rounds": 2, "averaging": averaging}
    expected = everything_of(trained(tmp_path / "whole", "central-ncf", **asked))
    for rounds in (1, 2, 3):
        path = tmp_path / f"run{rounds}"
        with pytest.raises(CrashError):
            trained(path, "central-ncf", on_round=crash_after(rounds), **asked)
        assert everything_of(covey.resume(path, VILLAGE)) == expected


def test_a_run_from_before_a_key_was_there_goes_on_as_one_at_its_default(
    tmp_path: Path, whole: dict[str, list[bytes]]
) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", "central-ncf", on_round=crash_after(2))
    config = tmp_path / "run" / "config.toml"
    lines = config.read_text().splitlines(keepends=True)
    old = [line for line in lines if line.split(" = ")[0] not in younger_keys("central-ncf")]
    assert len(old) < len(lines)
    config.write_text("".join(old))
    with pytest.raises(RunError, match=r"averaging is 0\.0 there, 2\.0 here"):
        covey.resume(tmp_path / "run", VILLAGE, averaging=2.0)
    assert everything_of(covey.resume(tmp_path / "run", VILLAGE)) == whole["central-ncf"]


@algorithms
def test_crash_upon_crash_loses_nothing(
    algorithm: str, tmp_path: Path, whole: dict[str, list[bytes]]
) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", algorithm, on_round=crash_after(1))
    for rounds in (2, 3):
        with pytest.raises(CrashError):
            covey.resume(tmp_path / "run", VILLAGE, on_round=crash_after(rounds))
    assert everything_of(covey.resume(tmp_path / "run", VILLAGE)) == whole[algorithm]


# What a killed process may have been about to do, in the order in which a round does it.
MOMENTS = [
    (Run, "_record"),
    (inprocess.FederatedSession, "advance"),
    (checkpoint, "save"),
    (GlobalModel, "save"),
    (inprocess, "save_population"),
    (checkpoint, "write_whole"),
]


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("moment", MOMENTS, ids=[name for _, name in MOMENTS])
@pytest.mark.parametrize("error", [CrashError, KeyboardInterrupt])
def test_a_crash_inside_a_round_loses_that_round_at_most(
    error: type[BaseException],
    moment: tuple[Any, str],
    call: int,
    tmp_path: Path,
    whole: dict[str, list[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = started(tmp_path / "run")
    with monkeypatch.context() as patched:
        fail_at(patched, *moment, call, error)
        with pytest.raises(error):
            go_on(run)
    assert everything_of(covey.resume(tmp_path / "run", VILLAGE)) == whole["fedncf"]


def fail_at(patched: pytest.MonkeyPatch, owner: Any, name: str, call: int, error: Any) -> None:
    """Makes the call of that number, and no other, raise the error."""
    true, calls = getattr(owner, name), [0]

    def failing(*args: Any, **keywords: Any) -> Any:
        calls[0] += 1
        if calls[0] == call:
            raise error
        return true(*args, **keywords)

    patched.setattr(owner, name, failing)


FULL_DISK = OSError(errno.ENOSPC, "No space left on device")
FULL_BY_RUST = SafetensorError("Error while serializing: I/O error: No space left on device (os error 28)")
WRITES = [
    (server_model, "save_file", 2, FULL_BY_RUST),
    (server_model, "save_file", 3, FULL_DISK),
    (inprocess, "save_population", 2, FULL_DISK),
    (Path, "write_bytes", 2, FULL_DISK),  # of a round's progress and of the pointer
    (Path, "write_bytes", 5, FULL_DISK),
    (run_module, "save_file", 1, FULL_DISK),  # of the finished run's model
    (pl.DataFrame, "write_parquet", 1, FULL_DISK),
]


@pytest.mark.parametrize("write", WRITES, ids=[f"{name}-{call}" for _, name, call, _ in WRITES])
def test_a_full_disk_is_one_sentence_and_the_run_can_go_on(
    write: tuple[Any, str, int, Exception],
    tmp_path: Path,
    whole: dict[str, list[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = started(tmp_path / "run")
    with monkeypatch.context() as patched:
        fail_at(patched, *write)
        with pytest.raises(
            RunError, match=r"cannot write to .*: .*no space left on device.*; free some space"
        ):
            go_on(run)
    assert everything_of(covey.resume(tmp_path / "run", VILLAGE)) == whole["fedncf"]


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no /dev/full, a disk that is always full"
)
def test_a_disk_that_is_really_full_is_one_sentence_too(tmp_path: Path) -> None:
    run = started(tmp_path / "run")
    (run.path / "metrics.jsonl").symlink_to("/dev/full")
    with pytest.raises(RunError, match="no space left on device"):
        go_on(run)


def test_evaluated_rounds_after_the_last_whole_state_are_cut_from_the_journal(tmp_path: Path) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", on_round=crash_after(4))
    journal = tmp_path / "run" / "metrics.jsonl"
    kept = journal.read_bytes()
    with journal.open("ab") as file:
        file.write(b'{"round": 5, "hr@10": 1.0}\n{"rou')
    assert covey.open_run(tmp_path / "run", VILLAGE).metrics["round"].to_list() == [0, 3]
    assert journal.read_bytes() == kept


def test_a_resumed_run_that_was_finished_stays_as_it_is(
    tmp_path: Path, whole: dict[str, list[bytes]]
) -> None:
    trained(tmp_path / "run")
    assert everything_of(covey.resume(tmp_path / "run", VILLAGE)) == whole["fedncf"]


def test_another_configuration_is_refused_and_nothing_is_changed(tmp_path: Path) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", on_round=crash_after(2))
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    for other, words in (
        ({"seed": 4}, "seed is 3 there, 4 here"),
        ({"factors": 8}, "factors is 4 there, 8 here"),
    ):
        with pytest.raises(
            RunError, match=f"belongs to another configuration .*{words}.*nothing was changed"
        ):
            covey.resume(tmp_path / "run", VILLAGE, **other)
    with pytest.raises(RunError, match=r"belongs to another configuration .*people is 60 there, 40 here"):
        covey.resume(tmp_path / "run", VILLAGE.only_people(range(40)))
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_more_workers_may_go_on_with_a_run(tmp_path: Path, whole: dict[str, list[bytes]]) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", on_round=crash_after(2))
    assert everything_of(covey.resume(tmp_path / "run", VILLAGE, workers=2)) == whole["fedncf"]


@pytest.mark.parametrize("file", ["server.safetensors", "devices.safetensors", "progress.json"])
@pytest.mark.parametrize("damage", ["cut", "emptied", "scrambled", "lost"])
def test_a_damaged_state_is_one_sentence(file: str, damage: str, tmp_path: Path) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", on_round=crash_after(2))
    path = tmp_path / "run" / "state" / "even" / file
    data = path.read_bytes()
    if damage == "lost":
        path.unlink()
    else:
        path.write_bytes(
            {"cut": data[: len(data) // 2], "emptied": b"", "scrambled": b"\xff" * len(data)}[damage]
        )
    with pytest.raises(RunError, match=r"the state that .*good names is damaged \(.*\); start the run anew"):
        covey.resume(tmp_path / "run", VILLAGE)


@pytest.mark.parametrize("pointer", [b"", b"odder", b"\xff\xfe", b"/"])
def test_a_damaged_pointer_is_one_sentence(pointer: bytes, tmp_path: Path) -> None:
    with pytest.raises(CrashError):
        trained(tmp_path / "run", on_round=crash_after(2))
    (tmp_path / "run" / "state" / "good").write_bytes(pointer)
    with pytest.raises(RunError, match="damaged"):
        covey.resume(tmp_path / "run", VILLAGE)


def test_a_state_of_another_shape_is_damaged_too(tmp_path: Path) -> None:
    half = VILLAGE.only_people(range(30))
    for name, data, factors in (("run", VILLAGE, 4), ("fewer", half, 4), ("wider", VILLAGE, 5)):
        with pytest.raises(CrashError):
            trained(tmp_path / name, data=data, factors=factors, on_round=crash_after(2))
    for name in ("fewer", "wider"):
        shutil.copytree(tmp_path / name / "state", tmp_path / "run" / "state", dirs_exist_ok=True)
        with pytest.raises(RunError, match="damaged"):
            covey.resume(tmp_path / "run", VILLAGE)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no run at"):
        covey.resume(tmp_path / "nothing", VILLAGE)
    with pytest.raises(RunError, match="no run at"):
        covey.open_run(tmp_path, VILLAGE)


def test_the_two_slots_are_written_in_turn(tmp_path: Path) -> None:
    run = started(tmp_path / "run")
    state = tmp_path / "run" / "state"
    pointed = []
    for _ in range(3):
        run.round()
        pointed.append((state / "good").read_text())
    assert pointed == ["odd", "even", "odd"]
    assert checkpoint.restore(run.path, run.session) == run.seconds
