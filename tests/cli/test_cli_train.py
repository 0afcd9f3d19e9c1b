"""`covey train`, seen from outside: what it leaves, what it says, and that it can be gone on with."""

import json
from pathlib import Path

import msgspec
import pytest

from covey.algorithms.registry import ALGORITHMS, FEDERATED
from covey.runs.keys import algorithm_keys, run_keys


def test_a_training_leaves_a_run_and_prints_it_beside_most_popular(covey, village, home: Path):
    ended = covey("train", "fedncf", *village, "--out", "run")

    assert ended.code == 0, ended.err
    assert "FedGMF" in ended.out
    assert "most popular" in ended.out
    names = (
        "config.toml",
        "metrics.parquet",
        "ledger.parquet",
        "model.safetensors",
        "summary.json",
        "report.html",
    )
    assert [name for name in names if not (home / "run" / name).is_file()] == []


def test_without_out_a_run_gets_a_folder_of_its_own_under_runs(covey, village, home: Path):
    covey("train", "most-popular", "--data", "synthetic:village", "-q")
    covey("train", "most-popular", "--data", "synthetic:village", "-q")

    folders = sorted(path.name for path in (home / "runs").iterdir())
    assert len(folders) == 2
    assert all("most-popular-synthetic-village" in name for name in folders)


def test_yardsticks_have_the_data_the_split_and_the_shape_of_the_run_beside_them(covey, village, home: Path):
    covey("train", "fedncf", *village, "--seed", "3", "--set", "model=mlp", "--set", "hidden=8,4",
          "--beside", "most-popular,central-ncf", "--out", "run")  # fmt: skip

    run = msgspec.toml.decode((home / "run/config.toml").read_bytes())
    twin = msgspec.toml.decode((home / "run/beside/central-ncf/config.toml").read_bytes())
    shared = (
        "data",
        "fingerprint",
        "split",
        "seed",
        "candidate_negatives",
        "model",
        "factors",
        "hidden",
        "negatives",
    )
    assert {name: twin[name] for name in shared} == {name: run[name] for name in shared}
    assert twin["batch_size"] == 256, "how a twin learns is its own"
    assert (home / "run/beside/most-popular/summary.json").is_file()


def test_a_yardstick_trains_on_the_people_of_its_run_when_only_some_take_part(covey, village, home: Path):
    covey("train", "fedncf", *village, "--set", "participation=0.5", "--out", "run")

    people = [
        msgspec.toml.decode((home / path / "config.toml").read_bytes())["people"]
        for path in ("run", "run/beside/most-popular")
    ]
    assert people == [30, 30]


def test_people_whom_a_key_leaves_out_are_said_once(covey, home: Path):
    rows = "".join(f"p{n % 4},i{n}\n" for n in range(16))
    (home / "plays.csv").write_text(f"user,item\n{rows}p9,i1\n")

    ended = covey("train", "most-popular", "--data", "plays.csv", "--set", "min_rows=2")
    assert ended.err.count("People with under 2 rows: 1, removed.") == 1


def test_nothing_stands_beside_a_run_when_none_is_asked_for(covey, village, home: Path):
    covey("train", "fedncf", *village, "--beside", "none", "--out", "run")
    assert not (home / "run/beside").exists()


def test_a_key_on_the_command_line_goes_before_the_file(covey, village, home: Path):
    (home / "keys.toml").write_text('factors = 6\nmodel = "gmf"\nseed = 5\n')
    covey("train", "fedncf", *village, "--config", "keys.toml", "--out", "run")

    config = msgspec.toml.decode((home / "run/config.toml").read_bytes())
    assert (config["factors"], config["seed"]) == (4, 5)


def test_away_from_a_terminal_each_evaluated_round_is_a_line_with_its_cost(covey, village):
    ended = covey("train", "fedncf", *village, "--beside", "none", "--out", "run")
    lines = [line for line in ended.err.splitlines() if line.startswith("FedGMF:")]

    assert len(lines) == 2, "one for each global round"
    assert "round 3 of 6 (global round 1); HR@10 0." in lines[0]
    assert " sent a person; " in lines[0]
    assert lines[0].endswith(" left")
    assert "round 6 of 6" in lines[1]


