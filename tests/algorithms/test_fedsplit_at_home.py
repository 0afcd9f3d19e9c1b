"""What a FedSPLIT group works out at home and what it sends of it, by hand and against one central computation."""

import copy
import pickle  # noqa: TID251  # only to see that a group's model refuses it
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms.fedsplit import FedSPLIT, FedSPLITConfig
from covey.algorithms.fedsplit_groups import GroupRows, rows_of_groups
from covey.algorithms.fedsplit_local import (
    bias_message,
    distilled,
    fit_group,
    hidden,
    mean_message,
    pattern_message,
)
from covey.algorithms.fedsplit_scorer import GroupScorer
from covey.algorithms.fedsplit_tuning import tuned
from covey.device.groups import GroupModel
from covey.errors import PrivacyError
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.fixed import from_fixed
from covey.messages.updates import ModelUpdate
from covey.models.cnmf import Factorization
from covey.random import stream
from covey.server.joint import Joint, JointServer, no_biases
from covey.testing.rated import ITEMS, households, street

CENTRE = 3.0


def rows_of(group: int = 2) -> GroupRows:
    return rows_of_groups(street(), households())[group]


def config(**choices: Any) -> FedSPLITConfig:
    return FedSPLITConfig(**{"patterns": 2, "components": 4, "iterations": 5, **choices})


def fitted(rows: GroupRows, asked: FedSPLITConfig) -> GroupModel:
    return fit_group(asked, rows, CENTRE, 2, 1)


def sent(rows: GroupRows, model: GroupModel, asked: FedSPLITConfig, item_count: int = ITEMS) -> ModelUpdate:
    return pattern_message(asked, rows, model, item_count, 1, 2, 1)


def numbers(update: ModelUpdate) -> np.ndarray:
    return from_fixed(update.item_values.astype(np.int64), UPDATE_SCHEMAS[update.kind].item_field)


# --- means and biases ---


def test_the_centre_is_the_plain_mean_of_the_groups_means() -> None:
    """Equation 14: a group of one rating counts as much as one of three."""
    one, three = (replace_values(rows_of(), values) for values in ([5.0], [1.0, 2.0, 3.0]))
    means = [mean_message(rows, 0) for rows in (one, three)]
    assert [len(mean.rows) + mean.item_values.size for mean in means] == [0, 0]
    assert FedSPLIT(config(), ITEMS, 1).centre_of(means) == (5 + 2) / 2


def replace_values(rows: GroupRows, values: list[float]) -> GroupRows:
    """The first few rows with these values."""
    count = len(values)
    return rows._replace(
        person=rows.person[:count], item=rows.item[:count], value=np.array(values, np.float32)
    )


def test_bias_sums_come_to_what_one_central_computation_over_all_ratings_gives() -> None:
    """Where no item has so many raters in a group that the number is cut off."""
    asked, train, groups = config(smallest_group=5, shrinkage=3.0), street(), households()
    total, own = no_biases(ITEMS), np.zeros(train.people_count)
    for rows in rows_of_groups(train, groups):
        model = fitted(rows, asked)
        own[rows.people] = fitted(rows, config(local="spectrum", shrinkage=3.0)).fit.user_bias
        total.add(bias_message(asked, rows, model, 1))
    server = JointServer(asked, ITEMS)
    server.admit(0, sent(rows_of(), fitted(rows_of(), config(patterns=4)), asked))
    found = server.fuse(total).item_bias

    inside = groups[train.person] >= 0
    left = train.value.astype(float) - CENTRE - own[train.person]
    sums = np.bincount(train.item[inside], left[inside], minlength=ITEMS)
    counts = np.bincount(train.item[inside], minlength=ITEMS)
    np.testing.assert_allclose(found, sums / (counts + 3.0), atol=1e-5)


