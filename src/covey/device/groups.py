"""What groups keep to themselves: their own models, and their people's vectors."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save

from covey.device.storage import write_private
from covey.models.cnmf import Factorization
from covey.privacy.home import StaysHome
from covey.types import Floats

Reals = npt.NDArray[np.float64]


class GroupModel(StaysHome):
    """A group's own recommender, and what its message says of biases. It stays with the group."""

    __slots__ = ("fit", "mean_left", "raters")

    def __init__(self, fit: Factorization, mean_left: Reals, raters: Reals) -> None:
        self.fit = fit
        self.mean_left = (
            mean_left  # [own items] mean of what the centre and the people's biases leave of ratings
        )
        self.raters = raters  # [own items] how many rated each


class GroupStates(StaysHome):
    """A simulation's people and groups. No function of the server takes one."""

    __slots__ = ("models", "vectors")

    def __init__(self, vectors: Floats, models: Mapping[int, GroupModel]) -> None:
        self.vectors = vectors  # [people, components + 1] for the joint patterns; zero before there are any
        self.models = models  # by the group's number


def save_groups(states: GroupStates, path: Path) -> None:
    """Writes everybody's private state, readable by the owner alone."""
    arrays: dict[str, npt.NDArray[np.generic]] = {"vectors": np.ascontiguousarray(states.vectors)}
    for ticket, model in states.models.items():
        own = {**model.fit._asdict(), "mean_left": model.mean_left, "raters": model.raters}
        for name, array in own.items():
            arrays[f"{ticket}/{name}"] = np.ascontiguousarray(array)
    write_private(save(arrays), path)


def load_groups(path: Path) -> GroupStates:
    """The states that were saved there."""
    arrays = load_file(path)
    tickets = sorted({int(name.partition("/")[0]) for name in arrays if "/" in name})
    models = {
        ticket: GroupModel(
            Factorization(*(arrays[f"{ticket}/{name}"] for name in Factorization._fields)),
            arrays[f"{ticket}/mean_left"],
            arrays[f"{ticket}/raters"],
        )
        for ticket in tickets
    }
    return GroupStates(arrays["vectors"], models)
