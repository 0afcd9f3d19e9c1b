"""What every yardstick keeps: repeatable, blind to threads, to the names of items and to when it was stopped."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.algorithms.registry import algorithm_class
from covey.engines import Session, session
from covey.random import stream
from covey.splits.histories import Histories
from covey.testing.looking import bits
from covey.testing.towns import ITEMS, histories, town

CHOICES: dict[str, dict[str, Any]] = {
    "random": {},
    "item-knn": {"neighbours": 6, "activity_power": 0.5},
    "ease": {"regularization": 3.0},
    "ials": {"factors": 4, "rounds": 3, "regularization": 2.0},
    "mult-vae": {"layer_width": 7, "latent": 3, "rounds": 3, "batch_size": 4, "anneal_rounds": 2},
    "biases": {"rounds": 3},
    "biased-mf": {"factors": 4, "rounds": 3},
    "rating-knn": {"neighbours": 20, "most_rated": 6, "shrinkage": 2},
    "central-cnmf": {"patterns": 4, "rounds": 3},
}
every_yardstick = pytest.mark.parametrize("name", CHOICES)
EVERYBODY = np.arange(9, dtype=np.int32)


def stars() -> Histories:
    """The town, with ratings from 1 to 5."""
    train = town()
    return replace(train, value=stream(0, "stars").integers(1, 6, len(train)).astype(np.float32))


def begun(name: str, train: Histories, seed: int = 2, workers: int = 1, **choices: Any) -> Session:
    config = algorithm_class(name).Config(**{**CHOICES[name], **choices})
    return session(name, config, train, seed, workers)


def done(training: Session) -> Session:
    while training.round < training.rounds:
        training.advance()
    return training


@every_yardstick
def test_candidates_are_a_choice_from_everything(name: str) -> None:
    scorer = done(begun(name, stars())).scorer()
    people = np.array([4, 0, 8], np.int32)
    items = stream(0, "asked").integers(0, ITEMS, (3, 11)).astype(np.int32)
    everything = scorer.everything(people)
    assert everything.shape == (3, ITEMS) == (3, scorer.item_count)
    chosen = np.take_along_axis(everything, items, axis=1)
    np.testing.assert_allclose(scorer.candidates(people, items), chosen, rtol=1e-5, atol=1e-6)


@every_yardstick
def test_a_seed_fixes_every_bit_whatever_the_number_of_workers(name: str) -> None:
    once, again, shared = (done(begun(name, stars(), workers=workers)) for workers in (1, 1, 3))
    assert bits(dict(once.shared())) == bits(dict(again.shared())) == bits(dict(shared.shared()))
    assert bits(once.scorer().everything(EVERYBODY)) == bits(shared.scorer().everything(EVERYBODY))


@pytest.mark.parametrize("name", ["random", "ials", "mult-vae", "biased-mf", "central-cnmf"])
def test_another_seed_gives_other_scores(name: str) -> None:
    first, other = (done(begun(name, stars(), seed)).scorer().everything(EVERYBODY) for seed in (2, 3))
    assert not np.array_equal(first, other)


@every_yardstick
def test_a_session_that_was_stopped_goes_on_to_the_same_bits(name: str, tmp_path: Path) -> None:
    whole = done(begun(name, stars()))
    for rounds in range(whole.rounds):
        broken = begun(name, stars())
        for _ in range(rounds):
            broken.advance()
        broken.save(tmp_path)
        resumed = begun(name, stars())
        resumed.restore(tmp_path)
        assert resumed.round == rounds
        assert bits(dict(sorted(done(resumed).shared().items()))) == bits(
            dict(sorted(whole.shared().items()))
        )


@every_yardstick
def test_an_epoch_changes_nothing_of_what_it_is_given(name: str) -> None:
    algorithm = algorithm_class(name)(algorithm_class(name).Config(**CHOICES[name]), stars(), 2)
    arrays = dict(algorithm.initial())
    before = bits(arrays)
    algorithm.epoch(arrays, 0)
    assert bits(arrays) == before


@pytest.mark.parametrize("name", [name for name in CHOICES if name != "random"])
def test_items_by_other_numbers_get_the_same_scores(name: str) -> None:
    """New numbers for the items, in the histories and at the start, move the scores and change none."""
    new = stream(4, "numbers").permutation(ITEMS).astype(np.int32)  # old number -> new number
    train = stars()
    renamed = Histories(train.offsets, new[train.item], train.value, train.time, ITEMS)
    # Among equally similar items the lower number is nearer: nobody is left out here, so it does not matter.
    everybody_counts = {"neighbours": ITEMS, **({"most_rated": ITEMS} if name == "rating-knn" else {})}
    choices = {**CHOICES[name], **(everybody_counts if name.endswith("knn") else {})}
    scores = []
    for histories_, numbers in ((train, np.arange(ITEMS)), (renamed, new)):
        algorithm = algorithm_class(name)(algorithm_class(name).Config(**choices), histories_, 2)
        arrays = dict(algorithm.initial())
        moved = {key: np.empty_like(array) for key, array in arrays.items()}
        for key, array in arrays.items():
            moved[key][numbers if len(array) == ITEMS else slice(None)] = array
        for number in range(algorithm.rounds):
            moved = dict(algorithm.epoch(moved, number))
        scores.append(algorithm.scorer(moved).everything(EVERYBODY)[:, numbers])
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-4, atol=1e-5)


@every_yardstick
def test_who_has_nothing_and_what_nobody_has_get_finite_scores(name: str) -> None:
    scores = done(begun(name, histories([[0, 1], [], [1, 2], [0, 2]], 5))).scorer()
    assert np.isfinite(scores.everything(np.arange(4, dtype=np.int32))).all()
