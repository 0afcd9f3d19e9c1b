"""The global model: named arrays after so many rounds. It has never seen a person."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file, save_file


@dataclass(frozen=True, eq=False)
class GlobalModel:
    """What everybody shares, and what the server remembers between rounds ("memory/..." arrays)."""

    round: int  # rounds that made it
    arrays: dict[str, npt.NDArray[Any]]

    def save(self, path: Path) -> None:
        """Writes the model as safetensors."""
        arrays = {name: np.ascontiguousarray(array) for name, array in self.arrays.items()}
        save_file({**arrays, "round": np.array([self.round], np.int64)}, path)

    @classmethod
    def load(cls, path: Path) -> "GlobalModel":
        """The model that was saved there."""
        arrays = load_file(path)
        return cls(int(arrays.pop("round")[0]), arrays)
