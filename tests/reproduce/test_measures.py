"""Convergence to the central twin, measured: by hand, against the slow form, and on a village."""

import numpy as np
import pytest

from covey.algorithms.fcf import FCFConfig
from covey.datasets import load
from covey.errors import ConfigError
from covey.random import stream
from covey.reproduce.attacks import attacks
from covey.reproduce.measures import convergence, differences, measure_named, objective
from covey.splits.histories import Histories

TINY = {"factors": 2, "alpha": 2.0, "regularization": 1.0, "scaling": 0.0}
SETTINGS = {
    **TINY,
    "payload": "all",
    "server_step": "gradient",
    "server_rate": 0.005,
    "gradient_steps": 5,
    "rounds": 10,
}


def test_differences_by_hand():
    found = differences(np.array([[1.0, 3.0]]), np.array([[2.0, 2.0]]))
    assert found["item_difference_percent"] == 0, "half too little and half too much cancel"
    assert found["item_absolute_difference_percent"] == 50
    assert found["item_distance"] == pytest.approx(0.5)


def test_the_objective_is_equation_5_cell_by_cell():
    table, own = stream(1, "items").normal(size=(4, 2)), [[0, 1], [3], [1, 2, 3]]
    item = np.array([0, 1, 3, 1, 2, 3], np.int32)
    train = Histories(
        np.array([0, 2, 3, 6]), item, np.ones(6, np.float32), np.zeros(6, np.int64), item_count=4
    )
    slow = (table**2).sum()
    for items in own:
        wanted = np.isin(np.arange(4), items).astype(float)
        confidence = 1 + 2 * wanted
        x = np.linalg.solve((table.T * confidence) @ table + np.eye(2), (table.T * confidence) @ wanted)
        slow += (confidence * (wanted - table @ x) ** 2).sum() + (x**2).sum()
    assert objective(FCFConfig(**TINY), train, table) == pytest.approx(slow, rel=1e-9)


def test_small_steps_come_nearer_to_the_twin_and_every_iteration_is_kept():
    found = convergence(SETTINGS, 1, load("synthetic:village"))
    curve = found["curve"]
    assert curve["global_round"] == list(range(11))
    assert curve["item_distance"][5] < curve["item_distance"][1] < curve["item_distance"][0]
    assert curve["objective_above_percent"][5] < curve["objective_above_percent"][0]
    assert found["metrics"]["item_distance"] == curve["item_distance"][-1]
    assert found["metrics"]["converged"] == 0
    assert (found["rounds"], found["global_rounds"]) == (10, 10.0)


def test_attacks_are_measured_with_the_run_and_every_curve_is_kept():
    settings = {"split": "random", "largest_group": 8, "components": 4, "iterations": 5}
    found = attacks(settings, 1, load("synthetic:village"))
    assert {"rmse", "guess_people", "blind_ratings", "membership", "popular"} <= set(found["metrics"])
    assert found["metrics"]["membership"] == 1, "a message names what its group rated"
    curve = found["curve"]["people/printed/the paper's attack"]
    assert curve["known"][-1] == 1
    assert len(curve["known"]) == len(curve["mean"]) == len(curve["half"]) == 20


def test_what_equation_5_does_not_speak_of_is_refused():
    with pytest.raises(ConfigError, match="with scaling 0 and everybody in each round"):
        convergence({**SETTINGS, "payload": "own", "scaling": 1.0}, 1, load("synthetic:village"))
    with pytest.raises(ConfigError, match="did you mean 'convergence'"):
        measure_named("convergance")
