"""The published files themselves, where $COVEY_DATA has them: every count, and a few rows that anybody can look up."""

import os
from pathlib import Path

import numpy as np
import pytest

from covey.datasets import load
from covey.datasets.sources import SOURCES
from covey.datasets.sources.lastfm import read_lastfm

ROOT = os.environ.get("COVEY_DATA")


def needs(name: str) -> pytest.MarkDecorator:
    there = ROOT is not None and all((Path(ROOT) / name / file).is_file() for file in SOURCES[name].files)
    return pytest.mark.skipif(not there, reason=f"$COVEY_DATA has no {name}")


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in SOURCES])
def test_counts_are_as_published(name: str) -> None:
    data, source = load(name), SOURCES[name]
    assert (data.people_count, data.item_count, len(data)) == (source.people, source.items, source.rows)
    pairs = data.person.astype(np.int64) * data.item_count + data.item
    assert len(np.unique(pairs)) == len(data)


@needs("ml-1m")
def test_the_first_row_of_ml_1m_is_the_first_line() -> None:
    data = load("ml-1m")
    assert data.person_ids[int(data.person[0])] == 1
    assert data.titles[int(data.item[0])] == "One Flew Over the Cuckoo's Nest (1975)"
    assert (data.value[0], data.time[0]) == (5, 978300760)
    assert data.catalog is not None
    assert (data.catalog.years > 1900).all()


@needs("ml-1m-ncf")
def test_ncf_ids_stay_and_156_people_have_their_positive_among_the_negatives() -> None:
    data = load("ml-1m-ncf")
    assert data.person_ids.to_list() == list(range(6040))
    assert data.item_ids.to_list() == list(range(3706))
    assert data.given is not None
    assert data.given.negatives.shape == (6040, 99)
    assert (data.given.negatives >= 0).all()
    assert (data.given.negatives == data.given.item[:, None]).any(axis=1).sum() == 156


@needs("lastfm-2k")
def test_lastfm_times_are_days_of_2005_to_2011_but_for_the_unlikely_ones() -> None:
    assert ROOT is not None
    data = read_lastfm(Path(ROOT) / "lastfm-2k")
    years = data.time.astype("datetime64[s]").astype("datetime64[Y]").astype(int) + 1970
    assert set(years.tolist()) == {2002, *range(2005, 2012)}
    assert (data.time % 86_400 == 0).all()
    assert (years == 2002).sum() <= 5


@needs("ml-latest-small")
def test_the_fedsplit_papers_filters_leave_1297_films_of_ml_latest_small() -> None:
    data = load("ml-latest-small").at_least(20).items_at_least(20)
    assert (data.people_count, data.item_count, len(data)) == (610, 1297, 67_898)
    assert data.raised_to(1).value.min() == 1
