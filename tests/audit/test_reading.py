"""What single messages give away: each reading finds a person who was planted, and nobody in noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms.fcf import FCF, FCFConfig
from covey.algorithms.fedncf import FedNCF, FedNCFConfig
from covey.algorithms.fpl import FPL, FPLConfig
from covey.audit import reading, reading_fcf, reading_fpl
from covey.audit.estimates import area_under_roc
from covey.audit.watched import Answer
from covey.random import stream
from covey.splits.histories import Histories
from covey.testing.towns import histories

ITEMS, OWN = 60, [3, 17, 20, 41, 58]
OWNED = np.isin(np.arange(ITEMS), OWN)


def answers(algorithm, rounds: int = 1, history: Histories | None = None) -> tuple[list[Answer], np.ndarray]:
    """One person's messages, each an answer to a plan of its own, and their vector after the first."""
    own = (history or histories([OWN], ITEMS)).of(0)
    population, model = algorithm.initial_population(1), algorithm.initial_model(1)
    plans = [algorithm.plan(type(model)(number, model.arrays)) for number in range(rounds)]
    said = [(plan, *algorithm.on_device(plan, population.state(0), own)) for plan in plans]
    return [Answer(plan, update) for plan, update, _ in said], said[0][2].vector[0]


@given(st.integers(0, 50), st.integers(1, 7), st.booleans())
def test_own_rows_are_told_from_sampled_ones_by_the_end_of_the_line_with_as_many_rows(seed, own, turned):
    draws = stream(seed, "line")
    line = draws.normal(size=4) * (-1 if turned else 1)
    along = np.concatenate([draws.uniform(0.1, 1, own), -draws.uniform(0.1, 1, 16 - own)])
    found = reading.leanings(along[:, None] * line, own)
    assert area_under_roc(found, along > 0) == 1


def test_noise_says_nothing_of_who_has_what():
    areas = []
    for at in range(60):
        draws = stream(at, "noise")
        areas.append(area_under_roc(reading.leanings(draws.normal(size=(40, 4)), 8), draws.random(40) < 0.2))
    assert np.nanmean(areas) == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("model", ["gmf", "mlp"])
def test_one_update_of_fedncf_gives_the_history_and_zeros_for_other_rows_hide_nothing(model):
    algorithm = FedNCF(FedNCFConfig(model=model, factors=6, hidden=(8, 4)), ITEMS, 9)
    update = answers(algorithm)[0][0].update
    whole = reading.dense(update, ITEMS)
    assert not whole[np.setdiff1d(np.arange(ITEMS), update.rows)].any()
    if model == "gmf":
        assert area_under_roc(reading.leanings(whole, len(OWN)), OWNED) == 1


def test_a_message_of_own_gradients_gives_the_history_and_the_vector_back():
    (answer,), vector = answers(FCF(FCFConfig(factors=4), ITEMS, 9))
    found = reading_fcf.read(*answer)
    assert area_under_roc(found.scores, OWNED) == 1
    np.testing.assert_allclose(found.vector, vector, atol=1e-4)


def test_gradients_of_every_item_give_the_history_and_the_vector_back():
    published = FCFConfig(factors=4, payload="all", server_step="adam", scaling=0.0)
    (answer,), vector = answers(FCF(published, ITEMS, 9))
    found = reading_fcf.read(*answer)
    assert area_under_roc(found.scores, OWNED) == 1
    np.testing.assert_allclose(found.vector, vector, rtol=1e-3, atol=1e-4)


def test_a_message_about_ratings_gives_each_rating_back():
    history = histories([OWN], ITEMS)
    values = np.array([5, 1, 3.5, 2, 4], np.float32)
    rated = Histories(history.offsets, history.item, values, history.time, ITEMS)
    (answer,), _ = answers(FCF(FCFConfig(factors=3, feedback="explicit"), ITEMS, 9), 1, rated)
    np.testing.assert_allclose(reading_fcf.ratings_of(*answer), values, atol=1e-4)


def fpl(**choices: float) -> FPL:
    return FPL(FPLConfig(**{"factors": 4, "spread": 0.5, **choices}), ITEMS, 9)


def test_signs_name_every_disclosed_item_and_at_pi_0_none():
    told = reading_fpl.signs(answers(fpl(), 60)[0], ITEMS)
    assert np.flatnonzero(told > 0).tolist() == OWN
    hidden = reading_fpl.signs(answers(fpl(disclose=0.0), 60)[0], ITEMS)
    assert not (hidden > 0).any()
    assert (hidden[OWN] == 0).all()


def test_one_sampled_row_is_the_persons_vector():
    algorithm = fpl(disclose=0.0)
    said, _ = answers(algorithm)
    before = algorithm.initial_population(1).vectors[0]
    np.testing.assert_allclose(reading_fpl.vector(said, 4), before, atol=1e-5)


def test_exact_slopes_name_items_that_stayed_at_home_and_rounded_ones_do_not():
    exact, _ = answers(fpl(disclose=0.0), 30)
    found = {int(item) for answer in exact for item in reading_fpl.explained(answer)}
    assert found == set(OWN)
    rounded, _ = answers(fpl(disclose=0.0, slope_levels=1), 30)
    assert not any(len(reading_fpl.explained(answer)) for answer in rounded)


def test_what_the_slopes_explain_stands_above_what_the_vector_ranks():
    said = tuple(answers(fpl(disclose=0.0), 30)[0])
    scores = reading_fpl.by_slope(said, said[0].plan.items)
    assert area_under_roc(scores, OWNED) == 1


def test_a_person_who_sent_nothing_gives_no_vector_away():
    assert reading_fpl.vector([], 4) is None
    assert not reading_fpl.by_vector((), np.zeros((ITEMS, 5), np.float32)).any()
