"""The draws of compiled kernels: SplitMix64 as published, streams apart, numbers spread evenly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.models import draws

WRAP = 2**64
GOLDEN, MIX_1, MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

numbers = st.integers(0, WRAP - 1)


def mixed(number: int) -> int:
    """SplitMix64's finalizer in whole numbers that never overflow."""
    number = ((number ^ (number >> 30)) * MIX_1) % WRAP
    number = ((number ^ (number >> 27)) * MIX_2) % WRAP
    return number ^ (number >> 31)


def generator_at(state: int) -> draws.Generator:
    return np.array([state], np.uint64)


@pytest.mark.parametrize(
    ("seed", "published"),
    [
        (1234567, [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]),
        (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]),
    ],
)
def test_published_numbers_of_splitmix64(seed: int, published: list[int]) -> None:
    generator = generator_at(seed)
    assert [int(draws.next_u64(generator)) for _ in published] == published


@given(numbers)
def test_every_draw_is_the_definition(state: int) -> None:
    generator = generator_at(state)
    for step in (1, 2, 3):
        assert int(draws.next_u64(generator)) == mixed((state + step * GOLDEN) % WRAP)


@given(numbers, st.integers(1, 2**31 - 1))
def test_below_stays_below(state: int, bound: int) -> None:
    generator = generator_at(state)
    drawn = int(draws.below(generator, bound))
    assert drawn == ((mixed((state + GOLDEN) % WRAP) >> 32) * bound) >> 32
    assert 0 <= drawn < bound


@pytest.mark.parametrize("bound", [2, 7, 10, 97])
def test_below_draws_every_number_as_often(bound: int) -> None:
    generator, each = generator_at(7), 500
    counts = np.bincount([draws.below(generator, bound) for _ in range(bound * each)], minlength=bound)
    chi_square, freedom = float(((counts - each) ** 2 / each).sum()), bound - 1
    # Beyond 4.5 standard deviations of a chi-square something is wrong; the seed is fixed, so no luck is involved.
    assert abs(chi_square - freedom) < 4.5 * np.sqrt(2 * freedom)


def test_uniform_covers_its_range_evenly() -> None:
    generator = generator_at(7)
    drawn = np.array([draws.uniform(generator) for _ in range(20_000)])
    assert -1 <= drawn.min() < -0.99
    assert 0.99 < drawn.max() < 1
    assert abs(drawn.mean()) < 0.02
    assert abs(drawn.var() - 1 / 3) < 0.01


def test_streams_of_neighbours_are_all_different() -> None:
    generator, starts = generator_at(0), set()
    for key in (0, 1, 2**63):
        for person in range(-1, 40):
            for visit in range(40):
                draws.restart(generator, np.uint64(key), person, visit)
                starts.add(int(draws.next_u64(generator)))
    assert len(starts) == 3 * 41 * 40


def test_a_persons_row_does_not_depend_on_who_else_is_drawn() -> None:
    everybody = draws.uniform_rows(np.uint64(5), np.arange(6, dtype=np.int32), 3, 0.25)
    some = draws.uniform_rows(np.uint64(5), np.array([4, 1], np.int32), 3, 0.25)
    assert some.tolist() == everybody[[4, 1]].tolist()
    assert np.abs(everybody).max() <= 0.25
    assert len(np.unique(everybody)) == everybody.size


@given(numbers)
def test_a_unit_draw_is_the_upper_bits(state: int) -> None:
    drawn = draws.unit(generator_at(state))
    assert drawn == (mixed((state + GOLDEN) % WRAP) >> 11) / 2**53
    assert 0 <= drawn < 1
