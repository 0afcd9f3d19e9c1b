"""Who takes part when: everybody once a pass, in even groups, in an order of each pass's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.server.schedule import Schedule, people_in_a_round

people_and_size = st.integers(1, 60).flatmap(
    lambda people: st.tuples(st.just(people), st.integers(1, people))
)


@given(people_and_size, st.integers(0, 3), st.integers(0, 5))
def test_each_pass_visits_everybody_once(
    people_and_size: tuple[int, int], seed: int, which_pass: int
) -> None:
    people, size = people_and_size
    schedule = Schedule(people, size, seed)
    begin = which_pass * schedule.rounds_a_pass
    rounds = [schedule.people(begin + place) for place in range(schedule.rounds_a_pass)]
    assert sorted(np.concatenate(rounds).tolist()) == list(range(people))
    sizes = [len(group) for group in rounds]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= size
    assert all(group.dtype == np.int32 for group in rounds)


def test_a_last_round_of_few_is_spread_over_the_others() -> None:
    assert [len(Schedule(103, 20, 0).people(number)) for number in range(6)] == [18, 17, 17, 17, 17, 17]


def test_passes_have_orders_of_their_own_that_the_seed_fixes() -> None:
    def order(seed: int, number: int) -> list[int]:
        return Schedule(30, 30, seed).people(number).tolist()

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1)
    assert order(1, 0) != order(2, 0)


@pytest.mark.parametrize(
    ("asked", "people", "count"),
    [(0.02, 943, 19), (0.5, 7, 4), (0.001, 50, 1), (1, 50, 1), (20, 943, 20), (0.999, 10, 10), (0, 943, 943)],
)
def test_a_share_below_one_or_a_count(asked: float, people: int, count: int) -> None:
    assert people_in_a_round(asked, people) == count


@given(st.integers(1, 9), st.integers(0, 40), st.integers(1, 40))
def test_rounds_of_one_person_on_end_are_those_of_the_rounds(people: int, first: int, rounds: int) -> None:
    schedule = Schedule(people, 1, 4)
    expected = [int(schedule.people(number)[0]) for number in range(first, first + rounds)]
    assert schedule.one_by_one(first, rounds).tolist() == expected


def test_larger_rounds_are_nobodys_alone() -> None:
    with pytest.raises(ValueError, match="rounds have 2 people each"):
        Schedule(9, 2, 4).one_by_one(0, 3)
