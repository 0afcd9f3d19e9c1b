"""The kernel's gradient against differences of the loss, and its two paths against each other."""

import numpy as np
import pytest
from ncf_by_hand import ITEMS, PEOPLE, SIZES, Batch, Weights, batch_of, gradient, loss, weights_of

from covey.models import ncf


@pytest.mark.parametrize(("model", "factors", "hidden"), SIZES)
@pytest.mark.parametrize("people", [1, PEOPLE])
def test_the_gradient_is_the_slope_of_the_loss(
    model: str, factors: int, hidden: tuple[int, ...], people: int
) -> None:
    shape = ncf.shape_of(model, factors, hidden)
    weights, batch = weights_of(shape, people), batch_of(people)
    slopes = gradient(shape, weights, batch)
    exact = Weights(*(part.astype(np.float64) for part in weights))
    nudge = 1e-6
    for part, slope in zip(exact, slopes, strict=True):
        for at in np.ndindex(part.shape):
            kept = part[at]
            part[at] = kept + nudge
            above = loss(shape, exact, batch)
            part[at] = kept - nudge
            below = loss(shape, exact, batch)
            part[at] = kept
            assert slope[at] == pytest.approx((above - below) / (2 * nudge), rel=1e-4, abs=2e-7)


@pytest.mark.parametrize(("model", "factors", "hidden"), SIZES)
@pytest.mark.parametrize("instances", [1, 2, 3, 17, 64])
def test_one_persons_path_is_the_general_path(
    model: str, factors: int, hidden: tuple[int, ...], instances: int
) -> None:
    shape = ncf.shape_of(model, factors, hidden)
    alone, batch = weights_of(shape, 1), batch_of(1, instances)
    crowd = alone._replace(users=np.concatenate([alone.users, alone.users]))
    ours, theirs = gradient(shape, alone, batch), gradient(shape, crowd, batch)
    assert not theirs.users[1].any()
    for one, general in zip(ours, theirs._replace(users=theirs.users[:1]), strict=True):
        np.testing.assert_allclose(one, general, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("model", "factors", "hidden"), SIZES)
def test_who_is_not_in_the_batch_has_no_slope(model: str, factors: int, hidden: tuple[int, ...]) -> None:
    shape = ncf.shape_of(model, factors, hidden)
    slopes = gradient(shape, weights_of(shape), batch_of())
    assert not slopes.users[PEOPLE - 1].any()
    assert not slopes.items[ITEMS - 1].any()
    assert slopes.items[: ITEMS - 1].any()


def test_a_gradient_is_added_to_what_is_there() -> None:
    shape = ncf.shape_of("neumf", 5, (7, 3))
    weights, batch = weights_of(shape), batch_of()
    once = gradient(shape, weights, batch)
    twice = Weights(*(np.zeros_like(part) for part in weights))
    room = ncf.workspace(shape, len(batch.label))
    for _ in range(2):
        ncf.batch_gradient(shape, *weights, *batch, *twice, room)
    for one, two in zip(once, twice, strict=True):
        np.testing.assert_allclose(two, 2 * one, rtol=1e-5, atol=1e-7)


def test_a_small_batch_in_a_large_workspace_is_not_disturbed_by_the_last_one() -> None:
    shape = ncf.shape_of("neumf", 5, (7, 3))
    weights, large, small = weights_of(shape), batch_of(), Batch(*(part[:3] for part in batch_of()))
    fresh = gradient(shape, weights, small)
    room = ncf.workspace(shape, len(large.label))
    ncf.batch_gradient(shape, *weights, *large, *(np.zeros_like(part) for part in weights), room)
    used = Weights(*(np.zeros_like(part) for part in weights))
    ncf.batch_gradient(shape, *weights, *small, *used, room)
    assert [part.tobytes() for part in used] == [part.tobytes() for part in fresh]


def test_shapes_of_the_published_sizes() -> None:
    """D = 12 and h = 48-24-12-6: the tower's input is 24 numbers, and GMF's network 13 (section 4.5)."""
    gmf, mlp, neumf = (ncf.shape_of(model, 12, (48, 24, 12, 6)) for model in ncf.MODELS)
    tower = (24 * 48 + 48) + (48 * 24 + 24) + (24 * 12 + 12) + (12 * 6 + 6)
    assert (gmf.width, gmf.network_size) == (12, 13)
    assert (mlp.width, mlp.network_size) == (12, tower + 6 + 1)
    assert (neumf.width, neumf.network_size) == (24, tower + 12 + 6 + 1)
