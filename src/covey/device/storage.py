"""A simulated population's own disk. A real device keeps one row of this; no server reads it."""

import os
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save

from covey.device.private import Population

_FILE_MODE = 0o600  # the owner alone


def save_population(population: Population, path: Path) -> None:
    """Writes everybody's private state, readable by the owner alone."""
    write_private(save({"vectors": population.vectors, "seed": np.array([population.seed], np.int64)}), path)


def write_private(data: bytes, path: Path) -> None:
    """Writes a file that its owner alone can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _FILE_MODE), "wb") as file:
        path.chmod(_FILE_MODE)  # A file that was there keeps the rights that it had.
        file.write(data)


def load_population(path: Path) -> Population:
    """The population that was saved there."""
    arrays = load_file(path)
    return Population(arrays["vectors"], int(arrays["seed"][0]))
