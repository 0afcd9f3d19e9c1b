"""A server that does not keep the protocol gets nothing: people refuse, and say why."""

import copy
import pickle  # noqa: TID251 - to see that it refuses
from dataclasses import replace

import pytest
from secure_rounds import FULL, SPARSE, Town, between, plan_of, update_of

from covey.aggregation.secure import participant, server
from covey.aggregation.secure.agreement import Agreement, Opening, Rollcall
from covey.aggregation.secure.graph import Graph
from covey.aggregation.secure.keyring import Identity, RoundSecrets
from covey.aggregation.secure.member import Member
from covey.aggregation.secure.run import Envelope, enrol, run_round
from covey.aggregation.secure.states import Masked, Ready, Shared
from covey.aggregation.secure.terms import Settings
from covey.aggregation.secure.wire import (
    Advertisement,
    Announcement,
    Answerers,
    Delivery,
    Evidence,
    Roll,
)
from covey.errors import MessageError, PrivacyError


def refusals(town: Town, carry, **more) -> set[str]:
    done = town.round(carry=carry, **more)
    assert done.total is None
    return set(done.refused.values())


def all_refuse(town: Town, carry, saying: str, **more) -> None:
    said = refusals(town, carry, **more)
    assert said
    for each in said:
        assert saying in each


def test_another_seed_than_committed_to_is_refused():
    def other_seed(data: bytes) -> bytes:
        return replace(Roll.decode(data), graph_seed=bytes(32)).encode()

    all_refuse(Town(range(5)), between("share", "down", other_seed), "opened another graph seed")


def test_another_selection_seed_than_committed_to_is_refused():
    def other_seed(data: bytes) -> bytes:
        return replace(Announcement.decode(data), selection_seed=bytes(32)).encode()

    all_refuse(Town(range(5)), between("advertise", "down", other_seed), "opened another selection seed")


def test_a_group_that_the_seed_did_not_select_is_refused():
    def leave_one_out(data: bytes) -> bytes:
        told = Announcement.decode(data)
        return replace(told, people=told.people[1:]).encode()

    all_refuse(Town(range(5)), between("advertise", "down", leave_one_out), "put in or left out")


def test_another_agreement_is_refused():
    town, other = Town(range(4)), Town(range(4))
    town.coordinator = other.coordinator
    done = town.round()
    assert len(done.refused) == 4
    assert all("under another agreement" in why for why in done.refused.values())


def test_an_old_round_played_again_is_refused():
    town = Town(range(4))
    assert town.round(plan_of(5)).total
    done = town.round(plan_of(5))
    assert done.total is None
    assert all("round 5 was here already" in why for why in done.refused.values())


def test_an_old_message_played_into_a_new_round_is_refused():
    town = Town(range(4))
    old: dict[int, bytes] = {}

    def keep(envelope: Envelope):
        if (envelope.phase, envelope.direction) == ("acknowledge", "down"):
            old[envelope.person] = envelope.data
        return (envelope.data,)

    town.round(plan_of(0), carry=keep)

    def replay(envelope: Envelope):
        return (old[envelope.person] if envelope.phase == "acknowledge" else envelope.data,)

    done = town.round(plan_of(1), carry=replay)
    assert all("of another round" in why for why in done.refused.values())
    assert len(done.refused) == 4


def test_a_swapped_key_is_refused():
    """The server puts its own keys in the place of person 1's, signed by a key of its own."""
    town, own = Town(range(5)), Identity()

    def swap(data: bytes) -> bytes:
        roll = Roll.decode(data)
        keys = dict(roll.neighbours)
        if 1 in keys:
            forged = Advertisement(roll.round, 1, bytes(31) + b"\x09", bytes(31) + b"\x09", own.sign(b"keys"))
            keys[1] = forged.keys
        return replace(roll, neighbours=keys).encode()

    done = town.round(carry=between("share", "down", swap))
    assert done.total is None
    assert set(done.refused) == {0, 2, 3, 4}
    assert all("put its own in their place" in why for why in done.refused.values())


def test_neighbours_that_do_not_follow_from_the_seed_are_refused():
    def drop_one(data: bytes) -> bytes:
        roll = Roll.decode(data)
        last = max(roll.neighbours)
        kept = {number: keys for number, keys in roll.neighbours.items() if number != last}
        return replace(roll, neighbours=kept).encode()

    all_refuse(
        Town(range(20), SPARSE), between("share", "down", drop_one), "not those that follow from the seed"
    )


