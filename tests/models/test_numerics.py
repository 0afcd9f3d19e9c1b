"""exp and sigmoid against numpy's in double precision."""

import numpy as np
import pytest

from covey.models import numerics

GRID = np.concatenate(
    [np.linspace(-60, 60, 24_001), np.linspace(-1e-3, 1e-3, 2_001), [0.0, -0.0, 1e-30, -1e-30]]
).astype(np.float32)


def ulps(ours: np.ndarray, true: np.ndarray) -> np.ndarray:
    """How many steps of float32 lie between a value and the true one."""
    return np.abs(ours.astype(np.float64) - true) / np.spacing(true.astype(np.float32)).astype(np.float64)


def test_exp_is_within_two_units_of_the_last_place() -> None:
    ours = np.array([numerics.exp(x) for x in GRID], np.float32)
    assert ulps(ours, np.exp(GRID.astype(np.float64))).max() <= 2


def test_sigmoid_is_within_two_units_of_the_last_place() -> None:
    ours = np.array([numerics.sigmoid(x) for x in GRID], np.float32)
    assert ulps(ours, 1 / (1 + np.exp(-GRID.astype(np.float64)))).max() <= 2


def test_sigmoid_stays_between_0_and_1_however_far_out() -> None:
    ours = [float(numerics.sigmoid(np.float32(x))) for x in (-np.inf, -1e30, -61, 61, 1e30, np.inf)]
    assert ours == sorted(ours)
    assert 0 <= ours[0] < 1e-25
    assert ours[-1] == 1


def test_what_is_no_number_stays_no_number() -> None:
    """A model that has diverged must not look like one that is certain."""
    assert np.isnan(numerics.sigmoid(np.float32(np.nan)))


@pytest.mark.parametrize("x", [0.0, 0.5, 3.0, 20.0])
def test_sigmoids_of_opposites_add_up_to_one(x: float) -> None:
    assert numerics.sigmoid(np.float32(x)) + numerics.sigmoid(np.float32(-x)) == pytest.approx(1, abs=1e-7)
