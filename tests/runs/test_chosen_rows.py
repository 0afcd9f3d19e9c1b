"""Which rows take part in a run: keys that leave out or change, and the columns of a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import VILLAGE, everything_of

import covey
from covey.errors import ConfigError, RunError
from covey.runs.run import chosen_people
from covey.runs.settings import RunSettings
from covey.runs.source import source_of

COVERED: dict[str, Any] = {"split": "random-covered", "seed": 3, "workers": 1, "candidate_negatives": 1}
RATED: dict[str, Any] = {**COVERED, "rounds": 2, "factors": 3}


def stays(folder: Path, ward: str = "north") -> Path:
    """A file of eight people with six rows each, in two wards; the ward of the first is asked for."""
    rows = "".join(
        f"p{p},i{(p + 2 * n) % 9},{1 + (p * n) % 5},{ward if p == 0 else ['north', 'south'][p % 2]}\n"
        for p in range(8)
        for n in range(6)
    )
    (folder / "stays.csv").write_text(f"user,item,rating,ward\n{rows}")
    return folder / "stays.csv"


def test_people_are_left_out_before_items_and_then_values_are_raised() -> None:
    rows = int(np.median(VILLAGE.counts))
    chosen = chosen_people(VILLAGE, RunSettings(min_rows=rows, min_item_rows=5, lowest_value=2))
    by_hand = VILLAGE.at_least(rows).items_at_least(5)
    assert len(by_hand) < len(VILLAGE.at_least(rows)) < len(VILLAGE)
    assert chosen.item.tolist() == by_hand.item.tolist()
    assert chosen.value.tolist() == np.maximum(by_hand.value, 2).tolist()
    assert [note.split()[0] for note in chosen.notes[len(VILLAGE.notes) :]] == ["People", "Items", "Values"]


def test_keys_at_their_defaults_leave_the_data_as_it_is() -> None:
    assert chosen_people(VILLAGE, RunSettings()) is VILLAGE


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"min_item_rows": -1}, "min_item_rows must be at least 0, got -1"),
        ({"lowest_value": float("nan")}, "lowest_value must be from 0 .*got nan"),
        ({"lowest_value": -1.0}, "lowest_value must be from 0 .*got -1"),
    ],
)
def test_a_setting_out_of_range_is_named(setting: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        RunSettings(**setting)


def test_a_run_of_ratings_is_opened_again_with_the_rows_that_it_had(tmp_path: Path) -> None:
    keys = {**RATED, "min_item_rows": 4, "lowest_value": 2.0}
    run = covey.train("biased-mf", VILLAGE, out=tmp_path / "run", **keys)
    assert run.data.value.min() == 2
    assert {"rmse", "mse", "mae"} <= set(run.evaluate())
    assert everything_of(covey.open_run(tmp_path / "run", VILLAGE)) == everything_of(run)


def test_a_runs_split_knows_the_groups_of_its_file_and_finds_them_again(tmp_path: Path) -> None:
    source = source_of(str(stays(tmp_path)), columns={"group": "ward"})
    run = covey.runs.start(
        "biases", source.load(), out=tmp_path / "run", source=source, min_rows=2, **COVERED
    )
    assert run.split.groups is not None
    assert run.split.groups.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
    again = covey.open_run(tmp_path / "run")
    assert again.data.group_ids is not None
    assert again.data.group_ids.to_list() == ["north", "south"]
    assert again.split.groups is not None


def test_other_groups_are_other_data(tmp_path: Path) -> None:
    source = source_of(str(stays(tmp_path)), columns={"group": "ward"})
    covey.runs.start("biases", source.load(), out=tmp_path / "run", source=source, **COVERED)
    stays(tmp_path, ward="south")
    with pytest.raises(RunError, match="fingerprint is"):
        covey.open_run(tmp_path / "run")


def test_a_group_column_is_for_files() -> None:
    with pytest.raises(ConfigError, match="a group column is given, but 'synthetic:village' is no file"):
        source_of("synthetic:village", columns={"group": "ward"}).load()


def test_a_system_of_groups_takes_those_of_the_file(tmp_path: Path) -> None:
    source = source_of(str(stays(tmp_path)), columns={"group": "ward"})
    keys = {**COVERED, "patterns": 2, "components": 2, "iterations": 2}
    run = covey.runs.start("fedsplit", source.load(), out=tmp_path / "run", source=source, **keys)
    session: Any = run.session
    assert session.groups.tolist() == [0, 1, 0, 1, 0, 1, 0, 1]
