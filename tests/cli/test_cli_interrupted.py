"""A run that was stopped, by Ctrl-C or by a kill, ends with the bits of one that never was."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from covey.engines.inprocess import FederatedSession
from covey.runs import checkpoint

# Long enough to be caught in the middle: hundreds of rounds, each evaluated pass a line on standard error.
LONG = (
    *("train", "fedncf", "--data", "synthetic:village", "--seed", "5", "--beside", "most-popular"),
    *("--set", "people_per_round=20", "--set", "global_rounds=150", "--set", "evaluate_every=1"),
    *("--set", "factors=4", "--set", "server_step=momentum", "--set", "workers=1"),
)
SHORT = (*LONG, "--set", "global_rounds=3")


def stopped(home: Path, how: signal.Signals, after: int) -> tuple[int, str]:
    """Starts the long run in a process of its own and stops it after so many global rounds; its end, and what it said."""
    program = "import sys; from covey.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, *LONG, "--out", "run"]
    with subprocess.Popen(
        command, cwd=home, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if f"(global round {after})" in line:
                process.send_signal(how)
                break
        said = process.stderr.read()
    return process.returncode, said


def assert_same_bits(run: Path, unbroken: Path) -> None:
    """The model, the account, what the devices keep, and all metrics; only seconds differ."""
    for name in ("model.safetensors", "ledger.parquet", "devices/values.parquet"):
        assert (run / name).read_bytes() == (unbroken / name).read_bytes(), name
    metrics = [pl.read_parquet(path / "metrics.parquet").drop("seconds") for path in (run, unbroken)]
    assert metrics[0].equals(metrics[1])
    kept = [json.loads((path / "summary.json").read_bytes()) for path in (run, unbroken)]
    assert {**kept[0], "seconds": 0} == {**kept[1], "seconds": 0}


@pytest.fixture
def unbroken(covey, home: Path) -> Path:
    assert covey(*LONG, "--out", "unbroken", "--quiet").code == 0
    return home / "unbroken"


def test_after_ctrl_c_a_run_goes_on_to_the_same_bits(covey, home: Path, unbroken: Path):
    code, said = stopped(home, signal.SIGINT, after=4)

    assert code == 130
    assert said.splitlines()[-1] == "Interrupted; what is done is saved. Go on with: covey train --resume run"
    summary = json.loads((home / "run/summary.json").read_bytes())
    assert not summary["finished"]
    assert 4 <= summary["global_rounds"] < 150
    assert "interrupted" in covey("report", "run").out

    assert covey("train", "--resume", "run", "--quiet").code == 0
    assert_same_bits(home / "run", unbroken)
    assert_same_yardstick(home / "run", unbroken)


@pytest.mark.parametrize("after", [1, 6])
def test_after_a_kill_a_run_goes_on_to_the_same_bits(covey, home: Path, unbroken: Path, after: int):
    code, _ = stopped(home, signal.SIGKILL, after)

    assert code == -signal.SIGKILL
    assert not (home / "run/summary.json").exists()
    resumed = covey("train", "--resume", "run")
    assert resumed.code == 0, resumed.err
    first = int(resumed.err.split("after round ")[1].split()[0])
    assert 3 * after <= first < 450, "no global round that was done is lost"
    assert_same_bits(home / "run", unbroken)


def assert_same_yardstick(run: Path, unbroken: Path) -> None:
    name = "beside/most-popular/model.safetensors"
    assert (run / name).read_bytes() == (unbroken / name).read_bytes()


@pytest.mark.parametrize("at", [0, 1, 4])
def test_ctrl_c_inside_a_round_costs_that_round_alone(
    covey, home: Path, monkeypatch: pytest.MonkeyPatch, at: int
):
    covey(*SHORT, "--out", "unbroken", "--quiet")
    advance = FederatedSession.advance

    def interrupted(session: FederatedSession) -> None:
        advance(session)
        if session.round == at + 1:  # the state in memory has moved on already: it must not count
            raise KeyboardInterrupt

    monkeypatch.setattr(FederatedSession, "advance", interrupted)
    monkeypatch.setattr(checkpoint, "PAUSE_S", 0)  # or rounds of a millisecond would not each be saved
    ended = covey(*SHORT, "--out", "run", "--quiet")
    assert ended.code == 130
    assert "covey train --resume run" in ended.err
    monkeypatch.setattr(FederatedSession, "advance", advance)

    resumed = covey("train", "--resume", "run")
    assert f"after round {at} of 9" in resumed.err
    assert_same_bits(home / "run", home / "unbroken")


def test_ctrl_c_before_the_run_has_a_folder_leaves_nothing(
    covey, home: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(FederatedSession, "scorer", interrupted)
    ended = covey(*SHORT, "--out", "run", "--quiet")
    assert ended.code == 130
    assert "nothing was kept" in ended.err
    assert list(home.iterdir()) == []
