"""The MovieLens readers, on a few lines in each of the published formats."""

from pathlib import Path

import numpy as np
import pytest

from covey.datasets.sources.movielens import read_1m, read_100k, read_csv
from covey.errors import DataError

ITEM_100K = "{id}|{title}|{released}||http://x|{flags}\n"


def write_100k(folder: Path) -> Path:
    (folder / "u.data").write_text("7\t20\t3\t881250949\n5\t10\t5\t881250950\n7\t10\t1\t881250951\n")
    flags = ["0"] * 19
    flags[5] = flags[1] = "1"
    films = ITEM_100K.format(id=10, title="Caché (1995)", released="01-Jan-1996", flags="|".join(flags))
    films += ITEM_100K.format(
        id=20, title="unknown", released="02-Feb-1998", flags="|".join(["1"] + ["0"] * 18)
    )
    (folder / "u.item").write_bytes(films.encode("latin-1"))
    return folder


def write_1m(folder: Path, ratings: str) -> Path:
    (folder / "ratings.dat").write_text(ratings)
    films = "661::Café: a Tale (1996)::Children's|Musical\n1193::Cuckoo's Nest (1975)::Drama\n9::Unrated (1990)::War\n"
    (folder / "movies.dat").write_bytes(films.encode("latin-1"))
    return folder


def write_csv(folder: Path, movies: str) -> Path:
    (folder / "ratings.csv").write_text(
        "userId,movieId,rating,timestamp\n2,31,2.5,1260759144\n1,31,4.0,1260759179\n"
    )
    (folder / "movies.csv").write_text("movieId,title,genres\n" + movies, encoding="utf-8")
    return folder


def test_ml_100k_rows_keep_the_order_of_the_file_and_numbers_follow_sorted_ids(tmp_path: Path) -> None:
    data = read_100k(write_100k(tmp_path))
    assert data.person_ids.to_list() == [5, 7]
    assert data.item_ids.to_list() == [10, 20]
    assert data.person.tolist() == [1, 0, 1]
    assert data.item.tolist() == [1, 0, 0]
    assert data.value.tolist() == [3, 5, 1]
    assert data.time.tolist() == [881250949, 881250950, 881250951]
    assert data.has_time
    assert data.notes == ()


def test_ml_100k_year_comes_from_the_title_and_else_from_the_release_date(tmp_path: Path) -> None:
    catalog = read_100k(write_100k(tmp_path)).catalog
    assert catalog is not None
    assert catalog.titles == ["Caché (1995)", "unknown"]
    assert catalog.genres == [("Action", "Comedy"), ()]
    assert catalog.years.tolist() == [1995, 1998]


def test_ml_1m_splits_at_double_colons_and_reads_latin_1_titles(tmp_path: Path) -> None:
    data = read_1m(write_1m(tmp_path, "1::1193::5::978300760\n2::661::3::978302109\n"))
    assert data.catalog is not None
    assert data.catalog.titles == ["Café: a Tale (1996)", "Cuckoo's Nest (1975)"]
    assert data.catalog.genres[0] == ("Children's", "Musical")
    assert data.item.tolist() == [1, 0]


def test_arrays_have_the_promised_types_and_may_be_written(tmp_path: Path) -> None:
    data = read_1m(write_1m(tmp_path, "1::1193::5::978300760\n2::661::3::978302109\n"))
    arrays = (data.person, data.item, data.value, data.time)
    assert [array.dtype for array in arrays] == [np.int32, np.int32, np.float32, np.int64]
    assert all(array.flags.writeable and array.flags.c_contiguous for array in arrays)


def test_films_that_nobody_rated_have_no_number(tmp_path: Path) -> None:
    data = read_1m(write_1m(tmp_path, "1::1193::5::978300760\n"))
    assert data.item_ids.to_list() == [1193]


def test_commas_and_quotes_inside_a_title_do_not_divide_it(tmp_path: Path) -> None:
    data = read_csv(write_csv(tmp_path, '31,"Dangerous ""Minds"", The (1995)",Drama\n'), "ml-latest-small")
    assert data.titles == ['Dangerous "Minds", The (1995)']
    assert data.value.tolist() == [2.5, 4.0]
    assert data.person_ids.to_list() == [1, 2]


@pytest.mark.parametrize(
    ("title", "year"),
    [("Heat (1995)", 1995), ("Note (2006–2007)", 2006), ("Babylon 5", 0), ("Soap (1977-)", 1977)],
)
def test_year_is_the_one_a_title_ends_with(tmp_path: Path, title: str, year: int) -> None:
    data = read_csv(write_csv(tmp_path, f"31,{title},(no genres listed)\n"), "ml-25m")
    assert data.catalog is not None
    assert data.catalog.years.tolist() == [year]
    assert data.catalog.genres == [()]


def test_another_header_is_refused_with_the_expected_one(tmp_path: Path) -> None:
    write_csv(tmp_path, "31,Heat (1995),Drama\n")
    (tmp_path / "ratings.csv").write_text("userId,rating,movieId,timestamp\n2,2.5,31,1260759144\n")
    with pytest.raises(DataError, match=r"line 1: expected the header 'userId,movieId,rating,timestamp'"):
        read_csv(tmp_path, "ml-25m")


@pytest.mark.parametrize(
    ("ratings", "said"),
    [
        (
            "1::1193::5::978300760\n2::661::3\n",
            r"ratings\.dat, line 2: expected 4 fields, got 3; .* cut short",
        ),
        ("1::1193::5\n2::661::3::978302109\n", r"line 1: expected 4 fields, got 3; mend"),
        ("1::1193::5::978300760::9\n", r"line 1: expected 4 fields, got 5"),
        (
            "1::1193::5::978300760\nx::661::3::978302109\n",
            r"line 2: expected a whole number, got 'x' in 'person'",
        ),
        ("1::1193::nan::978300760\n", r"line 1: expected a finite number .* got nan"),
        (
            "1::1193::5::978300760\n\n1::661::-1::978300760\n",
            r"line 3: expected .* not negative, got '-1' in 'value'",
        ),
        ("1::1193::::978300760\n", r"line 1: expected a value, got an empty field in 'value'"),
        ("", r"expected rows, got an empty file"),
        ("\n\n", r"got none"),
        ("1::1193::5::978300760\n2::661::3::9783", r"line 2: .* seems cut short: fetch it again"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, ratings: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_1m(write_1m(tmp_path, ratings))


def test_a_missing_catalogue_is_named(tmp_path: Path) -> None:
    (tmp_path / "ratings.dat").write_text("1::1193::5::978300760\n")
    with pytest.raises(DataError, match=r"movies\.dat: expected a file, got nothing"):
        read_1m(tmp_path)


def test_a_cut_catalogue_is_named_with_its_line(tmp_path: Path) -> None:
    write_1m(tmp_path, "1::1193::5::978300760\n")
    (tmp_path / "movies.dat").write_text("1193::Cuckoo's Nest (1975)::Drama\n661::Jam")
    with pytest.raises(DataError, match=r"movies\.dat, line 2: expected a film's number"):
        read_1m(tmp_path)


def test_a_last_line_without_a_line_end_is_whole_when_its_time_is(tmp_path: Path) -> None:
    assert len(read_1m(write_1m(tmp_path, "1::1193::5::978300760\n2::661::3::978302109"))) == 2
