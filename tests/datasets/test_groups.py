"""A column that names groups: who is with whom, who is with nobody, and who cannot be."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.datasets import Interactions, read
from covey.errors import ConfigError, DataError


def write(folder: Path, text: str) -> Path:
    (folder / "stays.csv").write_text(text, encoding="utf-8")
    return folder / "stays.csv"


def groups_of(data: Interactions) -> dict[object, object]:
    """person -> group, by their original ids; None for who is in none."""
    assert data.group is not None
    assert data.group_ids is not None
    ids = [*data.group_ids.to_list(), None]
    return {person: ids[group] for person, group in zip(data.person_ids, data.group, strict=True)}


def test_everybody_is_in_the_group_that_their_rows_name(tmp_path: Path) -> None:
    text = "patient,item,ward\nbo,1,north\nada,1,south\nbo,2,north\ncy,1,north\n"
    data = read(write(tmp_path, text), user="patient", group="ward")
    assert groups_of(data) == {"ada": "south", "bo": "north", "cy": "north"}
    assert data.group_ids is not None
    assert data.group_ids.to_list() == ["north", "south"]
    assert len(data) == 4


def test_a_group_is_never_guessed(tmp_path: Path) -> None:
    data = read(write(tmp_path, "user,item,group,hospital\n1,2,a,b\n"))
    assert data.group is None
    assert data.group_ids is None


def test_groups_that_are_numbers_come_in_the_order_of_numbers(tmp_path: Path) -> None:
    data = read(write(tmp_path, "user,item,ward\n1,2,10\n2,2,9\n"), group="ward")
    assert data.group_ids is not None
    assert data.group_ids.to_list() == ["9", "10"]


def test_who_has_nothing_but_empty_fields_is_in_no_group(tmp_path: Path) -> None:
    """An empty field says nothing, so it takes nobody out of the group that another row names."""
    text = 'user,item,ward\nada,1,\nada,2,""\nbo,1,\nbo,2,north\ncy,1," "\n'
    assert groups_of(read(write(tmp_path, text), group="ward")) == {"ada": None, "bo": "north", "cy": None}


def test_a_person_in_two_groups_is_named_with_both_and_the_line(tmp_path: Path) -> None:
    text = "user,item,ward\nada,1,north\nbo,1,north\nada,2,south\nbo,2,east\n"
    with pytest.raises(
        DataError,
        match=r"stays\.csv, line 4: expected person 'ada' in the group 'north' .* got 'south'; mend",
    ):
        read(write(tmp_path, text), group="ward")


def test_a_row_that_repeats_a_pair_is_held_to_its_group_too(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 3: expected person 1 in the group 'north'"):
        read(write(tmp_path, "user,item,ward\n1,2,north\n1,2,south\n"), group="ward")


def test_a_column_of_empty_fields_names_no_groups(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected somebody's group, got nothing but empty fields"):
        read(write(tmp_path, "user,item,ward\n1,2,\n"), group="ward")


def test_a_column_that_is_not_there_brings_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown group column .*'wrad'; did you mean 'ward'"):
        read(write(tmp_path, "user,item,ward\n1,2,north\n"), group="wrad")


def test_parquet_may_number_its_groups_and_leave_some_out(tmp_path: Path) -> None:
    frame = pl.DataFrame({"user": ["ada", "bo", "ada"], "item": [1, 1, 2], "ward": [7, None, 7]})
    frame.write_parquet(tmp_path / "stays.parquet")
    assert groups_of(read(tmp_path / "stays.parquet", group="ward")) == {"ada": 7, "bo": None}
    frame.with_columns(pl.col("ward").cast(pl.Float64)).write_parquet(tmp_path / "stays.parquet")
    with pytest.raises(DataError, match="expected whole numbers or text in 'ward', got Float64"):
        read(tmp_path / "stays.parquet", group="ward")


crowds = st.lists(st.sampled_from(["", "north", "south", "east"]), min_size=1, max_size=8).filter(any)


@given(wards=crowds, chosen=st.sets(st.integers(0, 7), min_size=1))
def test_whoever_stays_keeps_their_group_and_empty_groups_go(
    wards: list[str], chosen: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = "".join(f"p{number},{number % 3},{ward}\n" for number, ward in enumerate(wards))
    data = read(write(tmp_path_factory.mktemp("stays"), f"user,item,ward\n{rows}"), group="ward")
    people = [number for number in sorted(chosen) if number < len(wards)] or [0]
    left = data.only_people(people)
    assert groups_of(left) == {f"p{number}": wards[number] or None for number in people}
    assert left.group is not None
    assert left.group_ids is not None
    assert sorted({*left.group.tolist()} - {-1}) == list(range(len(left.group_ids)))
    assert left.group.dtype == np.int32