def test_raters_of_an_item_are_counted_up_to_the_smallest_group_alone() -> None:
    rows = rows_of()
    model = fitted(rows, config())
    for smallest in (2, 3, 5):
        update = bias_message(config(smallest_group=smallest), rows, model, 1)
        differences, raters = numbers(update).T
        assert raters.tolist() == np.minimum(model.raters, smallest).tolist()
        np.testing.assert_allclose(differences, raters * model.mean_left, atol=1e-6)
    assert model.raters.max() == 5, "else nothing was cut off"


# --- patterns ---


@pytest.mark.parametrize("local", ["cnmf", "spectrum"])
def test_a_seed_fixes_every_bit_of_a_groups_own_model(local: str) -> None:
    once, again = (fitted(rows_of(), config(local=local)) for _ in range(2))
    assert [each.tobytes() for each in once.fit] == [each.tobytes() for each in again.fit]


def test_singular_vectors_and_biases_say_all_of_a_small_groups_ratings() -> None:
    """Three people's ratings have a spectrum of three; the group sends two patterns of it at most."""
    rows = rows_of(1)
    model = fitted(rows, config(local="spectrum", patterns=9))
    fit = model.fit
    assert fit.items.shape[1] == 2
    guess = CENTRE + fit.user_bias[rows.person] + fit.item_bias[rows.item]
    left = np.zeros((3, len(rows.items)))
    left[rows.person, rows.item] = rows.value - guess
    sizes = np.linalg.svd(left, compute_uv=False)
    assert ((left - fit.users @ fit.items.T) ** 2).sum() == pytest.approx(sizes[2] ** 2)


def test_a_pattern_counts_by_how_many_rated_the_item() -> None:
    rows = rows_of()
    model = fitted(rows, config())
    plain, weighed = (numbers(sent(rows, model, config(evidence=c))) for c in (0.0, 2.0))
    np.testing.assert_allclose(plain, model.fit.items, atol=1e-6)
    shares = model.raters / (model.raters + 2)
    np.testing.assert_allclose(weighed, shares[:, None] * model.fit.items, atol=1e-6)


def test_biases_go_with_the_patterns_where_groups_count_alike() -> None:
    rows = rows_of()
    model = fitted(rows, config())
    update = sent(rows, model, config(biases="groups", evidence=0.0))
    assert update.kind == "patterns-and-biases"
    np.testing.assert_allclose(numbers(update)[:, -1], model.fit.item_bias, atol=1e-6)
    assert sent(rows, model, config()).kind == "group-patterns"


@given(st.integers(3, 9), st.integers(1, 2), st.integers(0, 99))
def test_the_shape_of_a_message_says_nothing_of_people_beyond_the_patterns(
    people: int, patterns: int, seed: int
) -> None:
    """Groups of any size that rated the same items send messages of one shape."""
    person, item = (place.reshape(-1).astype(np.int32) for place in np.indices((people, 4)))
    values = stream(seed, "values").integers(1, 6, len(item)).astype(np.float32)
    items = np.array([1, 3, 4, 8], np.int32)
    rows = GroupRows(np.arange(people, dtype=np.int32), items, person, item, values)
    for local in ("cnmf", "spectrum"):
        asked = config(patterns=patterns, local=local)
        model = fitted(rows, asked)
        update = sent(rows, model, asked)
        assert update.rows.tolist() == items.tolist()
        assert update.item_values.shape == (4, patterns)
        assert bias_message(asked, rows, model, 1).item_values[:, 1].tolist() == [3 * 2**20] * 4


def test_a_group_of_no_more_people_than_patterns_shows_how_many_they_are() -> None:
    """What the schema says that it reveals."""
    rows = rows_of()
    widths = [
        sent(rows, fitted(rows, config(patterns=k)), config(patterns=k)).item_values.shape[1]
        for k in (3, 4, 9)
    ]
    assert widths == [3, 4, 4]
    assert "one less than its people" in UPDATE_SCHEMAS["group-patterns"].item_field.reveals


# --- made-up rows ---


