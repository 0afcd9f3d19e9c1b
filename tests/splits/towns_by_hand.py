"""Tiny interactions for the tests of splits, by hand and by hypothesis."""

import numpy as np
import polars as pl
from hypothesis import strategies as st

from covey.datasets.interactions import GivenTest, Interactions

Row = tuple[int, int, float, int]  # person, item, value, time


def interactions_of(
    rows: list[Row], people: int, items: int, *, has_time: bool = True, given: GivenTest | None = None
) -> Interactions:
    person, item, value, time = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Interactions(
        name="by-hand",
        person=np.array(person, np.int32),
        item=np.array(item, np.int32),
        value=np.array(value, np.float32),
        time=np.array(time, np.int64),
        person_ids=pl.Series("person", [f"p{number}" for number in range(people)]),
        item_ids=pl.Series("item", [f"i{number}" for number in range(items)]),
        has_time=has_time,
        given=given,
    )


@st.composite
def crowds(draw: st.DrawFn, at_least: int = 3, distinct_times: bool = False) -> Interactions:
    """A few people with at least so many rows each, in any order of the file."""
    people = draw(st.integers(1, 5))
    items = draw(st.integers(at_least, 9))
    pairs: list[tuple[int, int]] = []
    for person in range(people):
        had = draw(st.lists(st.integers(0, items - 1), min_size=at_least, max_size=items, unique=True))
        pairs += [(person, item) for item in had]
    pairs = draw(st.permutations(pairs))
    if distinct_times:
        times = draw(st.permutations(range(len(pairs))))
    else:
        times = draw(st.lists(st.integers(0, 4), min_size=len(pairs), max_size=len(pairs)))
    # A value of its own for every row lets a test follow each row to the part where it went.
    rows = [(p, i, float(row), time) for row, ((p, i), time) in enumerate(zip(pairs, times, strict=True))]
    return interactions_of(rows, people, items)
