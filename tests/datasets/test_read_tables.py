"""Anybody's table."""

from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from covey.datasets import read
from covey.errors import ConfigError, DataError

NOON_S = 1_717_156_800  # 2024-05-31 12:00 UTC


def write(folder: Path, text: str, name: str = "plays.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    "header",
    [
        "person,item,value,time",
        "user_id,movieId,rating,timestamp",
        "USER ID,Artist-ID,plays,when",
        "uid,product_id,score,created_at",
    ],
)
def test_usual_names_need_not_be_given(tmp_path: Path, header: str) -> None:
    data = read(write(tmp_path, f"{header}\n3,b,2.5,{NOON_S}\n1,a,4,{NOON_S + 1}\n"))
    assert data.name == "plays"
    assert data.person_ids.to_list() == [1, 3]
    assert data.item_ids.to_list() == ["a", "b"]
    assert data.value.tolist() == [2.5, 4]
    assert data.time.tolist() == [NOON_S, NOON_S + 1]


def test_named_columns_win_over_usual_names(tmp_path: Path) -> None:
    path = write(tmp_path, "user,who,thing,item\n1,x,7,2\n1,y,8,2\n")
    data = read(path, user="who", item="thing")
    assert data.person_ids.to_list() == ["x", "y"]
    assert data.item_ids.to_list() == [7, 8]
    assert not data.has_time


def test_a_table_without_a_person_says_what_it_has_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"expected a column for the person, got the columns whom, item; name it"
    ):
        read(write(tmp_path, "whom,item\n1,2\n"))


def test_a_column_that_is_not_there_brings_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'listner'; did you mean 'listener'\?"):
        read(write(tmp_path, "listener,item\n1,2\n"), user="listner")


def test_person_and_user_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected person= or user="):
        read(write(tmp_path, "a,b\n1,2\n"), person="a", user="b")


def test_one_column_cannot_be_two_things(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected one role a column, got 'a' for two"):
        read(write(tmp_path, "a,b\n1,2\n"), person="a", item="a")


@pytest.mark.parametrize(
    ("written", "note"),
    [
        (str(NOON_S), None),
        (f"{NOON_S}.9", None),
        (f"{NOON_S}123", "milliseconds"),
        (f"{NOON_S}123456", "microseconds"),
        (f"{NOON_S}123456789", "nanoseconds"),
        ("2024-05-31T12:00:00Z", None),
        ("2024-05-31T14:00:00+02:00", None),
        ("2024-05-31 12:00:00", None),
        ("2024-05-31T12:00:00.25", None),
        ("2024-05-31 12:00", None),
        ("Fri May 31 12:00:00 +0000 2024", None),
    ],
)
def test_times_are_read_in_their_usual_forms(tmp_path: Path, written: str, note: str | None) -> None:
    data = read(write(tmp_path, f"user,item,time\n1,2,{written}\n"))
    assert data.time.tolist() == [NOON_S]
    assert [note] == [text.split()[4] for text in data.notes] if note else data.notes == ()


def test_days_without_a_time_of_day_begin_at_midnight(tmp_path: Path) -> None:
    data = read(write(tmp_path, "user,item,date\n1,2,2024-05-31\n1,3,2024-05-31T12:00:00\n"))
    assert data.time.tolist() == [NOON_S - 43_200, NOON_S]


def test_a_word_among_counted_seconds_is_named_rather_than_the_seconds(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 4: expected seconds .* got 'soon' in 'time'"):
        read(write(tmp_path, "user,item,time\n1,2,1717156800\n1,3,1717156801\n1,4,soon\n"))


def test_a_time_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"line 3: expected seconds since 1970 or a date .* got 'soon' in 'time'"
    ):
        read(write(tmp_path, "user,item,time\n1,2,2024-05-31\n1,3,soon\n"))


@pytest.mark.parametrize("separator", ["\t", ";", "|", ","])
def test_the_separator_is_the_one_in_the_first_line(tmp_path: Path, separator: str) -> None:
    text = "user,item,rating\n1,2,3\n".replace(",", separator)
    assert read(write(tmp_path, text, "plays.txt")).value.tolist() == [3]


def test_titles_become_the_catalogue_with_their_years(tmp_path: Path) -> None:
    data = read(write(tmp_path, 'user,item,title\n1,8,"Heat, again (1995)"\n2,8,other\n2,9,\n'))
    assert data.titles == ["Heat, again (1995)", "9"]
    assert data.catalog is not None
    assert data.catalog.years.tolist() == [1995, 0]


def test_zeros_in_front_of_an_id_are_part_of_it(tmp_path: Path) -> None:
    data = read(write(tmp_path, "user,item\n007,1\n7,1\n"))
    assert data.people_count == 2
    assert sorted(data.person_ids.to_list()) == ["007", "7"]


def test_an_id_that_turns_to_text_far_down_is_text(tmp_path: Path) -> None:
    rows = "".join(f"{person},1\n" for person in range(1, 1500))
    data = read(write(tmp_path, f"user,item\n{rows}guest,1\n"))
    assert data.people_count == 1500
    assert data.person_ids.dtype == pl.String


def test_latin_1_names_are_read(tmp_path: Path) -> None:
    (tmp_path / "plays.csv").write_bytes("user,artist\nJosé,Björk\n".encode("latin-1"))
    data = read(tmp_path / "plays.csv")
    assert data.titles == ["Björk"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected rows, got an empty file"),
        ("user,item\n", "expected rows, got none"),
        ("user\n1\n", "line 1: expected a first line with at least two names"),
        ("user,user\n1,2\n", "line 1: expected a first line with at least two names of columns, each once"),
        ("user,item,rating\n1,2,3\n1,2\n", "line 3: expected 3 fields, got 2"),
        ("user,item,rating\n1,2,x\n", "line 2: expected a number, got 'x' in 'value'"),
        (
            "user,item,rating\n1,2,3\n1,3,-2\n",
            "line 3: expected a finite number that is not negative, got -2.0",
        ),
        ("user,item,rating\n1,,3\n", "line 2: expected a value, got an empty field in 'item'"),
        ("user,item,time\n1,2,1717156800\n1,3,17171", "line 3: .* seems cut short"),
    ],
)
def test_a_bad_table_says_where_and_why(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(write(tmp_path, text))


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"plays\.csv: expected a file, got nothing"):
        read(tmp_path / "plays.csv")


