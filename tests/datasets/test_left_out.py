"""Items with few rows left out, and low values raised."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.datasets import GivenTest, Interactions
from covey.errors import ConfigError, DataError


def data_of(pairs: list[tuple[int, int]], values: list[float] | None = None) -> Interactions:
    person, item = (np.array(column, np.int32) for column in zip(*pairs, strict=True))
    return Interactions(
        name="by-hand",
        person=person,
        item=item,
        value=np.array(values or [1.0] * len(pairs), np.float32),
        time=np.zeros(len(pairs), np.int64),
        person_ids=pl.Series("person", [f"p{n}" for n in range(person.max() + 1)]),
        item_ids=pl.Series("item", [f"i{n}" for n in range(item.max() + 1)]),
    )


def pairs_of(data: Interactions) -> list[tuple[str, str]]:
    return [
        (data.person_ids[int(p)], data.item_ids[int(i)]) for p, i in zip(data.person, data.item, strict=True)
    ]


def test_items_with_few_rows_go_and_so_does_who_has_nothing_else() -> None:
    """Items 0 and 2 have two rows, items 1 and 3 one; person 2 has item 3 alone."""
    data = data_of([(0, 0), (1, 0), (1, 1), (1, 2), (0, 2), (2, 3)])
    left = data.items_at_least(2)
    assert pairs_of(left) == [("p0", "i0"), ("p1", "i0"), ("p1", "i2"), ("p0", "i2")]
    assert left.person_ids.to_list() == ["p0", "p1"]
    assert left.item_ids.to_list() == ["i0", "i2"]
    assert left.notes == (
        "Items with under 2 rows: 2, removed.",
        "People with none of the other items: 1, removed.",
    )


@given(
    pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, unique=True),
    least=st.integers(1, 4),
)
def test_a_row_stays_exactly_when_its_item_has_enough(pairs: list[tuple[int, int]], least: int) -> None:
    data = data_of(pairs)
    counts = np.bincount(data.item)
    stay = [pair for pair in pairs if counts[pair[1]] >= least]
    if not stay:
        with pytest.raises(DataError, match=f"expected an item with {least} rows or more, got"):
            data.items_at_least(least)
        return
    left = data.items_at_least(least)
    assert pairs_of(left) == [(f"p{person}", f"i{item}") for person, item in stay]
    if left is not data:
        assert left.counts.min() >= 1
        assert np.bincount(left.item).min() >= least


def test_where_every_item_has_enough_nothing_changes() -> None:
    data = data_of([(0, 0), (1, 1)])
    assert data.items_at_least(1) is data


def test_items_of_given_candidates_are_not_left_out() -> None:
    none = np.zeros(1, np.int64)
    test = GivenTest(np.array([1], np.int32), none.astype(np.float32), none, np.array([[0]], np.int32))
    data = data_of([(0, 0), (0, 1)])
    given_data = Interactions(**{**vars(data), "given": test})
    with pytest.raises(ConfigError, match="expected data without test items and negatives of its own"):
        given_data.items_at_least(2)


def test_low_values_are_raised_and_counted() -> None:
    data = data_of([(0, 0), (0, 1), (1, 0)], [0.5, 1.0, 4.5])
    raised = data.raised_to(1.0)
    assert raised.value.tolist() == [1.0, 1.0, 4.5]
    assert raised.value.dtype == np.float32
    assert raised.notes == ("Values under 1: 1, raised to it.",)
    assert data.value.tolist() == [0.5, 1.0, 4.5]
    assert data.raised_to(0.5) is data
