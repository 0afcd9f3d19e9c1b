"""Private state: refuses to leave, shows nothing, lies on a disk that its owner alone can read."""

import copy
import json
import os
import pickle  # noqa: TID251  # only to see that private state refuses it
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.device.private import Population, PrivateState
from covey.device.storage import load_population, save_population
from covey.errors import PrivacyError

VECTORS = np.array([[0.125, 0.25], [0.5, 0.75]], np.float32)


def population() -> Population:
    return Population(VECTORS.copy(), 7)


privates = pytest.mark.parametrize(
    "private", [population(), PrivateState(VECTORS[:1], 7, 1)], ids=["all", "one"]
)


@privates
@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy, pickle.dumps, json.dumps])
def test_private_state_refuses_every_copier(private: Any, copier: Callable[[Any], Any]) -> None:
    with pytest.raises((PrivacyError, TypeError)):
        copier(private)
    if copier is not copy.copy:  # which copies the list and leaves what is in it where it is
        with pytest.raises((PrivacyError, TypeError)):
            copier([private])


@privates
def test_a_refusal_says_what_to_do_and_nothing_else(private: Any) -> None:
    with pytest.raises(PrivacyError, match="stays on its device; send a message") as refused:
        pickle.dumps(private)
    assert "0.125" not in str(refused.value)
    assert repr(private) == str(private) == f"{type(private).__name__}(kept at home)"


def test_a_persons_state_is_a_copy() -> None:
    everybody = population()
    one = everybody.state(1)
    one.vector[:] = 9
    assert everybody.vectors.tolist() == VECTORS.tolist()
    assert (len(everybody), one.number, one.seed) == (2, 1, 7)


def test_only_the_visited_get_new_vectors() -> None:
    everybody = population()
    everybody.keep(np.array([1], np.int32), np.array([[3, 4]], np.float32))
    assert everybody.vectors.tolist() == [[0.125, 0.25], [3, 4]]


def test_a_saved_population_is_its_owners_alone(tmp_path: Path) -> None:
    path, mask = tmp_path / "devices.safetensors", os.umask(0)
    try:
        for _ in range(2):  # written anew over itself
            save_population(population(), path)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    back = load_population(path)
    assert (back.vectors.tolist(), back.vectors.dtype, back.seed) == (VECTORS.tolist(), np.float32, 7)


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "devices.safetensors"
    path.touch(mode=0o644)
    save_population(population(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_seed_of_64_bits_survives_the_disk(tmp_path: Path) -> None:
    save_population(Population(VECTORS, 2**63 - 1), tmp_path / "devices.safetensors")
    assert load_population(tmp_path / "devices.safetensors").seed == 2**63 - 1
