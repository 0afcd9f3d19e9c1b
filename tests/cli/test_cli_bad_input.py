"""Bad input ends in one sentence and exit code 2, and nothing is left behind."""

import errno
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from covey.runs import checkpoint, directory
from covey.server.model import GlobalModel

TRAIN = ("train", "fedncf", "--data")
VILLAGE = (*TRAIN, "synthetic:village")
ROWS = "".join(f"p{n % 4},i{n % 9},{n % 5},{1_700_000_000 + n}\n" for n in range(28))
HEAD = "user,item,rating,time\n"
FILES = {
    "empty.csv": "",
    "headed.csv": HEAD,
    "cut.csv": HEAD + ROWS + "p1,i",
    "infinite.csv": HEAD + ROWS + "p1,i9,inf,1700000100\n",
    "negative.csv": HEAD + ROWS + "p1,i9,-2,1700000100\n",
    "wordy.csv": HEAD + ROWS + "p1,i9,good,1700000100\n",
    "single.csv": HEAD + ROWS + "p9,i1,3,1700000100\n",
    "nameless.csv": "a,b\n1,2\n3,4\n",
    "bad.toml": "factors = \n",
    "unknown.toml": "factor = 3\n",
}

CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "a file that is not there": ((*TRAIN, "missing.csv"), ("missing.csv", "expected a file", "check the path")),
    "a folder for a file": ((*TRAIN, "./"), ("expected a file", "a folder")),
    "an empty file": ((*TRAIN, "empty.csv"), ("empty.csv", "expected rows", "empty file")),
    "a file of names alone": ((*TRAIN, "headed.csv"), ("headed.csv", "expected rows")),
    "a file that is cut short": ((*TRAIN, "cut.csv"), ("cut.csv, line 30", "expected 4 fields, got 2")),
    "a value that is not finite": ((*TRAIN, "infinite.csv"), ("line 30", "finite", "got inf")),
    "a negative value": ((*TRAIN, "negative.csv"), ("line 30", "not negative", "-2")),
    "a word for a value": ((*TRAIN, "wordy.csv"), ("line 30", "expected a number", "'good'")),
    "a person with nothing to train on": ((*TRAIN, "single.csv"), ("leave-last-out",)),
    "columns that cannot be guessed": ((*TRAIN, "nameless.csv"), ("column for the person", "a, b", "--user COLUMN")),
    "a column that is not there": ((*TRAIN, "headed.csv", "--user", "usr"), ("'usr'", "did you mean 'user'?")),
    "columns for a named dataset": ((*VILLAGE, "--user", "u"), ("synthetic:village", "no file")),
    "an unknown algorithm": (("train", "fedncg", "--data", "x"), ("'fedncg'", "did you mean 'fedncf'?")),
    "an unknown dataset": ((*TRAIN, "ml-1n"), ("'ml-1n'", "did you mean 'ml-1m'?")),
    "an unknown key": ((*VILLAGE, "--set", "learning_rte=1"), ("'learning_rte'", "'learning_rate'")),
    "an unknown key in a file": ((*VILLAGE, "--config", "unknown.toml"), ("'factor'", "'factors'")),
    "a file that is no TOML": ((*VILLAGE, "--config", "bad.toml"), ("bad.toml is not TOML",)),
    "a configuration that is not there": ((*VILLAGE, "--config", "no.toml"), ("no.toml", "check the path")),
    "a folder as a configuration": ((*VILLAGE, "--config", "./"), ("cannot read", "check the path")),
    "no factors": ((*VILLAGE, "--set", "factors=0"), ("factors must be from 1 to 1024, got 0",)),
    "factors without end": ((*VILLAGE, "--set", "factors=5000"), ("factors must be from 1 to 1024",)),
    "a word for a number": ((*VILLAGE, "--set", "factors=many"), ("factors must be a whole number, got 'many'",)),
    "less than nobody a round": ((*VILLAGE, "--set", "people_per_round=-1"), ("people_per_round must be above 0",)),
    "nan a round": ((*VILLAGE, "--set", "people_per_round=nan"), ("people_per_round must be above 0",)),
    "more a round than there are": ((*VILLAGE, "--set", "people_per_round=61"), ("61", "only 60 people")),
    "a setting without a value": ((*VILLAGE, "--set", "factors"), ("key=value", "'factors'")),
    "a seed that is a word": ((*VILLAGE, "--seed", "x"), ("seed must be a whole number, got 'x'",)),
    "a seed that no file can hold": ((*VILLAGE, "--seed", str(2**63)), ("seed must be from", "got 9223372036854775808")),
    "half a person a round": ((*VILLAGE, "--set", "people_per_round=2.5"), ("a share below 1 or a whole count",)),
    "a name of ours as a key": ((*VILLAGE, "--set", "out=there"), ("unknown key", "'out'")),
    "an unknown yardstick": ((*VILLAGE, "--beside", "most-poplar"), ("did you mean 'most-popular'?",)),
    "a yardstick twice": ((*VILLAGE, "--beside", "most-popular,most-popular"), ("most-popular", "once")),
    "given candidates where there are none": ((*VILLAGE, "--set", "candidates=given"), ("'sampled' or 'all'",)),
    "a split of nothing": ((*VILLAGE, "--set", "split=temporal", "--set", "share=2"), ("share is 2.0",)),
    "no algorithm": (("train", "--data", "synthetic:village"), ("an algorithm is missing",)),
    "no data": (("train", "fedncf"), ("--data is missing", "for example")),
    "keys of nothing": (("train", "--keys"), ("--keys needs an algorithm",)),
    "resuming nothing": (("train", "--resume", "nowhere"), ("no run at nowhere",)),
    "resuming a file": (("train", "--resume", "empty.csv"), ("no run at empty.csv",)),
    "resuming with other data": (("train", "--resume", "run", "--data", "ml-1m"), ("--data cannot go with",)),
    "an unknown command": (("trian",), ("'trian'", "did you mean 'train'?", "covey --help")),
    "an unknown option": (("train", "--dta", "x"), ("--dta", "covey train --help")),
    "a missing argument": (("recommend",), ("covey recommend --help",)),
    "a report on nothing": (("report", "nowhere"), ("no run at nowhere",)),
    "advice from nothing": (("recommend", "nowhere", "--person", "1"), ("no run at nowhere",)),
    "an unknown dataset to tell of": (("datasets", "info", "ml-100"), ("did you mean 'ml-100k'?",)),
    "an unknown dataset to get": (("datasets", "get", "lastfm"), ("did you mean 'lastfm-2k'?",)),
    "an unknown experiment": (("reproduce", "fedncf/table-55"), ("did you mean 'fedncf/table-5'?",)),
    "no experiment": (("reproduce",), ("covey reproduce --list",)),
}  # fmt: skip