def test_parquet_is_read_like_text(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "userId": [3, 1],
            "item": ["b", "a"],
            "rating": [1, 2],
            "when": [datetime(2024, 5, 31, 12, tzinfo=UTC)] * 2,
            "unused": [None, 1],
        }
    )
    frame.write_parquet(tmp_path / "plays.parquet")
    data = read(tmp_path / "plays.parquet")
    assert data.person_ids.to_list() == [1, 3]
    assert data.value.tolist() == [1, 2]
    assert data.time.tolist() == [NOON_S] * 2


def test_parquet_dates_and_categories_are_taken(tmp_path: Path) -> None:
    frame = pl.DataFrame({"user": ["x"], "item": ["b"], "date": [date(2024, 5, 31)]})
    frame.with_columns(pl.col("user").cast(pl.Categorical)).write_parquet(tmp_path / "plays.parquet")
    assert read(tmp_path / "plays.parquet").time.tolist() == [NOON_S - 43_200]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"user": [1.5], "item": [1]}, "expected whole numbers or text in 'user', got Float64"),
        ({"user": [1], "item": [1], "rating": ["good"]}, "expected numbers in 'rating', got String"),
        ({"user": [1, None], "item": [1, 1]}, "row 2: expected a person, got an empty field"),
        ({"user": [1, 2], "item": [1, 1], "rating": [1.0, float("nan")]}, "row 2: expected a finite number"),
        (
            {"user": [1], "item": [1], "time": [True]},
            "expected numbers, dates or text in the time column, got Boolean",
        ),
        ({"user": [1, 2], "item": [1, 1], "time": [float("inf"), 1.0]}, "row 1: expected a finite time"),
    ],
)
def test_parquet_that_does_not_fit_is_refused(
    tmp_path: Path, columns: dict[str, list[object]], said: str
) -> None:
    pl.DataFrame(columns).write_parquet(tmp_path / "plays.parquet")
    with pytest.raises(DataError, match=said):
        read(tmp_path / "plays.parquet")


def test_a_cut_parquet_file_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"user": [1], "item": [1]}).write_parquet(tmp_path / "plays.parquet")
    (tmp_path / "plays.parquet").write_bytes((tmp_path / "plays.parquet").read_bytes()[:40])
    with pytest.raises(DataError, match="expected a whole Parquet file"):
        read(tmp_path / "plays.parquet")
