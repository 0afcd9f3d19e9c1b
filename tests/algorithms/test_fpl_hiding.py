"""What the messages of FPL give away: the claims of docs/reference/what-leaves-the-device.md, put to the test."""

import numpy as np
import pytest

from covey.algorithms.fpl import FPL, FPLConfig
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.privacy.disclosure import shares
from covey.splits.histories import Histories
from covey.testing.towns import histories
from covey.types import Floats

ITEMS, OWN = 60, [3, 17, 20, 41, 58]


def visits(rounds: int, **choices: float) -> list[tuple[TrainingPlan, ModelUpdate]]:
    """One person's messages, each an answer to a plan of its own."""
    algorithm = FPL(FPLConfig(**{"factors": 4, "spread": 0.5, **choices}), ITEMS, 9)
    history, population = one_person().of(0), algorithm.initial_population(1)
    model = algorithm.initial_model(9)
    plans = [algorithm.plan(type(model)(number, model.arrays)) for number in range(rounds)]
    return [(plan, algorithm.on_device(plan, population.state(0), history)[0]) for plan in plans]


def one_person() -> Histories:
    return histories([OWN], ITEMS)


def test_a_message_with_nothing_disclosed_names_no_own_item_and_has_one_size() -> None:
    for _, update in visits(40, disclose=0.0):
        assert len(update.rows) == 1
        assert update.rows[0] not in OWN


def test_the_sign_of_the_bias_tells_a_disclosed_item_from_a_sampled_one() -> None:
    for _, update in visits(40):
        assert [row in OWN for row in update.rows] == (update.item_values[:, -1] > 0).tolist()


def test_an_exact_slope_gives_a_hidden_item_away() -> None:
    """The lone row holds the slope and the vector, so its reader can see which item would have made that slope."""
    found = 0
    for plan, update in visits(40, disclose=0.0):
        suspects = explaining(plan, update, slack=1e-5)
        found += len(suspects) == 1 and suspects[0] in OWN
    assert found > 30


def test_a_rounded_slope_leaves_every_item_under_suspicion() -> None:
    told = 0
    for plan, update in visits(60, disclose=0.0, slope_levels=1):
        if update.item_values[0, -1] == 0:
            continue  # a slope rounded to nothing says nothing
        told += 1
        assert set(OWN) <= set(explaining(plan, update, slack=1.0))
        assert len(explaining(plan, update, slack=1.0)) == ITEMS - 1
    assert told > 10


def explaining(plan: TrainingPlan, update: ModelUpdate, slack: float) -> list[int]:
    """The items whose slope against the lone sent one lies within `slack` of the sent slope, as a server can tell."""
    row, sent = int(update.rows[0]), update.item_values[0] * 2.0**-24
    slope = -sent[-1]
    user = -(sent[:-1] + plan.recipe.negative_regularization * plan.items[row, :-1]) / slope
    leads = scores(user, plan.items) - scores(user, plan.items)[row]
    possible = np.abs(1 / (1 + np.exp(leads)) - slope) < slack
    return [int(item) for item in np.flatnonzero(possible) if item != row]


def scores(user: np.ndarray, items: Floats) -> np.ndarray:
    return items[:, :-1] @ user + items[:, -1]


def test_people_choose_shares_of_their_own_within_the_range_and_keep_them() -> None:
    algorithm = FPL(FPLConfig(disclose=0.4, disclose_spread=0.3), ITEMS, 9)
    chosen = shares(algorithm.choices, np.arange(2000, dtype=np.int32))
    assert 0.1 <= chosen.min() < 0.12
    assert 0.68 < chosen.max() <= 0.7
    assert chosen.mean() == pytest.approx(0.4, abs=0.02)
    assert shares(algorithm.choices, np.array([7, 3], np.int32)).tolist() == chosen[[7, 3]].tolist()
    alike = FPL(FPLConfig(disclose=0.4), ITEMS, 9)
    assert set(shares(alike.choices, np.arange(5, dtype=np.int32))) == {0.4}


def test_each_person_discloses_at_the_share_that_they_chose() -> None:
    algorithm = FPL(FPLConfig(factors=4, disclose=0.5, disclose_spread=0.5), ITEMS, 9)
    model, people = algorithm.initial_model(9), np.arange(4, dtype=np.int32)
    population, step = algorithm.initial_population(4), algorithm.population(histories([OWN] * 4, ITEMS), 1)
    disclosed = np.zeros(4)
    for number in range(2000):
        plan = algorithm.plan(type(model)(number, model.arrays))
        disclosed += step.round(plan, population.vectors, people)[2] == 2
    np.testing.assert_allclose(disclosed / 2000, shares(algorithm.choices, people), atol=0.04)
