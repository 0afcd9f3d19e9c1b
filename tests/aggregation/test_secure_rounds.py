"""A round under masks gives the bits of a plain one, whoever is missing, or nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from secure_rounds import FULL, SPARSE, Town, between, plan_of, update_of

from covey.aggregation.secure.run import PHASES, Envelope, run_round
from covey.aggregation.secure.server import announce
from covey.aggregation.secure.terms import Settings, terms_for
from covey.errors import ConfigError, MessageError
from covey.messages.catalogue import UPDATE_SCHEMAS


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_masked_sum_has_the_bits_of_the_plain_one_whoever_is_missing(data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, 2**31 - 3), min_size=3, max_size=9, unique=True))
    town = Town(numbers)
    most = len(numbers) - terms_for(FULL, len(numbers)).survivors
    missing = data.draw(st.lists(st.sampled_from(numbers), unique=True, max_size=most))
    absent = {phase: [] for phase in PHASES}
    for person in missing:
        absent[data.draw(st.sampled_from(PHASES))].append(person)
    done = town.round(absent=absent)
    in_time = set(numbers) - {person for phase in PHASES[:3] for person in absent[phase]}
    assert done.abandoned is None
    assert set(done.people) == in_time
    assert done.total is not None
    assert done.total.equals(town.plain(done.people))


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("rules", [FULL, SPARSE], ids=["full", "sparse"])
def test_anybody_may_be_missing_at_any_phase(phase, rules):
    numbers = range(20)
    town = Town(numbers, rules)
    missing = list(range(20 - terms_for(rules, 20).survivors))
    assert missing
    done = town.round(absent={phase: missing})
    in_sum = [n for n in numbers if n not in missing or PHASES.index(phase) > PHASES.index("mask")]
    assert list(done.people) == in_sum
    assert done.total is not None
    assert done.total.equals(town.plain(in_sum))


@pytest.mark.parametrize("phase", PHASES)
def test_with_one_more_missing_than_agreed_the_round_is_abandoned_and_says_why(phase):
    town = Town(range(9))
    done = town.round(absent={phase: range(4)})
    assert done.total is None
    assert done.abandoned
    assert "expected 6 or more" in done.abandoned or "shares are there" in done.abandoned
    assert phase == "unmask" or ("unmask", "up") not in done.bytes


def test_after_an_abandoned_round_the_next_one_gives_a_sum():
    town = Town(range(6))
    assert town.round(absent={"mask": range(4)}).abandoned
    done = town.round(plan_of(1))
    assert done.total is not None
    assert done.total.equals(town.plain(range(6), plan_of(1)))


@pytest.mark.parametrize("kind", UPDATE_SCHEMAS)
def test_every_kind_of_update_can_be_added_up_under_masks(kind):
    schema, plan = UPDATE_SCHEMAS[kind], plan_of(kind=kind)
    shared = plan.network if schema.shared_field else plan.network[:0]
    plan = type(plan)(0, kind, plan.recipe, plan.items, shared)
    town = Town(range(3))
    for person in range(3):
        update = update_of(plan, person)
        rows = update.rows if schema.says_of_items else update.rows[:0]
        town.updates[person] = type(update)(
            0,
            kind,
            rows,
            update.item_values[: len(rows)],
            update.shared_values[: len(shared)],
            update.instances if schema.counts_instances else 0,
        )
    done = run_round(town.coordinator, town.members, plan, town.updates)
    assert done.total is not None
    assert done.total.equals(town.plain(range(3), plan))


def test_bytes_are_counted_by_phase_and_direction_and_depend_on_no_data():
    seen = [Town(range(4)).round(plan).bytes for plan in (plan_of(0), plan_of(0))]
    town = Town(range(4))
    seen.append(town.round(plan_of(3)).bytes)
    assert seen[0] == seen[1] == seen[2]
    assert set(seen[0]) == {(phase, way) for phase in PHASES for way in ("up", "down")}


def test_the_order_in_which_messages_come_changes_nothing():
    town = Town(range(5))
    plan = plan_of()
    backwards = dict(reversed([(n, update_of(plan, n)) for n in range(5)]))
    done = run_round(town.coordinator, town.members, plan, backwards)
    town.updates = backwards
    assert done.total is not None
    assert done.total.equals(town.plain(range(5)))


def test_a_message_that_comes_twice_counts_once():
    town = Town(range(4))

    def twice(envelope: Envelope):
        return (envelope.data,) * (1 + (envelope.direction == "up"))

    done = town.round(carry=twice)
    assert done.total is not None
    assert done.total.equals(town.plain(range(4)))
    assert {each.phase for each in done.rejected} == set(PHASES)
    assert all("already" in each.reason for each in done.rejected)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: b"",
        lambda data: data[:6] + bytes(32) + data[38:],
        lambda data: data[:38] + b"\1\0\0\0" + data[42:],
        lambda data: b"CVS1\xff\xff" + data[6:],
    ],
    ids=["truncated", "oversized", "empty", "of another round", "of another sender", "of another kind"],
)
def test_a_malformed_message_is_rejected_with_its_sender_and_the_round_goes_on(phase, damage):
    town = Town(range(6))
    done = town.round(carry=between(phase, "up", damage, 2))
    assert (done.rejected[0].sender, done.rejected[0].phase) == (2, phase)
    assert done.total is not None
    assert done.total.equals(town.plain(done.people))
    assert (2 in done.people) == (phase in ("acknowledge", "unmask"))


def test_a_share_beyond_the_field_is_rejected_with_its_sender():
    town = Town(range(6))
    done = town.round(carry=between("unmask", "up", lambda data: data[:-4] + b"\xff" * 4, 1))
    assert [(each.sender, "below" in each.reason) for each in done.rejected] == [(1, True)]
    assert done.total is not None


def test_a_wrong_share_is_got_around_where_others_are_left():
    town = Town(range(9))
    done = town.round(
        absent={"mask": [8]}, carry=between("unmask", "up", lambda data: data[:-4] + bytes(4), 0)
    )
    assert done.total is not None
    assert done.total.equals(town.plain(range(8)))


def test_keys_signed_by_somebody_else_are_rejected():
    town = Town(range(6))
    stranger = Town(range(6)).members[3].identity
    town.members[3].identity = stranger
    done = town.round()
    assert done.people == (0, 1, 2, 4, 5)
    assert "not signed" in done.rejected[0].reason


def test_a_masked_value_out_of_range_is_seen_in_the_sum_and_only_there():
    """Nobody can tell whose it was: under masks every vector looks the same."""
    town = Town(range(4))

    def add_to_senders(data: bytes) -> bytes:
        at = 42 + 5 * 2 * 5  # behind the item values, five bytes each
        return data[:at] + bytes([(data[at] + 100) % 256]) + data[at + 1 :]

    done = town.round(carry=between("mask", "up", add_to_senders, 2))
    assert done.total is None
    assert done.rejected == ()
    assert done.abandoned
    assert "senders is beyond what 4 people can send" in done.abandoned


def test_who_was_not_selected_cannot_hand_in_an_update():
    town = Town(range(4), people_per_round=2)
    stranger = next(n for n in range(4) if n not in town.selected(0))
    with pytest.raises(ConfigError, match="not selected for round 0"):
        run_round(town.coordinator, town.members, plan_of(), {stranger: update_of(plan_of(), stranger)})


def test_a_group_of_one_is_refused():
    with pytest.raises(ConfigError, match="the sum of one person is that person's update"):
        Settings(least_people=1)
    town = Town(range(3), Settings(least_people=3, least_difference=1), people_per_round=2)
    with pytest.raises(ConfigError, match="expected 3 or more"):
        announce(town.coordinator, plan_of())


def test_an_update_that_does_not_fit_its_plan_never_leaves():
    town, plan = Town(range(3)), plan_of()
    update = update_of(plan_of(1), 0)
    with pytest.raises(MessageError, match="fetch the plan"):
        run_round(town.coordinator, town.members, plan, {0: update})


def _vectors_of_one(value: int, rounds: int) -> np.ndarray:
    plan = plan_of(items=6, width=2)
    rows = np.arange(6, dtype=np.int32)
    found: list[bytes] = []
    for _ in range(rounds):
        town = Town(range(3))
        updates = {n: update_of(plan, n) for n in range(3)}
        updates[1] = type(updates[1])(
            0, "per-item", rows, np.full((6, 2), value, np.int32), np.full(3, value, np.int32), 7
        )

        def keep(envelope: Envelope):
            if (envelope.phase, envelope.direction, envelope.person) == ("mask", "up", 1):
                found.append(envelope.data[42:])
            return (envelope.data,)

        run_round(town.coordinator, town.members, plan, updates, carry=keep)
    return np.frombuffer(b"".join(found), np.uint8)


def test_what_the_server_sees_of_one_person_is_evenly_distributed_whatever_they_have():
    """Chi-square over byte values, 255 degrees of freedom: above 400 comes once in a hundred million times."""
    for value in (0, 2**30):
        bytes_seen = _vectors_of_one(value, 60)
        counts, expected = np.bincount(bytes_seen, minlength=256), len(bytes_seen) / 256
        assert ((counts - expected) ** 2 / expected).sum() < 400
