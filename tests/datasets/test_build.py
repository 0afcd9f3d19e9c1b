"""Numbering, repeats and validation, whatever the source."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.datasets.build import build
from covey.datasets.interactions import Interactions
from covey.datasets.text import Table
from covey.errors import ConfigError, DataError

rows_of_town = st.lists(
    st.tuples(st.integers(-5, 12), st.sampled_from("abcdef"), st.integers(0, 9), st.integers(0, 4)),
    min_size=1,
)


def table(
    rows: list[tuple[object, ...]], columns: tuple[str, ...] = ("person", "item", "value", "time")
) -> Table:
    frame = pl.DataFrame(rows, schema=list(columns), orient="row", strict=False)
    if "value" in columns:
        frame = frame.with_columns(pl.col("value").cast(pl.Float32))
    return Table("town.csv", frame, lambda row: f"town.csv, line {row + 2}")


def originals(data: Interactions) -> list[tuple[object, ...]]:
    """The rows with their original ids."""
    people, items = data.person_ids.to_list(), data.item_ids.to_list()
    return [
        (people[p], items[i], v, t)
        for p, i, v, t in zip(data.person, data.item, data.value, data.time, strict=True)
    ]


@given(rows_of_town)
def test_each_pair_is_kept_once_at_its_earliest_time_in_the_order_of_the_file(
    rows: list[tuple[int, str, int, int]],
) -> None:
    expected = []
    for place, (person, item, value, time) in enumerate(rows):
        same = [(t, n) for n, (p, i, _, t) in enumerate(rows) if (p, i) == (person, item)]
        if min(same) == (time, place):
            expected.append((person, item, value, time))
    data = build("town", table(rows))
    assert originals(data) == expected
    dropped = len(rows) - len(expected)
    assert [note for note in data.notes if f": {dropped}, dropped" in note] == list(data.notes)
    assert bool(data.notes) == bool(dropped)


@given(rows_of_town)
def test_numbers_are_contiguous_and_follow_the_sorted_ids(rows: list[tuple[int, str, int, int]]) -> None:
    data = build("town", table(rows))
    assert data.person_ids.to_list() == sorted({person for person, *_ in rows})
    assert data.item_ids.to_list() == sorted({item for _, item, *_ in rows})
    assert set(data.person.tolist()) == set(range(data.people_count))
    assert set(data.item.tolist()) == set(range(data.item_count))


@given(rows_of_town, st.randoms(use_true_random=False))
def test_numbering_does_not_depend_on_the_order_of_rows(rows: list[tuple[int, str, int, int]], order) -> None:
    shuffled = rows.copy()
    order.shuffle(shuffled)
    one, other = build("town", table(rows)), build("town", table(shuffled))
    assert one.person_ids.equals(other.person_ids)
    assert one.item_ids.equals(other.item_ids)


def test_text_ids_that_are_all_numbers_are_sorted_as_numbers() -> None:
    data = build("town", table([("10", "b", 1, 0), ("9", "b", 1, 0), ("007", "b", 1, 0)]))
    assert data.person_ids.to_list() == ["007", "9", "10"]
    assert data.person.tolist() == [2, 1, 0]


def test_without_value_and_time_values_are_one_and_times_zero() -> None:
    data = build("town", table([(1, 2), (1, 3)], ("person", "item")))
    assert data.value.tolist() == [1, 1]
    assert data.time.tolist() == [0, 0]
    assert not data.has_time


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((1, "a", float("nan"), 0), "expected a finite number that is not negative, got nan in 'value'"),
        ((1, "a", float("inf"), 0), "got inf in 'value'"),
        ((1, "a", -0.5, 0), "got -0.5 in 'value'"),
        ((1, "a", None, 0), "got an empty field in 'value'"),
        ((None, "a", 1, 0), "expected a person, got an empty field"),
        ((1, None, 1, 0), "expected an item, got an empty field"),
        ((1, "a", 1, None), "expected a time, got an empty field"),
    ],
)
def test_a_bad_row_is_named(row: tuple[object, ...], said: str) -> None:
    with pytest.raises(DataError, match=rf"town\.csv, line 3: .*{said}"):
        build("town", table([(1, "a", 1, 0), row]))


def test_no_rows_are_refused() -> None:
    empty = Table("town.csv", pl.DataFrame(schema={"person": pl.Int64, "item": pl.Int64}), str)
    with pytest.raises(DataError, match=r"town\.csv: expected rows, got none"):
        build("town", empty)


@given(rows_of_town, st.data())
def test_a_subset_keeps_exactly_the_rows_of_its_people(rows: list[tuple[int, str, int, int]], draw) -> None:
    data = build("town", table(rows))
    chosen = draw.draw(st.sets(st.integers(0, data.people_count - 1), min_size=1))
    subset = data.only_people(np.array(sorted(chosen)))
    ids = {data.person_ids[person] for person in chosen}
    assert originals(subset) == [row for row in originals(data) if row[0] in ids]
    assert set(subset.item.tolist()) == set(range(subset.item_count))
    assert set(subset.person.tolist()) == set(range(subset.people_count))


@given(rows_of_town, st.integers(1, 4))
def test_at_least_leaves_only_people_with_that_many_rows(
    rows: list[tuple[int, str, int, int]], least: int
) -> None:
    data = build("town", table(rows))
    if data.counts.max() < least:
        with pytest.raises(DataError, match=f"expected somebody with {least} rows or more"):
            data.at_least(rows_per_person=least)
        return
    left = data.at_least(rows_per_person=least)
    assert left.counts.min() >= least
    assert left.people_count == np.count_nonzero(data.counts >= least)


def test_at_least_one_changes_nothing() -> None:
    data = build("town", table([(1, "a", 1, 0)]))
    assert data.at_least(rows_per_person=1) is data


@pytest.mark.parametrize("people", [[-1], [2], [0.5], [True]])
def test_people_that_do_not_exist_are_refused(people: list[object]) -> None:
    data = build("town", table([(1, "a", 1, 0), (2, "a", 1, 0)]))
    with pytest.raises(ConfigError, match="expected person numbers from 0 to 1"):
        data.only_people(people)  # type: ignore[arg-type]  # the wrong kind is the point


def test_nobody_is_refused() -> None:
    data = build("town", table([(1, "a", 1, 0)]))
    with pytest.raises(DataError, match="expected at least one person"):
        data.only_people([])


def test_describe_counts_what_table_3_counts() -> None:
    data = build("town", table([(1, "a", 1, 0), (1, "b", 1, 0), (1, "c", 1, 0), (2, "a", 1, 0)]))
    assert data.describe() == {
        "people": 2,
        "items": 3,
        "rows": 4,
        "sparsity": pytest.approx(1 / 3),
        "min_rows_a_person": 1,
        "max_rows_a_person": 3,
        "mean_rows_a_person": 2,
    }
