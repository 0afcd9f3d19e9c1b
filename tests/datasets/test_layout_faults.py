"""The fast reader and the slow one: they agree on which files are whole, and the slow one finds the line."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.datasets.faults import cell_fault, first_fault
from covey.datasets.layout import Layout
from covey.datasets.text import read_text
from covey.errors import DataError

LAYOUT = Layout(("person", "item", "value"), {"person": "whole", "item": "text", "value": "number"}, ",")

whole = st.integers(-(2**63), 2**63 - 1).map(str)
name = st.text("abcxyz09é ", min_size=1, max_size=6).filter(lambda text: text.strip() == text)
number = st.floats(0, 1e6, allow_nan=False).map(lambda value: f"{value:.3f}")
good_row = st.tuples(whole, name, number)
bad_row = st.one_of(
    st.tuples(st.sampled_from(["1.5", "x", "", "0x1", "9" * 20]), name, number),
    st.tuples(whole, st.just(""), number),
    st.tuples(whole, name, st.sampled_from(["", "five", "1_0"])),
    st.tuples(whole, name),
    st.tuples(whole, name, number, number),
)


def file_of(rows: list[tuple[str, ...]], folder: str) -> Path:
    path = Path(folder) / "rows.csv"
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


@given(st.lists(good_row, min_size=1, max_size=20))
def test_whole_files_are_read_row_by_row_and_have_no_fault(rows: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = file_of(rows, folder)
        frame = read_text(path, LAYOUT).frame
        assert frame["person"].to_list() == [int(person) for person, _, _ in rows]
        assert frame["item"].to_list() == [item for _, item, _ in rows]
        assert frame["value"].to_list() == pytest.approx([float(value) for _, _, value in rows], rel=1e-6)
        assert first_fault(path, LAYOUT) is None


@given(st.lists(good_row, max_size=10), bad_row, st.lists(good_row, max_size=10))
def test_one_bad_row_anywhere_is_refused_with_its_line(
    before: list[tuple[str, ...]], bad: tuple[str, ...], after: list[tuple[str, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = file_of([*before, bad, *after], folder)
        with pytest.raises(DataError, match=rf"rows\.csv, line {len(before) + 1}: expected"):
            read_text(path, LAYOUT)


def test_columns_that_nobody_wants_are_still_counted(tmp_path: Path) -> None:
    layout = Layout(("person", "item", "extra"), {"person": "whole", "item": "whole"}, "\t")
    (tmp_path / "rows.tsv").write_text("1\t2\t\n1\t2\n")
    with pytest.raises(DataError, match=r"line 2: expected 3 fields, got 2"):
        read_text(tmp_path / "rows.tsv", layout)


def test_blank_lines_are_passed_by_and_still_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n1,a,2\n  \n3,b,4\n\n")
    table = read_text(path, LAYOUT)
    assert table.frame["person"].to_list() == [1, 3]
    assert table.place(1) == f"{path}, line 4"


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"\xef\xbb\xbf1,a,2\r\n3,b,4\r\n")
    frame = read_text(tmp_path / "rows.csv", LAYOUT).frame
    assert frame.rows() == [(1, "a", 2.0), (3, "b", 4.0)]


def test_a_quoted_line_break_does_not_move_the_line_of_a_fault(tmp_path: Path) -> None:
    layout = Layout(LAYOUT.columns, LAYOUT.kinds, ",", header=True, quoted=True)
    (tmp_path / "rows.csv").write_text('person,item,value\n1,"a\nb",2\n3,c,x\n')
    with pytest.raises(DataError, match=r"line 4: expected a number, got 'x' in 'value'"):
        read_text(tmp_path / "rows.csv", layout)


def test_a_path_with_wildcards_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "rows[1]*.csv").write_text("1,a,2\n")
    assert len(read_text(tmp_path / "rows[1]*.csv", LAYOUT).frame) == 1


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected a file, got a folder"):
        read_text(tmp_path, LAYOUT)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "-0.1", "1e999"])
def test_values_are_finite_and_not_negative(text: str) -> None:
    fault = cell_fault("number", text)
    assert fault is not None
    assert "finite number that is not negative" in fault
