"""What the server does with a mean change: take it as it is, or treat it as a gradient with a memory."""

from typing import Any

import numpy as np
import numpy.typing as npt

SERVER_STEPS = ("average", "momentum", "adam")
_MOMENTUM = 0.9
_DECAY_1, _DECAY_2, _FLOOR = 0.9, 0.99, 1e-3  # Reddi et al. (2021), "Adaptive federated optimization"

Memory = dict[str, npt.NDArray[Any]]  # what a step remembers of a parameter, empty at first


def server_step(
    kind: str, rate: float, weights: npt.NDArray[np.float32], change: npt.NDArray[np.float64], memory: Memory
) -> tuple[npt.NDArray[np.float32], Memory]:
    """The weights after one step of one of SERVER_STEPS, and what to remember."""
    # Too long a step ends in infinity; the engine says so in its own words and keeps nothing of the round.
    with np.errstate(over="ignore", invalid="ignore"):
        if kind == "average":
            return (weights + rate * change).astype(np.float32), memory
        if kind == "momentum":
            speed = _MOMENTUM * memory.get("speed", np.zeros_like(change)) + change
            return (weights + rate * speed).astype(np.float32), {"speed": speed}
        first = _DECAY_1 * memory.get("first", np.zeros_like(change)) + (1 - _DECAY_1) * change
        second = _DECAY_2 * memory.get("second", np.zeros_like(change)) + (1 - _DECAY_2) * change**2
        moved = weights + rate * first / (np.sqrt(second) + _FLOOR)
        return moved.astype(np.float32), {"first": first, "second": second}