def test_who_is_shown_another_roll_falls_out_of_the_round():
    """Person 0 is shown a roll without person 4. An honest server throws out what they deal; a sum without them goes on."""
    town = Town(range(6), FULL)

    def shorter(data: bytes) -> bytes:
        roll = Roll.decode(data)
        neighbours = {number: keys for number, keys in roll.neighbours.items() if number != 4}
        return replace(
            roll, advertised=tuple(p for p in roll.advertised if p != 4), neighbours=neighbours
        ).encode()

    done = town.round(carry=between("share", "down", shorter, 0))
    # Person 0 dealt to other people than the graph says: the honest server throws that away.
    assert done.rejected[0].sender == 0
    assert done.total is not None
    assert 0 not in done.people


def test_a_list_of_answerers_of_its_own_for_each_gets_no_shares():
    """A server that calls person 1 present to some and missing to others would hold both kinds of shares."""
    town = Town(range(6))

    done = town.round(carry=between("acknowledge", "down", without_person_one, 0, 2, 3))
    assert done.total is None
    assert ("unmask", "up") not in done.bytes


def until_masked() -> tuple[dict[int, Masked], dict[int, bytes]]:
    """Six people who have sent their vectors, and the true list of answerers for each."""
    plan = plan_of()
    coordinator, members = enrol(range(6), FULL)
    state, out = server.announce(coordinator, plan)
    people = {n: Ready(members[n], plan, update_of(plan, n)) for n in range(6)}
    for _ in range(3):
        answers = {n: participant.step(people[n], out[n]) for n in out}
        people = {n: new for n, (new, _) in answers.items()}
        state, out = server.step(state, [(n, data) for n, (_, data) in answers.items()])
    return people, out


def without_person_one(data: bytes) -> bytes:
    told = Answerers.decode(data)
    return replace(told, answered=tuple(place for place in told.answered if place != 1)).encode()


def test_nobody_reveals_where_two_lists_were_shown_even_if_the_server_goes_on():
    """Half of the people are told that person 1 is missing: three signatures under either list, four are needed."""
    people, out = until_masked()
    answers = {
        n: participant.step(people[n], without_person_one(out[n]) if n in (0, 2, 3) else out[n]) for n in out
    }
    signed = {n: data[42:] for n, (_, data) in answers.items()}
    for state, _ in answers.values():
        with pytest.raises(PrivacyError, match=r"3 people signed .* expected 4 or more"):
            participant.step(state, Evidence(Answerers.decode(out[0]).round, signed).encode())


def test_a_server_that_asks_for_both_shares_of_a_person_is_refused():
    """With both lists signed it would get the share of person 1's seed and the share of their mask key."""
    people, out = until_masked()
    participant.step(people[0], out[0])
    with pytest.raises(PrivacyError, match="answered from this state already"):
        participant.step(people[0], without_person_one(out[0]))


def test_after_revealing_nothing_more_is_answered():
    town = Town(range(3))

    def again(envelope: Envelope):
        return (envelope.data,) * (1 + ((envelope.phase, envelope.direction) == ("unmask", "down")))

    done = town.round(carry=again)
    assert all("the round is over" in why for why in done.refused.values())
    assert done.total is not None


@pytest.mark.parametrize("what", ["leaves out", "invents", "shortens"])
def test_a_list_that_cannot_be_right_is_refused(what):
    town = Town(range(6))

    def change(data: bytes) -> bytes:
        told = Answerers.decode(data)
        kept = {"leaves out": (0, 1, 2, 3, 4), "invents": (0, 1, 2, 3, 4, 5), "shortens": (0, 5)}[what]
        return replace(told, answered=kept).encode()

    absent = {"mask": [4]} if what == "invents" else {"share": []}
    done = town.round(carry=between("acknowledge", "down", change, 5), absent=absent)
    said = {"leaves out": "leaves out person 5", "invents": None, "shortens": "hide too little"}[what]
    if said:
        assert said in done.refused[5]
    else:  # person 4 dealt, so the list is possible; the signature under it is worth nothing
        assert [each.sender for each in done.rejected] == [5]


def test_people_who_never_dealt_cannot_be_put_on_the_list():
    town = Town(range(6))

    def everybody(data: bytes) -> bytes:
        return replace(Answerers.decode(data), answered=(0, 1, 2, 3, 4, 5)).encode()

    done = town.round(carry=between("acknowledge", "down", everybody), absent={"share": [4]})
    assert all("not in the list before it" in why for why in done.refused.values())
    assert set(done.refused) == {0, 1, 2, 3, 5}


