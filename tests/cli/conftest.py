"""The command line as a test calls it: in a folder of its own, with what it said and how it ended."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from covey.cli.main import main


class Ended(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Covey = Callable[..., Ended]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that the test is in, where no real dataset can be found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("COVEY_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / "cache"))
    return tmp_path


@pytest.fixture
def covey(home: Path, capsys: pytest.CaptureFixture[str]) -> Covey:
    """covey("train", "fedncf", ...) -> exit code, standard output, standard error."""

    def call(*words: object) -> Ended:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Ended(code, *capsys.readouterr())

    return call


VILLAGE = (
    "--data",
    "synthetic:village",
    "--set",
    "people_per_round=20",
    "--set",
    "factors=4",
    "--set",
    "workers=1",
)


@pytest.fixture
def village() -> tuple[str, ...]:
    """Options of a training that takes a blink: three rounds a pass, two passes."""
    return (*VILLAGE, "--set", "global_rounds=2")
