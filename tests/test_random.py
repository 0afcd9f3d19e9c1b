"""Randomness is named: the same names always give the same draws, other names always others."""

import subprocess
import sys
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from covey.random import key, stream

# Names that would run together if they were merely written one after another.
NAMES = [
    (),
    ("ab", "c"),
    ("a", "bc"),
    ("abc",),
    ("a/b",),
    ("a", "b"),
    ("1",),
    (1,),
    (1, 2),
    (12,),
    ("",),
    ("", ""),
    (-1,),
]


def test_names_that_look_alike_are_kept_apart() -> None:
    keys = [key(7, *names) for names in NAMES] + [key(8), key(0, 7)]
    for left, right in combinations(range(len(keys)), 2):
        assert keys[left] != keys[right]


names = st.lists(st.one_of(st.text(max_size=5), st.integers(-5, 5)), max_size=3).map(tuple)


@given(names, names)
def test_different_names_make_different_keys(
    left: tuple[str | int, ...], right: tuple[str | int, ...]
) -> None:
    assert (key(7, *left) == key(7, *right)) == (left == right)


def test_the_order_of_calls_changes_nothing() -> None:
    def draws(name: str) -> list[float]:
        return stream(7, name, 3).random(4).tolist()

    forwards = [draws("a"), draws("b"), draws("c")]
    assert [draws("c"), draws("b"), draws("a")] == forwards[::-1]


def test_a_stream_is_the_callers_own() -> None:
    one, two = stream(7, "a"), stream(7, "a")
    one.random(100)
    assert two.random() == stream(7, "a").random()


def test_no_global_generator_is_touched() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002  # looked at, never drawn from
    stream(7, "a").random(10)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002  # as above


def test_keys_are_the_same_in_every_process_and_fit_64_bits() -> None:
    asked = "from covey.random import key; import sys; sys.stdout.write(str(key(7, 'negatives', 3)))"
    answered = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert int(answered.stdout) == key(7, "negatives", 3)
    assert 0 <= key(7, "negatives", 3) < 2**64