def test_shares_of_other_people_than_the_list_says_are_refused():
    town = Town(range(20), SPARSE)

    def alone(data: bytes) -> bytes:
        told = Delivery.decode(data)
        return replace(told, sealed={}).encode()

    done = town.round(carry=between("mask", "down", alone, 7))
    assert "not those of the neighbours" in done.refused[7]


def test_gaps_are_counted_on_the_ring_two_at_a_time():
    graph, everybody = Graph(tuple(range(20)), 4), frozenset(range(20))
    assert graph.thinnest_gaps(everybody) == 4
    assert graph.thinnest_gaps(everybody - {0, 1}) == 2
    assert graph.thinnest_gaps(everybody - {0, 1, 10, 11}) == 0
    assert graph.thinnest_gaps(everybody - {0, 2, 10, 12}) == 2
    assert graph.thinnest_gaps(everybody - {19, 0, 1, 2}) == 0
    assert Graph(tuple(range(5)), 0).thinnest_gaps(frozenset({0})) is None


EVERYBODY = tuple(range(300))


def large_round() -> tuple[Agreement, Rollcall]:
    """A round of 300 on a sparse graph, with keys that nobody holds."""
    agreement = Agreement(
        dict.fromkeys(EVERYBODY, bytes(32)), Settings(dropped=1 / 3, corrupt=0.1), 300, bytes(32)
    )
    told = Announcement(agreement.digest, 0, 2, 5, 2, 3, bytes(32), bytes(32), EVERYBODY)
    return agreement, Rollcall(Opening(agreement, told), bytes(32), EVERYBODY)


def test_who_is_left_with_too_few_neighbours_masks_nothing():
    """A hundred of 300 may be missing; here they are all neighbours of one person."""
    agreement, rollcall = large_round()
    neighbours = rollcall.graph.neighbours(7)
    gone, left = neighbours[:-20], neighbours[-20:]
    assert len(gone) <= 100
    assert len(left) + 1 < rollcall.opening.terms.shares
    member = Member(7, Identity(), agreement)
    state = Shared(member, update_of(plan_of(), 7), rollcall, RoundSecrets(), {}, {}, b"")
    dealt = tuple(n for n in EVERYBODY if n not in gone)
    delivery = Delivery(rollcall.opening.digest, dealt, 300, dict.fromkeys(left, bytes(100)))
    with pytest.raises(PrivacyError, match="20 neighbours are left"):
        participant.step(state, delivery.encode())


def test_a_list_that_takes_the_ring_apart_is_refused():
    """Calling everybody missing around a piece of the ring would leave the piece's sum to be read alone."""
    agreement, rollcall = large_round()
    ring, half = rollcall.graph.ring, rollcall.graph.degree // 2
    gone = {*ring[:half], *ring[150 : 150 + half]}
    assert len(gone) <= 100  # as many may be missing
    member = Member(ring[half], Identity(), agreement)

    def masked() -> Masked:
        return Masked(member, rollcall, EVERYBODY, {}, {}, b"")

    def told_missing(missing: set[int]) -> bytes:
        kept = tuple(n for n in EVERYBODY if n not in missing)
        return Answerers(rollcall.opening.digest, kept, 300).encode()

    acknowledged, _ = participant.step(masked(), told_missing(set(ring[::3])))
    assert len(acknowledged.answered) == 200
    with pytest.raises(PrivacyError, match="could be taken apart"):
        participant.step(masked(), told_missing(gone))


def test_a_state_and_an_identity_refuse_to_travel_and_to_be_printed():
    plan = plan_of()
    _, members = enrol(range(3), FULL)
    ready = Ready(members[0], plan, update_of(plan, 0))
    for kept in (ready, members[0], members[0].identity):
        for travel in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(PrivacyError):
                travel(kept)
        assert repr(kept).endswith("(kept at home)")


def test_a_plan_of_another_shape_than_announced_is_refused():
    town, plan = Town(range(3)), plan_of()
    wider = plan_of(width=3)
    coordinator = town.coordinator
    _, out = server.announce(coordinator, wider)
    ready = Ready(town.members[0], plan, update_of(plan, 0))
    with pytest.raises(MessageError, match=r"expected .* those of the plan"):
        participant.step(ready, out[0])


def test_who_has_no_update_is_simply_missing():
    town, plan = Town(range(6)), plan_of()
    updates = {n: update_of(plan, n) for n in range(5)}
    done = run_round(town.coordinator, town.members, plan, updates)
    assert done.people == (0, 1, 2, 3, 4)
