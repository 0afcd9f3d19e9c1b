"""`covey train fedsplit`, `recommend` and `report`, seen from outside."""

import json
from pathlib import Path

import polars as pl
import pytest

SMALL = (
    *("--data", "synthetic:village", "--beside", "none", "--seed", "3"),
    *(
        "--set",
        "split=random-covered",
        "--set",
        "workers=1",
        "--set",
        "components=4",
        "--set",
        "iterations=5",
    ),
)

HOUSES = "who,what,stars,home\n" + "".join(
    f"p{person},i{(person + step) % 8},{1 + (person * step) % 5},{'' if person == 9 else f'h{person // 3}'}\n"
    for person in range(10)
    for step in range(6)
)
COLUMNS = ("--user", "who", "--item", "what", "--value", "stars", "--group", "home")


def summary(home: Path) -> dict[str, object]:
    return json.loads((home / "run/summary.json").read_bytes())


def test_a_training_in_groups_leaves_a_run_to_recommend_from_and_to_report(covey, home: Path):
    ended = covey("train", "fedsplit", *SMALL, "--out", "run")
    assert ended.code == 0, ended.err
    assert "FedSPLIT" in ended.out
    found = summary(home)
    assert found["rounds"] == found["planned_rounds"] == 2
    assert {"rmse", "rmse_of_groups", "mse_of_groups", "equation_8"} <= set(found["metrics"])

    told = covey("recommend", "run", "--person", "7", "--k", "4", "--json")
    scores = [each["score"] for each in json.loads(told.out)]
    assert len(scores) == 4
    assert scores == sorted(scores, reverse=True)

    assert covey("report", "run").code == 0
    assert "| FedSPLIT |" in (home / "run/report.md").read_text()
    ledger = pl.read_parquet(home / "run/ledger.parquet")
    assert set(ledger["message"]) == {
        "GroupInvitation", "GroupMean", "GlobalMean", "GroupPatterns", "BiasSums", "JointPatterns",
    }  # fmt: skip


def test_groups_of_a_column_learn_together_and_who_has_none_is_shown_apart(covey, home: Path):
    (home / "stars.csv").write_text(HOUSES)
    ended = covey("train", "fedsplit", *SMALL, "--data", "stars.csv", *COLUMNS, "--set", "patterns=2",
                  "--set", "share=0.5", "--out", "run")  # fmt: skip
    assert ended.code == 0, ended.err
    found = summary(home)
    assert (found["groups"], found["groups_taking_part"], found["groups_refused"]) == (3, 3, [])
    assert "rmse_alone" in found["metrics"]


def test_a_refused_group_and_the_groups_record_are_in_the_summary(covey, home: Path):
    """In the simulator's own file; no message carries the reason."""
    scaled = pl.read_csv(HOUSES.encode()).with_columns(
        stars=pl.when(pl.col("home") == "h2").then(pl.col("stars") * 20).otherwise(pl.col("stars"))
    )
    scaled.write_csv(home / "stars.csv")
    ended = covey("train", "fedsplit", *SMALL, "--data", "stars.csv", *COLUMNS, "--set", "patterns=2",
                  "--set", "components=2", "--set", "forgotten=0.4", "--out", "run")  # fmt: skip
    assert ended.code == 0, ended.err
    found = summary(home)
    (refused,) = found["groups_refused"]
    assert "convert them" in refused["why"]
    (entry,) = found["record"]
    assert (entry["what"], found["rounds"]) == ("forgotten", 3)


@pytest.mark.parametrize(
    ("choices", "saying"),
    [
        (("smallest_group=40", "largest_group=40", "lowest_rating=9", "highest_rating=10"), "no group of 1"),
        (("components=119",), "set components to"),
        (("refit=distil",), "set biases=groups"),
    ],
)
def test_what_cannot_work_ends_in_one_sentence(covey, choices: tuple[str, ...], saying: str, home: Path):
    ended = covey("train", "fedsplit", *SMALL, *(word for each in choices for word in ("--set", each)))
    assert ended.code == 2
    assert saying in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