def test_quiet_says_nothing_on_the_way(covey, village):
    assert covey("train", "fedncf", *village, "--quiet", "--out", "run").err == ""


def test_a_finished_run_that_is_resumed_stays_as_it_is(covey, village, home: Path):
    covey("train", "fedncf", *village, "--out", "run")
    before = (home / "run/model.safetensors").read_bytes()

    assert covey("train", "--resume", "run").code == 0
    assert (home / "run/model.safetensors").read_bytes() == before


def test_the_command_that_a_run_keeps_builds_it_again_bit_by_bit(covey, village, home: Path):
    covey(
        "train", "fedncf", *village, "--seed", "9", "--set", "hidden=8,4", "--set", "k=5,10", "--out", "run"
    )
    command = json.loads((home / "run/summary.json").read_bytes())["command"].split()

    assert covey(*command[1:], "--out", "again").code == 0
    model = "model.safetensors"
    assert (home / "again" / model).read_bytes() == (home / "run" / model).read_bytes()


PLAYS = "who,what,much,when\n" + "".join(
    f"p{person},i{(person + step) % 12},{1 + step % 3},{1_700_000_000 + 60 * step}\n"
    for person in range(8)
    for step in range(5)
)


def test_an_own_file_is_read_by_the_columns_that_were_named_also_when_gone_on_with(
    covey, home: Path, monkeypatch: pytest.MonkeyPatch
):
    (home / "plays.csv").write_text(PLAYS)
    columns = ("--user", "who", "--item", "what", "--value", "much", "--time", "when")
    trained = covey("train", "fedncf", "--data", "plays.csv", *columns, "--set", "people_per_round=4",
                    "--set", "global_rounds=1", "--out", "run")  # fmt: skip
    assert trained.code == 0, trained.err

    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    assert covey("train", "--resume", "../run").code == 0
    found = covey("recommend", "../run", "--person", "p3", "--k", "2", "--json")
    assert found.code == 0, found.err
    assert len(json.loads(found.out)) == 2


def test_dropped_repeats_are_told(covey, home: Path):
    (home / "plays.csv").write_text(PLAYS + "p0,i0,1,1700000999\n")
    columns = ("--user", "who", "--item", "what", "--time", "when")
    ended = covey("train", "most-popular", "--data", "plays.csv", *columns)

    assert ended.code == 0, ended.err
    assert "Rows that repeat a (person, item): 1, dropped" in ended.err


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_key_has_a_meaning_that_the_command_line_shows(covey, algorithm: str):
    keys = [*algorithm_keys(algorithm), *run_keys()]
    assert [key.name for key in keys if len(key.meaning) < 5] == [], "say what it means behind its line"

    shown = covey("train", algorithm, "--keys")
    assert shown.code == 0
    first_words = [line.split()[0] for line in shown.out.splitlines() if line.strip()]
    assert [key.name for key in keys if key.name not in first_words] == []


def test_the_help_of_train_names_every_algorithm(covey):
    said = covey("train", "--help").out
    assert [name for name in ALGORITHMS if name not in said] == []
    assert set(FEDERATED) <= set(ALGORITHMS)


def test_a_column_of_groups_is_kept_with_the_run_and_in_its_command(covey, home: Path):
    rows = "".join(f"p{p},i{(p + n) % 6},w{p % 2}\n" for p in range(6) for n in range(3))
    (home / "stays.csv").write_text(f"user,item,ward\n{rows}")

    ended = covey("train", "most-popular", "--data", "stays.csv", "--group", "ward", "--out", "run",
                  "--set", "candidate_negatives=2")  # fmt: skip
    assert ended.code == 0, ended.err
    assert msgspec.toml.decode((home / "run/config.toml").read_bytes())["group_column"] == "ward"
    assert "--group ward" in json.loads((home / "run/summary.json").read_bytes())["command"]
    assert covey("train", "--resume", "run").code == 0
    ended = covey("train", "--resume", "run", "--group", "ward")
    assert "--group cannot go with --resume" in ended.err