def everything_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def assert_refused(ended, *parts: str) -> None:
    """One sentence on standard error, nothing on standard output, exit code 2."""
    assert ended.code == 2
    assert ended.out == ""
    said = [line for line in ended.err.splitlines() if not line.startswith("made up by Covey")]
    assert len(said) == 1, said
    assert said[0].startswith("error: ")
    assert [part for part in parts if part not in said[0]] == [], said[0]


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_sentence_and_leaves_nothing(covey, home: Path, case: str):
    words, parts = CASES[case]
    for name, content in FILES.items():
        (home / name).write_text(content)
    before = everything_in(home)

    assert_refused(covey(*words), *parts)
    assert everything_in(home) == before


def test_a_parquet_file_that_is_cut_short_is_named(covey, home: Path):
    pl.DataFrame({"user": [1, 2], "item": [3, 4]}).write_parquet(home / "whole.parquet")
    (home / "cut.parquet").write_bytes((home / "whole.parquet").read_bytes()[:-20])

    assert_refused(covey(*TRAIN, "cut.parquet"), "cut.parquet", "whole Parquet file")
    assert everything_in(home) == ["cut.parquet", "whole.parquet"]


def test_an_unknown_person_is_told_what_ids_look_like(covey, village):
    covey("train", "most-popular", "--data", "synthetic:village", "--out", "run", "-q")
    assert_refused(covey("recommend", "run", "--person", "nobody"), "'nobody'", "ids look like")
    assert_refused(covey("recommend", "run", "--person", "1", "--k", "0"), "k must be at least 1")


def test_a_folder_that_holds_this_run_offers_to_go_on_with_it(covey, village, home: Path):
    covey("train", "fedncf", *village, "--out", "run")
    before = everything_in(home)

    assert_refused(
        covey("train", "fedncf", *village, "--out", "run"), "already holds this run", "--resume run"
    )
    assert everything_in(home) == before