@pytest.mark.parametrize("how", ["rare", "decoys"])
def test_every_item_has_a_row_and_no_made_up_one_is_a_copy(how: str) -> None:
    rows, asked, catalogue = rows_of(), config(hide=how), ITEMS + 9
    model = fitted(rows, asked)
    update = sent(rows, model, asked, catalogue)
    assert update.rows.tolist() == list(range(catalogue))
    open_one = sent(rows, model, config(), catalogue)
    assert update.item_values[rows.items].tolist() == open_one.item_values.tolist()
    made_up = np.setdiff1d(np.arange(catalogue), rows.items)
    real = {tuple(row) for row in open_one.item_values.tolist()}
    assert not real & {tuple(row) for row in update.item_values[made_up].tolist()}


def test_made_up_rows_spread_like_the_rows_that_they_are_like() -> None:
    draws = stream(1, "rows")
    values = draws.normal(size=(400, 3)) @ draws.normal(size=(3, 3)) - 5
    raters = np.repeat([1.0, 9.0], 200)
    values[200:] += 100
    items = np.arange(400, dtype=np.int32)
    made_up = hidden(values, raters, items, 20_000, "decoys", stream(1, "made up"))[400:]
    np.testing.assert_allclose(made_up.mean(axis=0), values.mean(axis=0), rtol=0.05)
    np.testing.assert_allclose(np.cov(made_up.T), np.cov(values.T), rtol=0.1)
    rare = hidden(values, raters, items, 20_000, "rare", stream(1, "made up"))[400:]
    np.testing.assert_allclose(np.cov(rare.T), np.cov(values[:200].T), rtol=0.2)
    assert rare.max() < 100


def test_made_up_rows_are_not_negative_where_no_real_one_is() -> None:
    values = np.array([[1.0, -1.0], [0.0, 2.0], [3.0, 3.0]])
    made_up = hidden(values, np.ones(3), np.array([0, 1, 2], np.int32), 500, "decoys", stream(1, "made up"))
    assert made_up[:, 0].min() >= 0 > made_up[3:, 1].min()


# --- what becomes of the joint patterns ---


def test_distillation_and_its_ratings_by_hand() -> None:
    """Equations 18 and 19: W = (1 2), M = (3 4; 5 6), so W M' = (11 17)."""
    fit = Factorization(np.array([[1.0, 2.0]]), np.zeros((1, 2)), np.array([0.5]), np.zeros(1))
    model = GroupModel(fit, np.zeros(1), np.ones(1))
    mixing = np.array([[3.0, 4.0], [5.0, 6.0]])
    assert distilled(model, mixing).tolist() == [[11, 17, 0.5]]
    joint = Joint(np.array([[0.1, 0.0], [0.0, 0.1]]), np.array([0.25, -1.0]), {7: mixing})
    vectors = FedSPLIT(config(components=2), 2, 1).group_vectors(joint, model, 7)
    scorer = GroupScorer(2, 3.0, (1.0, 5.0), np.zeros(1, np.int32), vectors, joint.table)
    nobody = np.zeros(1, np.int32)
    free = [1.1 + 0.5 + 0.25 + 3, 1.7 + 0.5 - 1 + 3]
    assert scorer.everything(nobody)[0].tolist() == pytest.approx(free)
    assert scorer.values(nobody, np.array([[0, 1]], np.int32))[0].tolist() == pytest.approx([4.85, 4.2])
    higher = replace(scorer, centre=9.0)
    assert higher.values(nobody, np.array([[0, 1]], np.int32))[0].tolist() == [5, 5]


def joint_of(seed: int, nonnegative: bool) -> Joint:
    draws = stream(seed, "joint")
    patterns = draws.random((ITEMS, 3)) - (0 if nonnegative else 0.5)
    return Joint(patterns, draws.normal(size=ITEMS) / 3)


