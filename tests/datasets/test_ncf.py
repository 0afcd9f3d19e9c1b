"""ml-1m as the NCF authors divided it."""

from pathlib import Path

import pytest

from covey.datasets.sources.ncf import read_ncf
from covey.errors import DataError

TRAIN = "0\t2\t4\t978824330\n1\t0\t5\t978824291\n"
TEST = "0\t1\t5\t978824351\n1\t3\t3\t978300174\n"
NEGATIVE = "(0,1)\t0\t3\n(1,3)\t2\n"


def write(folder: Path, train: str = TRAIN, test: str = TEST, negative: str = NEGATIVE) -> Path:
    (folder / "ml-1m.train.rating").write_text(train)
    (folder / "ml-1m.test.rating").write_text(test)
    (folder / "ml-1m.test.negative").write_text(negative)
    return folder


def test_ids_without_gaps_stay_as_they_are(tmp_path: Path) -> None:
    data = read_ncf(write(tmp_path))
    assert data.person_ids.to_list() == [0, 1]
    assert data.item_ids.to_list() == [0, 1, 2, 3]
    assert data.item.tolist() == [2, 0]


def test_held_out_items_are_given_and_not_among_the_rows(tmp_path: Path) -> None:
    data = read_ncf(write(tmp_path))
    assert len(data) == 2
    assert data.given is not None
    assert data.given.item.tolist() == [1, 3]
    assert data.given.value.tolist() == [5, 3]
    assert data.given.time.tolist() == [978824351, 978300174]


def test_a_shorter_row_of_negatives_is_padded(tmp_path: Path) -> None:
    given = read_ncf(write(tmp_path)).given
    assert given is not None
    assert given.negatives.tolist() == [[0, 3], [2, -1]]


def test_a_person_without_a_held_out_item_has_minus_one(tmp_path: Path) -> None:
    given = read_ncf(write(tmp_path, test="1\t1\t3\t978300174\n", negative="(1,1)\t2\n")).given
    assert given is not None
    assert given.item.tolist() == [-1, 1]
    assert given.negatives.tolist() == [[-1], [2]]


@pytest.mark.parametrize(
    ("negative", "said"),
    [
        ("(0,1)\t0\t3\n(1,2)\t2\n", r"line 2: expected \(1,3\), got \(1,2\)"),
        ("(0,1)\t0\tx\n(1,3)\t2\n", r"line 1: expected item numbers after \(0,1\)"),
        ("(0,1)\t0\t3\n", r"expected 2 lines as in ml-1m\.test\.rating, got 1"),
        (NEGATIVE + "(2,2)\t1\n", r"line 3: expected no more lines"),
        ("(0,1)\t0\t3\n\n", r"line 2: expected \(1,3\), got an empty line"),
    ],
)
def test_negatives_that_do_not_belong_to_the_test_rows_are_refused(
    tmp_path: Path, negative: str, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        read_ncf(write(tmp_path, negative=negative))


def test_a_second_held_out_item_of_a_person_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"test\.rating, line 2: expected one held-out film a person"):
        read_ncf(write(tmp_path, test="0\t1\t5\t978824351\n0\t3\t3\t978300174\n"))


def test_a_subset_of_people_keeps_its_candidates(tmp_path: Path) -> None:
    data = read_ncf(write(tmp_path)).only_people([1])
    assert data.given is not None
    original = data.item_ids.to_list()
    assert [original[i] for i in data.given.item] == [3]
    assert [original[i] if i >= 0 else -1 for i in data.given.negatives[0]] == [2, -1]
    assert original == [0, 2, 3]
