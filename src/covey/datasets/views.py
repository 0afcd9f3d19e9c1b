"""Views at random, as the FCF paper simulates them: 5,000 people, 40 items, a fifth of the cells, nothing planted.

The paper asks for at least eight views a person, one an item, and 80% of the cells empty; eight each is all three.
"""

import numpy as np
import polars as pl

from covey import random
from covey.datasets.interactions import Interactions

NAME = "synthetic:views"
PEOPLE, ITEMS, VIEWS = 5_000, 40, 8  # views a person


def views(seed: int = 0) -> Interactions:
    """Everybody's views; the first five people share the catalogue out, so every item has one."""
    draw = random.stream(seed, "views")
    chosen = np.argsort(draw.random((PEOPLE, ITEMS)), axis=1)[:, :VIEWS]
    chosen[: ITEMS // VIEWS] = draw.permutation(ITEMS).reshape(-1, VIEWS)
    rows = PEOPLE * VIEWS
    return Interactions(
        name=NAME,
        person=np.repeat(np.arange(PEOPLE, dtype=np.int32), VIEWS),
        item=chosen.reshape(-1).astype(np.int32),
        value=np.ones(rows, np.float32),
        time=np.zeros(rows, np.int64),
        person_ids=pl.Series("person", np.arange(1, PEOPLE + 1)),
        item_ids=pl.Series("item", np.arange(1, ITEMS + 1)),
        has_time=False,
        notes=(f"made up by Covey from seed {seed}: no row belongs to anybody",),
    )
