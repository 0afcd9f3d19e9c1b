"""FedSPLIT's server: what it refuses, what it makes of the rest, and what is left of a group that wants to be forgotten."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.algorithms.fedsplit import FedSPLITConfig
from covey.errors import ConfigError, MessageError
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.fedsplit import BIAS_SUMS, PATTERNS, PATTERNS_AND_BIASES
from covey.messages.fixed import to_fixed
from covey.messages.updates import ModelUpdate
from covey.random import stream
from covey.server.joint import JointServer, disclosed, no_biases

ITEMS = 8
NOTHING = np.zeros(0, np.int32)


def message(rows: Any, values: Any, kind: str = PATTERNS) -> ModelUpdate:
    """What a group sends of these items."""
    units, _ = to_fixed(np.asarray(values, np.float64), UPDATE_SCHEMAS[kind].item_field)
    return ModelUpdate(1, kind, np.asarray(rows, np.int32), units, NOTHING)


def of_group(ticket: int, width: int = 2, signed: bool = False) -> ModelUpdate:
    """Patterns of five items, different ones in each group."""
    draws = stream(9, "group", ticket)
    rows = np.sort(draws.permutation(ITEMS)[:5])
    return message(rows, draws.random((5, width)) - signed / 2)


def server(groups: int = 3, **choices: Any) -> JointServer:
    """A server that has admitted these groups."""
    made = JointServer(FedSPLITConfig(**{"components": 4, **choices}), ITEMS)
    for ticket in range(groups):
        made.admit(ticket, of_group(ticket, signed=made.config.joint == "svd"))
    return made


def side_by_side(made: JointServer, *tickets: int) -> np.ndarray:
    """X of equation 15."""
    return np.concatenate([made.held[ticket].spread_out(ITEMS) for ticket in tickets], axis=1)


# --- what is refused ---

LOWEST = np.full((1, 1), np.iinfo(np.int32).min, np.int32)  # it has no positive twin in 32 bits


@pytest.mark.parametrize(
    ("update", "saying"),
    [
        (message([0, ITEMS], np.ones((2, 1))), "from 0 to 7"),
        (message([-1, 2], np.ones((2, 1))), "from 0 to 7"),
        (message([3, 3], np.ones((2, 1))), "increasing"),
        (message([4, 3], np.ones((2, 1))), "increasing"),
        (message([1], np.ones((2, 1))), "at least one pattern of 1 items"),
        (message([1, 2], np.ones((2, 0))), "at least one pattern"),
        (message([1, 2], np.ones((2, 1)), PATTERNS_AND_BIASES), "at least one pattern"),
        (message([1, 2], np.zeros((2, 3))), "all patterns are zero"),
        (message([1, 2], [[0, 1], [0, 1]], PATTERNS_AND_BIASES), "all patterns are zero"),
        (message(NOTHING, np.zeros((0, 2))), "all patterns are zero"),
        (message([1], np.ones((1, 2)), BIAS_SUMS), "expected a group's patterns, got 'bias-sums'"),
        (ModelUpdate(1, PATTERNS, np.array([1], np.int32), LOWEST, NOTHING), "beyond the range"),
        (ModelUpdate(1, PATTERNS, np.array([1], np.int32), -1 - LOWEST, NOTHING), "beyond the range"),
    ],
)
def test_a_message_that_cannot_be_right_is_refused_and_nothing_is_kept_of_it(
    update: ModelUpdate, saying: str
) -> None:
    made = server()
    before = made.fuse().patterns.tobytes()
    with pytest.raises(MessageError, match=saying):
        made.admit(7, update)
    assert 7 not in made.held
    assert made.fuse().patterns.tobytes() == before, "the other groups go on"


def test_negative_patterns_are_refused_where_the_joint_ones_may_not_be_and_the_others_go_on() -> None:
    made = server(joint="nmf")
    with pytest.raises(MessageError, match="no negative patterns"):
        made.admit(7, message([1], [[-1.0]]))
    assert made.fuse().patterns.shape == (ITEMS, 4)
    server(joint="svd").admit(7, message([1], [[-1.0]]))


def test_the_declared_range_is_open_to_its_very_limit() -> None:
    assert disclosed(message([1], [[1024.0]]), ITEMS).patterns.tolist() == [[1024.0]]


def test_more_components_than_patterns_are_refused_with_the_number_that_would_do() -> None:
    with pytest.raises(
        ConfigError, match=r"components is 7, but 3 groups have 6 patterns.*set components to 6"
    ):
        server(components=7).fuse()
    assert server(components=6).fuse().patterns.shape == (ITEMS, 6)


def test_a_server_with_nobody_left_says_why() -> None:
    made = server(1)
    made.forget(0)
    with pytest.raises(ConfigError, match="forgotten: the group asked for it"):
        made.fuse()


# --- what comes of it ---


def test_patterns_and_slices_at_full_rank_are_what_the_groups_sent() -> None:
    made = server(components=6)
    joint = made.fuse()
    for ticket in range(3):
        sent = side_by_side(made, ticket)
        np.testing.assert_allclose(joint.patterns @ joint.slices[ticket], sent, atol=1e-12)


def test_joint_patterns_are_of_the_size_of_one_whatever_the_ratings_are() -> None:
    small, large = server(joint="svd"), JointServer(FedSPLITConfig(components=4), ITEMS)
    for ticket, each in small.held.items():
        large.admit(ticket, message(each.rows, 50 * each.patterns))
    for joint in (small.fuse(), large.fuse()):
        assert (joint.patterns**2).sum(axis=1).mean() == pytest.approx(1)
    np.testing.assert_allclose(small.fuse().patterns, large.fuse().patterns, atol=1e-4)


@pytest.mark.parametrize("joint", ["svd", "nmf"])
def test_the_same_messages_give_the_same_bits(joint: str) -> None:
    """Also where the start of the factorization needs random projections."""
    once, again = server(joint=joint).fuse(), server(joint=joint).fuse()
    assert once.table.tobytes() == again.table.tobytes()
    assert [each.tobytes() for each in once.slices.values()] == [
        each.tobytes() for each in again.slices.values()
    ]


@given(st.permutations(range(4)))
def test_the_order_in_which_groups_come_changes_nothing(order: list[int]) -> None:
    made = JointServer(FedSPLITConfig(components=4), ITEMS)
    for ticket in order:
        made.admit(ticket, of_group(ticket, signed=True))
    assert made.fuse().table.tobytes() == server(4).fuse().table.tobytes()


def test_nonnegative_joint_patterns_and_slices_are_not_negative_and_near_to_what_was_sent() -> None:
    made = server(4, joint="nmf", components=7)
    joint = made.fuse()
    assert (joint.patterns >= 0).all()
    assert all((each >= 0).all() for each in joint.slices.values())
    sent = side_by_side(made, *range(4))
    missed = joint.patterns @ np.concatenate([*joint.slices.values()], axis=1) - sent
    # Equation 4; singular values could not do better than this with as many components.
    assert (missed**2).sum() < 0.05 * (sent**2).sum()


def test_biases_of_groups_are_their_plain_mean_by_hand() -> None:
    """Equation 16: a group that did not rate an item counts as zero."""
    made = JointServer(FedSPLITConfig(components=1, biases="groups"), ITEMS)
    made.admit(0, message([1, 2], [[1, 0.5], [1, -1]], PATTERNS_AND_BIASES))
    made.admit(1, message([2, 3], [[1, 0.25], [1, 1]], PATTERNS_AND_BIASES))
    assert made.fuse().item_bias.tolist() == [0, 0.25, -0.375, 0.5, 0, 0, 0, 0]


def test_biases_of_groups_are_a_mean_over_those_who_are_in_alone() -> None:
    made = JointServer(FedSPLITConfig(components=1, biases="groups"), ITEMS)
    made.admit(0, message([1], [[3, 0.5]], PATTERNS_AND_BIASES))
    made.admit(1, message([1], [[1, -1]], PATTERNS_AND_BIASES))
    made.leave_out_weakest(0.5)
    assert made.fuse().item_bias[1] == 0.5


def test_biases_by_evidence_are_sums_over_counts_held_towards_zero_by_hand() -> None:
    total = no_biases(ITEMS)
    total.add(message([1, 2], [[3.0, 3], [-1, 1]], BIAS_SUMS))
    total.add(message([2, 3], [[2.0, 2], [1, 2]], BIAS_SUMS))
    biases = server(shrinkage=2.0).fuse(total).item_bias
    assert biases.tolist() == pytest.approx([0, 3 / 5, 1 / 5, 1 / 4, 0, 0, 0, 0])


def test_devices_get_the_patterns_with_the_biases_last() -> None:
    joint = server().fuse()
    assert joint.table.shape == (ITEMS, 5)
    assert joint.table[:, -1].tolist() == joint.item_bias.astype(np.float32).tolist()


# --- who comes late, who says little, who leaves ---


def test_the_slice_of_a_late_group_is_the_one_it_had_when_it_was_in() -> None:
    """With components to spare and with components left out, for which the others are held back."""
    for components in (4, 6):
        made = server(components=components)
        joint = made.fuse()
        assert (joint.noise > 0) == (components < 6)
        for ticket in range(3):
            np.testing.assert_allclose(made.project(joint, ticket), joint.slices[ticket], atol=1e-10)


def test_a_late_group_whose_patterns_are_joint_ones_is_told_just_that() -> None:
    made = server(joint="nmf", components=2)
    joint = made.fuse()
    made.admit(9, message(range(ITEMS), joint.patterns * 2))
    np.testing.assert_allclose(made.project(joint, 9), 2 * np.eye(2), atol=1e-4)


def test_the_weakest_are_those_whose_patterns_have_the_least_squares() -> None:
    made = JointServer(FedSPLITConfig(components=1), ITEMS)
    for ticket, size in enumerate((2.0, 1.0, 3.0, 1.5)):
        made.admit(ticket, message([ticket, ticket + 1], [[size], [0]]))
    made.leave_out_weakest(0.5)
    assert [(entry["ticket"], entry["what"]) for entry in made.record] == [(1, "left out"), (3, "left out")]
    joint = made.fuse()
    assert sorted(joint.slices) == [0, 2]
    assert not joint.patterns[[1, 3]].any()
    assert made.project(joint, 1).shape == (1, 1), "it still gets a slice"


def test_nobody_is_left_out_where_nobody_should_be() -> None:
    made = server()
    made.leave_out_weakest(0.0)
    assert made.record == []
    assert sorted(made.fuse().slices) == [0, 1, 2]


def test_a_group_that_is_forgotten_is_gone_recorded_and_cannot_come_back() -> None:
    made = server()
    made.forget(1)
    assert sorted(made.held) == [0, 2]
    assert made.record == [{"ticket": 1, "what": "forgotten", "why": "the group asked for it"}]
    with pytest.raises(MessageError, match="asked to be forgotten"):
        made.admit(1, of_group(1))
    made.admit(4, of_group(1))  # under a new ticket


def test_without_the_forgotten_the_joint_patterns_are_those_of_a_server_that_never_heard_of_them() -> None:
    made, never = server(), JointServer(FedSPLITConfig(components=4), ITEMS)
    made.forget(1)
    for ticket in (0, 2):
        never.admit(ticket, of_group(ticket, signed=True))
    assert made.fuse().table.tobytes() == never.fuse().table.tobytes()


def test_what_is_not_held_cannot_be_forgotten() -> None:
    with pytest.raises(MessageError, match="nothing is held of group 5"):
        server().forget(5)
