"""The simulated data of the FCF paper: as large and as full as it says."""

import numpy as np

from covey.datasets import info, load
from covey.datasets.views import NAME


def test_views_are_as_the_paper_asks():
    data, known = load(NAME), info(NAME)
    pairs = np.unique(np.stack([data.person, data.item]), axis=1)
    assert (data.people_count, data.item_count, len(data)) == (known.people, known.items, known.rows)
    assert pairs.shape[1] == len(data), "nobody has an item twice"
    assert (data.counts == 8).all()
    assert np.bincount(data.item, minlength=40).min() >= 1
    assert len(data) / (data.people_count * data.item_count) == 0.2


def test_views_come_from_their_seed_alone():
    one, same, other = (load(NAME, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.item, same.item)
    assert not np.array_equal(one.item, other.item)
