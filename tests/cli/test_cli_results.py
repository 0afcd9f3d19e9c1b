"""`covey report`, `recommend`, `datasets` and the front door."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from covey.cli.main import main
from covey.datasets import listing, load
from covey.errors import PrivacyError


@pytest.fixture
def run(covey, village, home: Path) -> Path:
    covey("train", "fedncf", *village, "--out", "run", "--quiet")
    return home / "run"


def test_a_report_picks_up_the_yardsticks_beside_each_run_once(covey, village, run: Path):
    covey("train", "central-ncf", "--data", "synthetic:village", "--set", "rounds=2", "--out", "twin", "-q")
    ended = covey("report", "run", "twin", "run/beside/most-popular")

    assert ended.code == 0, ended.err
    assert [ended.out.count(title) for title in ("FedGMF", "central GMF", "most popular")] == [1, 1, 1]
    rows = json.loads((run / "report.json").read_bytes())
    assert [row["title"] for row in rows] == ["FedGMF", "central GMF", "most popular"]
    assert "| FedGMF |" in (run / "report.md").read_text()
    assert "<title>" in (run / "report.html").read_text()


def test_a_report_goes_where_it_is_asked_to(covey, run: Path, home: Path):
    assert covey("report", "run", "--out", "seen.html").code == 0
    assert {"seen.html", "seen.md", "seen.json"} <= {path.name for path in home.iterdir()}


def test_a_report_that_cannot_be_written_is_one_sentence(covey, run: Path):
    ended = covey("report", "run", "--out", "nowhere/seen.html")
    assert ended.code == 2
    assert "cannot write to nowhere/seen.html" in ended.err


def test_a_damaged_run_is_named(covey, run: Path):
    (run / "ledger.parquet").write_bytes(b"half")
    ended = covey("report", "run")
    assert ended.code == 2
    assert "ledger.parquet is damaged" in ended.err


def test_recommendations_are_new_to_the_person_best_first_and_as_many_as_asked(covey, run: Path):
    ended = covey("recommend", "run", "--person", "7", "--k", "4", "--json")
    found = json.loads(ended.out)
    data = load("synthetic:village")
    person = data.person_ids.cast(str).index_of("7")
    had = {data.item_ids[int(item)] for item in data.item[data.person == person]}

    assert len(found) == 4
    assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)
    assert had.isdisjoint(each["item"] for each in found)
    assert found[0]["title"] in covey("recommend", "run", "--person", "7").out


def test_every_dataset_is_listed_with_whether_it_is_at_hand(covey):
    bare, listed = covey("datasets"), covey("datasets", "list")
    assert bare == listed
    assert [known.name for known in listing() if known.name not in listed.out] == []
    assert "made on the spot" in listed.out
    assert "at hand" not in listed.out


def test_a_dataset_tells_its_licence_and_where_it_comes_from(covey):
    said = covey("datasets", "info", "ml-100k").out
    assert "licence: " in said
    assert "from: https://" in said


def test_a_town_is_made_and_not_fetched(covey):
    ended = covey("datasets", "get", "synthetic:town")
    assert ended.code == 0
    assert "made up on the spot" in ended.out


def test_covey_alone_shows_every_command(covey):
    ended = covey()
    assert ended.code == 0
    assert [
        name for name in ("train", "recommend", "report", "datasets", "reproduce") if name not in ended.out
    ] == []


def test_the_version_is_told(covey):
    import covey as package

    assert covey("--version").out == f"covey {package.__version__}\n"


@pytest.mark.parametrize(
    "command", [(), ("train",), ("recommend",), ("report",), ("datasets",), ("reproduce",)]
)
def test_help_fits_eighty_columns(covey, command: tuple[str, ...]):
    ended = covey(*command, "--help")
    assert ended.code == 0
    assert [line for line in ended.out.splitlines() if len(line.rstrip()) > 80] == []


def test_help_brings_in_nothing_that_takes_long():
    program = (
        "import sys; from covey.cli.main import main; main(['--help']);"
        "heavy = {'numpy', 'numba', 'polars', 'httpx', 'safetensors'} & set(sys.modules); sys.exit(str(heavy) if heavy else 0)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_trouble_that_is_nobodys_input_ends_with_another_code(covey, run, monkeypatch, capsys):
    def refuse(*_: object, **__: object) -> None:
        raise PrivacyError("something private was about to leave")

    monkeypatch.setattr(import_module("covey.runs.train"), "go_on", refuse)
    assert main(["train", "--resume", "run"]) == 1
    assert "error: something private was about to leave" in capsys.readouterr().err
