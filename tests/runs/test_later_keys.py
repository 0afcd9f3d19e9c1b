"""Folders from before a key existed: they are gone on with, and show no difference, at the key's default."""

from pathlib import Path

import msgspec
import pytest
from small_runs import VILLAGE, everything_of, started, trained

import covey
from covey.comparing import open_comparison
from covey.comparing.asked import FILE as COMPARISON
from covey.errors import RunError
from covey.runs.directory import to_toml
from covey.runs.settings import RunSettings, completed
from covey.tuning import open_study, start_study
from covey.tuning.asked import FILE as STUDY

LATER = ("min_item_rows", "lowest_value")


def forget(path: Path, *names: str) -> None:
    """Takes keys out of a run's configuration, as if they had come after it."""
    config = msgspec.toml.decode(path.read_bytes())
    path.write_text(to_toml({name: value for name, value in config.items() if name not in names}))


def test_keys_that_are_missing_stand_at_their_defaults_and_the_others_as_they_are() -> None:
    found = completed({"k": [5], "data": "mine"}, RunSettings)
    assert (found["k"], found["data"], found["min_item_rows"], found["share"]) == ([5], "mine", 0, 0.8)


@pytest.mark.parametrize("names", [LATER, ("spread", "k")])
def test_a_run_from_before_a_key_goes_on_to_the_same_bits(names: tuple[str, ...], tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole")
    half = started(tmp_path / "half")
    for _ in range(2):
        half.round()
    forget(tmp_path / "half/config.toml", *names)
    assert everything_of(covey.resume(tmp_path / "half", VILLAGE)) == everything_of(whole)


def test_a_run_from_before_a_key_is_another_than_one_with_the_key_set(tmp_path: Path) -> None:
    started(tmp_path / "run")
    forget(tmp_path / "run/config.toml", *LATER, "spread")
    with pytest.raises(RunError, match=r"spread is 0\.1 there, 0\.2 here"):
        started(tmp_path / "run", spread=0.2)
    with pytest.raises(RunError, match="already holds this run"):
        started(tmp_path / "run")


def test_a_comparison_from_before_a_key_is_gone_on_with_and_reported(tmp_path: Path) -> None:
    pytest.importorskip("baycomp")
    names = ["most-popular", "item-knn"]
    covey.compare(names, VILLAGE, out=tmp_path / "c", repeats=1, workers=1)
    asked = COMPARISON.read(tmp_path / "c")
    old = {name: value for name, value in asked.run_settings.items() if name not in LATER}
    entries = [msgspec.structs.replace(each, settings={}) for each in asked.entries]
    COMPARISON.rewrite(tmp_path / "c", msgspec.structs.replace(asked, run_settings=old, entries=entries))

    opened = open_comparison(tmp_path / "c", VILLAGE, repeats=2)
    assert opened.asked.entries == asked.entries
    opened.go_on()
    assert "--repeats 2" in opened.write().read_text()


def test_a_study_from_before_a_key_is_the_same_study(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    asked = {"over": {"neighbours": "5..9"}, "trials": 1, "workers": 1, "seed": 3}
    study = start_study("item-knn", VILLAGE, out=tmp_path / "s", **asked)
    whole = open_study(tmp_path / "s", VILLAGE).asked
    old = {name: value for name, value in whole.run_settings.items() if name not in LATER}
    STUDY.rewrite(tmp_path / "s", msgspec.structs.replace(study.asked, run_settings=old))
    assert open_study(tmp_path / "s", VILLAGE).asked == whole
    with pytest.raises(RunError, match="already holds this study"):
        start_study("item-knn", VILLAGE, out=tmp_path / "s", **asked)
