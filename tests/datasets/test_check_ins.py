"""Foursquare's two formats, and Gowalla's lines."""

from pathlib import Path

import pytest

from covey.datasets.sources.foursquare import read_italy, read_nyc
from covey.datasets.sources.gowalla import read_gowalla
from covey.errors import DataError

EVENING = "Tue Apr 03 18:00:09 +0000 2012"
LATER = "Tue Apr 03 19:04:31 +0000 2012"
EVENING_S, LATER_S = 1_333_476_009, 1_333_479_871
CITIES = ("Bologna", "Florence", "Milan", "Rome", "Turin", "Venice")


def write_italy(folder: Path, **rows: str) -> Path:
    for city in CITIES:
        default = f"{len(city)}\t{city}\tPlaza\t{EVENING}\n"
        (folder / f"{city}.tsv").write_text("user_id\tvenue_id\ttype\tutc\n" + rows.get(city, default))
    return folder


def nyc_line(person: int, venue: str, time: str, kind: str = "Bridge") -> str:
    return f"{person}\t{venue}\t4bf5\t{kind}\t40.7\t-74.0\t-240\t{time}\n"


def test_one_person_in_two_cities_is_one_person(tmp_path: Path) -> None:
    data = read_italy(write_italy(tmp_path))
    assert data.person_ids.to_list() == [4, 5, 6, 7, 8]  # Milan and Turin have 5 letters, Venice 6, ...
    assert len(data) == 6


def test_a_venue_is_titled_by_its_type_and_lost_letters_come_back(tmp_path: Path) -> None:
    data = read_italy(write_italy(tmp_path, Milan=f"1\tabc\tCaf\x1a\x1a\t{LATER}\n"))
    assert data.catalog is not None
    place = data.item_ids.to_list().index("abc")
    assert data.titles[place] == "Café"
    assert data.catalog.genres[place] == ("Café",)
    assert data.time.max() == LATER_S


def test_a_bad_time_is_named_in_the_city_where_it_stands(tmp_path: Path) -> None:
    rows = f"1\tabc\tPlaza\t{EVENING}\n1\tdef\tPlaza\tyesterday\n"
    with pytest.raises(DataError, match=r"Rome\.tsv, line 3: expected a time such as .* got 'yesterday'"):
        read_italy(write_italy(tmp_path, Rome=rows))


def test_a_second_visit_is_dropped_and_the_earliest_kept(tmp_path: Path) -> None:
    lines = nyc_line(470, "b", LATER) + nyc_line(470, "b", EVENING) + nyc_line(9, "a", LATER, "Café")
    (tmp_path / "dataset_TSMC2014_NYC.txt").write_bytes(lines.encode("latin-1"))
    data = read_nyc(tmp_path)
    assert data.person_ids.to_list() == [9, 470]
    assert data.titles == ["Café", "Bridge"]
    assert data.person.tolist() == [1, 0]
    assert data.time.tolist() == [EVENING_S, LATER_S]
    assert data.notes == ("Rows that repeat a (person, item): 1, dropped; the earliest of each is kept.",)


def test_a_short_line_of_new_york_is_named(tmp_path: Path) -> None:
    (tmp_path / "dataset_TSMC2014_NYC.txt").write_text(nyc_line(1, "a", EVENING) + "2\tb\t4bf5\n")
    with pytest.raises(DataError, match=r"line 2: expected 8 fields, got 3; .*cut short"):
        read_nyc(tmp_path)


def test_gowalla_has_no_times_and_keeps_the_order_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("0 10 2 7 \n\n1 2\n")
    data = read_gowalla(tmp_path)
    assert not data.has_time
    assert data.item_ids.to_list() == [2, 7, 10]
    assert data.item.tolist() == [2, 0, 1, 0]
    assert data.time.tolist() == [0] * 4
    assert data.value.tolist() == [1] * 4


def test_gowalla_joins_both_files_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("0 1\n1 2\n")
    (tmp_path / "test.txt").write_text("0 2\n1\n")
    data = read_gowalla(tmp_path)
    assert data.person.tolist() == [0, 1, 0]
    assert data.notes == ("train.txt and test.txt are read as one dataset.",)


def test_an_item_twice_on_a_gowalla_line_counts_once(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("0 5 6 5\n")
    data = read_gowalla(tmp_path)
    assert data.item.tolist() == [0, 1]
    assert data.notes == ("Rows that repeat a (person, item): 1, dropped; the first of each is kept.",)


def test_a_word_on_a_gowalla_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("0 5\n1 six\n")
    with pytest.raises(DataError, match=r"train\.txt, line 2: expected whole numbers .* got '1 six'"):
        read_gowalla(tmp_path)