@given(st.integers(0, 2**32), st.floats(0.1, 9), st.floats(0, 9))
def test_a_persons_vector_is_where_the_held_back_error_does_not_slope(
    seed: int, ridge: float, shrinkage: float
) -> None:
    """Factors are held back by ridge, the bias by shrinkage: both slopes of the sum of squares are zero."""
    joint, train = joint_of(seed, False), street()
    vectors = FedSPLIT(config(ridge=ridge, shrinkage=shrinkage), ITEMS, 1).people_vectors(
        joint, CENTRE, train
    )
    for person in (0, train.people_count - 1):
        own = train.of(person)
        seen = joint.patterns[own.item]
        x, b = vectors[person, :-1].astype(float), float(vectors[person, -1])
        wrong = own.value - CENTRE - joint.item_bias[own.item] - b - seen @ x
        np.testing.assert_allclose(seen.T @ wrong - ridge * x, np.zeros(3), atol=2e-5)
        assert wrong.sum() - max(shrinkage, 1e-3) * b == pytest.approx(0, abs=2e-5)


def test_nonnegative_vectors_are_not_negative_and_equal_the_free_ones_where_those_are_not() -> None:
    joint, train = joint_of(1, True), street()
    free, held = (
        FedSPLIT(config(refit=refit, joint="nmf"), ITEMS, 1).people_vectors(joint, CENTRE, train)
        for refit in ("ridge", "nonnegative")
    )
    assert (held[:, :-1] >= 0).all()
    same = (free[:, :-1] >= 0).all(axis=1)
    assert same.any()
    assert not same.all()
    np.testing.assert_allclose(held[same], free[same], atol=1e-5)


def test_who_is_alone_gets_the_vector_that_a_group_would_have_given() -> None:
    """Each person's vector comes of the own rows and the joint patterns: the groups do not enter."""
    joint, train = joint_of(2, False), street()
    everybody = FedSPLIT(config(), ITEMS, 1).people_vectors(joint, CENTRE, train)
    of_one = train.of(22)
    alone = replace(train, offsets=np.array([0, len(of_one)]), item=of_one.item, value=of_one.value)
    found = FedSPLIT(config(), ITEMS, 1).people_vectors(joint, CENTRE, alone)
    assert found[0].tobytes() == everybody[22].tobytes()


# --- a group's own choice of settings ---


def test_two_trials_choose_settings_in_the_papers_ranges_and_always_the_same() -> None:
    pytest.importorskip("optuna")
    rows, asked = rows_of(), config(trials=2)
    chosen, again = (tuned(asked, rows, CENTRE, 2, 1) for _ in range(2))
    assert chosen == again
    assert 0.04 <= chosen.user_regularization <= 0.08
    assert 0.01 <= chosen.item_bias_regularization <= 0.04
    assert 0.002 <= chosen.user_bias_rate <= 0.009
    assert 2 <= chosen.patterns <= 4, "five people: less than five"
    assert (chosen.components, chosen.iterations) == (asked.components, asked.iterations)


@pytest.mark.parametrize("choices", [{"trials": 0}, {"trials": 2, "local": "spectrum"}])
def test_nothing_is_tried_where_nothing_is_asked_for_or_there_is_nothing_to_set(choices: Any) -> None:
    asked = config(**choices)
    assert tuned(asked, rows_of(), CENTRE, 2, 1) is asked


def test_a_group_of_fewer_ratings_than_folds_tries_nothing() -> None:
    asked = config(trials=2)
    assert tuned(asked, replace_values(rows_of(), [1.0, 2.0, 3.0, 4.0]), CENTRE, 2, 1) is asked


# --- what stays ---


def test_a_groups_model_refuses_to_be_copied_and_shows_nothing() -> None:
    model = fitted(rows_of(), config())
    copiers: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, pickle.dumps]
    for copier in copiers:
        with pytest.raises(PrivacyError):
            copier(model)
    assert str(model) == "GroupModel(kept at home)"