def test_a_folder_of_another_configuration_is_refused_with_the_key_that_differs(covey, village, home: Path):
    covey("train", "fedncf", *village, "--out", "run")
    before = everything_in(home)

    again = covey("train", "fedncf", *village, "--set", "factors=5", "--out", "run")
    assert_refused(again, "another configuration", "factors is 4 there, 5 here")
    resumed = covey("train", "--resume", "run", "--set", "factors=5", "-q")
    assert_refused(resumed, "another configuration", "factors is 4 there, 5 here")
    other = covey("train", "central-ncf", "--resume", "run", "-q")
    assert_refused(other, "a run of fedncf, not of central-ncf")
    assert everything_in(home) == before


def test_a_run_whose_file_has_changed_is_not_gone_on_with(covey, home: Path):
    (home / "plays.csv").write_text(HEAD + ROWS)
    covey("train", "most-popular", "--data", "plays.csv", "--out", "run")
    (home / "plays.csv").write_text(HEAD + ROWS + "p1,i9,1,1700000999\n")
    assert_refused(covey("train", "--resume", "run"), "another configuration")


@pytest.mark.parametrize(
    ("out", "part"),
    [("full", "not empty and holds no run"), ("file", "is a file"), ("file/run", "cannot write to")],
)
def test_a_folder_that_cannot_be_a_run_is_refused(covey, village, home: Path, out: str, part: str):
    (home / "full").mkdir()
    (home / "full/else").write_text("something")
    (home / "file").write_text("something")
    before = everything_in(home)

    assert_refused(covey("train", "fedncf", *village, "--out", out), part)
    assert everything_in(home) == before


def failing(code: int, of: Callable[..., object], when: Callable[[Path], bool]) -> Callable[..., object]:
    """A method of Path that fails with a system error for some paths, as a full disk or a lock would."""

    def method(path: Path, *args: object, **kwargs: object) -> object:
        if when(path):
            raise OSError(
                code, {errno.ENOSPC: "No space left on device", errno.EACCES: "Permission denied"}[code]
            )
        return of(path, *args, **kwargs)

    return method


def test_without_permission_nothing_is_left(covey, village, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Path, "mkdir", failing(errno.EACCES, Path.mkdir, lambda path: "deep" in path.parts))

    ended = covey("train", "fedncf", *village, "--out", "deep/run")
    assert_refused(ended, "cannot write to deep/run", "permission denied")
    assert everything_in(home) == []


def test_without_space_for_the_folder_nothing_is_left(covey, village, home: Path, monkeypatch):
    full = failing(errno.ENOSPC, Path.write_text, lambda path: path.name == directory.CONFIG)
    monkeypatch.setattr(Path, "write_text", full)

    ended = covey("train", "fedncf", *village, "--out", "deep/run")
    assert_refused(ended, "cannot write to deep/run", "no space left on device")
    assert everything_in(home) == []


def test_without_space_for_a_yardstick_the_whole_run_is_not_begun(covey, village, home: Path, monkeypatch):
    full = failing(errno.ENOSPC, Path.write_text, lambda path: "beside" in path.parts)
    monkeypatch.setattr(Path, "write_text", full)

    assert_refused(covey("train", "fedncf", *village, "--out", "run"), "no space left on device")
    assert everything_in(home) == []


def test_a_disk_that_fills_up_costs_one_round_at_most(covey, village, home: Path, monkeypatch):
    covey("train", "fedncf", *village, "--out", "unbroken", "-q")
    save = GlobalModel.save

    def full_at_round_4(model: GlobalModel, path: Path) -> None:
        if model.round == 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        save(model, path)

    monkeypatch.setattr(GlobalModel, "save", full_at_round_4)
    monkeypatch.setattr(checkpoint, "PAUSE_S", 0)  # or rounds of a millisecond would not each be saved
    assert_refused(
        covey("train", "fedncf", *village, "--out", "run", "-q"), "cannot write to run", "no space left"
    )
    monkeypatch.setattr(GlobalModel, "save", save)

    resumed = covey("train", "--resume", "run")
    assert "after round 3 of 6" in resumed.err
    for name in (directory.MODEL, directory.LEDGER):
        assert (home / "run" / name).read_bytes() == (home / "unbroken" / name).read_bytes()
