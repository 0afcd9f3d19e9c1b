"""The server's steps, by hand."""

import numpy as np
import pytest

from covey.server.model import GlobalModel
from covey.server.steps import Memory, server_step

WEIGHTS = np.array([1.0, 2.0], np.float32)
CHANGE = np.array([0.5, -0.25])


def test_average_goes_along_the_change() -> None:
    moved, memory = server_step("average", 1.0, WEIGHTS, CHANGE, {})
    assert moved.tolist() == [1.5, 1.75]
    assert server_step("average", 0.5, WEIGHTS, CHANGE, {})[0].tolist() == [1.25, 1.875]
    assert memory == {}


def test_momentum_keeps_nine_tenths_of_its_speed() -> None:
    moved, memory = server_step("momentum", 1.0, WEIGHTS, CHANGE, {})
    assert moved.tolist() == [1.5, 1.75]
    moved, memory = server_step("momentum", 1.0, moved, CHANGE, memory)
    # speed = 0.9 x 0.5 + 0.5 = 0.95, and -0.475
    assert moved.tolist() == pytest.approx([1.5 + 0.95, 1.75 - 0.475])
    moved, memory = server_step("momentum", 1.0, moved, np.zeros(2), memory)
    assert moved.tolist() == pytest.approx([2.45 + 0.855, 1.275 - 0.4275])


def test_adam_divides_by_the_size_of_past_changes() -> None:
    moved, memory = server_step("adam", 1.0, WEIGHTS, CHANGE, {})
    # first = 0.1 x change, second = 0.01 x change^2, floor 0.001
    first, second = [0.05, -0.025], [0.0025, 0.000625]
    by_hand = [1 + 0.05 / (0.05 + 0.001), 2 - 0.025 / (0.025 + 0.001)]
    assert moved.tolist() == pytest.approx(by_hand)
    assert memory["first"].tolist() == pytest.approx(first)
    assert memory["second"].tolist() == pytest.approx(second)
    moved, memory = server_step("adam", 1.0, moved, np.zeros(2), memory)
    assert memory["first"].tolist() == pytest.approx([0.045, -0.0225])
    again = 0.045 / (np.sqrt(0.99 * 0.0025) + 0.001)
    assert moved[0] == pytest.approx(by_hand[0] + again)


@pytest.mark.parametrize("kind", ["average", "momentum", "adam"])
def test_a_step_returns_new_arrays_of_the_models_type(kind: str) -> None:
    memory: Memory = {}
    for _ in range(2):
        before = {name: array.copy() for name, array in memory.items()}
        moved, after = server_step(kind, 0.1, WEIGHTS, CHANGE, memory)
        assert moved.dtype == np.float32
        assert WEIGHTS.tolist() == [1.0, 2.0]
        assert CHANGE.tolist() == [0.5, -0.25]
        assert {name: array.tolist() for name, array in memory.items()} == {
            n: a.tolist() for n, a in before.items()
        }
        memory = after


@pytest.mark.parametrize("kind", ["average", "momentum", "adam"])
def test_no_change_leaves_a_fresh_model_as_it_is(kind: str) -> None:
    assert server_step(kind, 1.0, WEIGHTS, np.zeros(2), {})[0].tolist() == [1.0, 2.0]


def test_a_saved_model_comes_back_whole(tmp_path) -> None:
    arrays = {"items": np.ones((2, 3), np.float32).T, "memory/items/speed": np.array([0.1, 0.2])}
    GlobalModel(5, arrays).save(tmp_path / "model.safetensors")
    back = GlobalModel.load(tmp_path / "model.safetensors")
    assert back.round == 5
    assert {name: (array.dtype, array.tolist()) for name, array in back.arrays.items()} == {
        name: (array.dtype, array.tolist()) for name, array in arrays.items()
    }
