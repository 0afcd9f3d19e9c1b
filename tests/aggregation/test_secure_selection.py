"""The attack of section 3.5.2 of the FedNCF paper: the same group twice, the second time without one person."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from secure_rounds import Town, plan_of, update_of

from covey.aggregation.secure.graph import Selection, commitment, ordered
from covey.aggregation.secure.member import Memory
from covey.aggregation.secure.run import enrol, run_round
from covey.aggregation.secure.terms import Settings
from covey.errors import ConfigError, PrivacyError

TARGET = 3


def attacked(least_difference: int):
    """Two rounds in which everybody sends the same; in the second the server loses the target's vector."""
    settings = Settings(least_people=2, least_difference=least_difference, neighbours=0)
    coordinator, members = enrol(range(6), settings)
    updates = {n: update_of(plan_of(), n) for n in range(6)}
    again = {n: replace(each, round=1) for n, each in updates.items()}
    first = run_round(coordinator, members, plan_of(0), updates)
    second = run_round(coordinator, first.members, plan_of(1), again, absent={"mask": [TARGET]})
    return first, second, updates[TARGET]


def test_without_the_defence_two_sums_give_one_persons_update_away():
    first, second, target = attacked(least_difference=1)
    assert first.total is not None
    assert second.total is not None
    senders = first.total.senders - second.total.senders
    assert np.flatnonzero(senders).tolist() == target.rows.tolist()
    stolen = (first.total.items - second.total.items)[target.rows]
    np.testing.assert_array_equal(stolen, target.item_values)
    np.testing.assert_array_equal(first.total.shared - second.total.shared, target.shared_values)
    assert first.total.instances - second.total.instances == target.instances


def test_with_the_defence_the_others_reveal_nothing():
    first, second, _ = attacked(least_difference=2)
    assert first.total is not None
    assert second.total is None
    assert set(second.refused) == {0, 1, 2, 4, 5}
    assert all("differs from an earlier one by 1 people" in why for why in second.refused.values())


def test_the_same_group_again_is_no_attack():
    town = Town(range(6), Settings(least_people=2, least_difference=6, neighbours=0))
    assert town.round(plan_of(0)).total
    assert town.round(plan_of(1)).total
    assert all(len(member.memory.groups) == 1 for member in town.members.values())


def test_a_group_is_remembered_by_who_signed_it_even_if_the_round_was_abandoned():
    town = Town(range(6), Settings(least_people=2, least_difference=2, neighbours=0))
    assert town.round(plan_of(0), absent={"unmask": range(5)}).abandoned
    assert frozenset(range(6)) in town.members[0].memory.groups


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)), st.integers(1, 10))
def test_a_group_is_refused_exactly_where_it_differs_by_too_few(one: set[int], other: set[int], least: int):
    memory = Memory(0, frozenset({frozenset(one)}))
    apart = len(one ^ other)
    if 0 < apart < least:
        with pytest.raises(PrivacyError, match=f"by {apart} people"):
            memory.check_group(frozenset(other), least)
    else:
        memory.check_group(frozenset(other), least)


@given(st.integers(1, 30), st.integers(1, 30), st.binary(min_size=32, max_size=32))
def test_a_pass_has_everybody_once_in_rounds_of_even_size(enrolled: int, per_round: int, seed: bytes):
    per_round = min(per_round, enrolled)
    selection = Selection(seed, tuple(range(enrolled)), per_round)
    rounds = -(-enrolled // per_round)
    for which_pass in range(2):
        groups = [selection.people(which_pass * rounds + n) for n in range(rounds)]
        assert sorted(n for group in groups for n in group) == list(range(enrolled))
        assert max(map(len, groups)) - min(map(len, groups)) <= 1
        assert max(map(len, groups)) <= per_round


def test_another_seed_turn_or_purpose_gives_another_order():
    people = range(30)
    orders = {
        ordered("graph", bytes(32), people),
        ordered("graph", bytes(31) + b"\1", people),
        ordered("graph", bytes(32), people, 1),
        ordered("selection", bytes(32), people),
    }
    assert len(orders) == 4
    assert commitment("graph", bytes(32)) != commitment("selection", bytes(32))


def test_more_people_a_round_than_are_enrolled_is_an_error():
    with pytest.raises(ConfigError, match="expected 1 to 3"):
        Selection(bytes(32), (0, 1, 2), 4)
