"""Who is ranked against what: draws by name, given negatives, people who are not evaluated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_splits import Table, perfect, rivals_of, small_split

from covey.errors import ConfigError, SplitError
from covey.evaluation import AllItems, Given, Sampled, evaluate, prepare
from covey.splits import Split

PEOPLE, ITEMS = 30, 50


def town(people: int = PEOPLE) -> Split:
    """Person p has items p, p + 1, ... in training, one in validation, one or two in the test."""
    train = [[(p + i) % ITEMS for i in range(5 + p)] for p in range(people)]
    valid = [[(2 * p + 5) % ITEMS] for p in range(people)]
    test = [[(2 * p + 6 + i) % ITEMS for i in range(1 + p % 2)] for p in range(people)]
    return small_split(train, test, ITEMS, valid)


def test_sampled_negatives_are_different_items_that_the_person_has_nowhere() -> None:
    split = town()
    for person, drawn in rivals_of(prepare(split, Sampled(12))).items():
        seen = {int(i) for part in (split.train, split.valid, split.test) for i in part.of(person).item}
        assert len(drawn) == len(set(drawn)) == min(12, ITEMS - len(seen))
        assert set(drawn) <= set(range(ITEMS)) - seen


def test_someone_with_too_few_unseen_items_gets_all_of_them() -> None:
    split = small_split([[0, 1, 2]], [[3]], 7)
    assert sorted(rivals_of(prepare(split, Sampled(100)))[0]) == [4, 5, 6]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, PEOPLE - 1), min_size=1), st.integers(0, 2**63))
def test_a_draw_depends_on_seed_and_person_not_on_company_or_order(asked: list[int], seed: int) -> None:
    split = town()
    everybody = rivals_of(prepare(split, Sampled(10), seed=seed))
    some = rivals_of(prepare(split, Sampled(10), seed=seed, people=np.array(asked, np.int32)))
    assert some == {person: everybody[person] for person in sorted(set(asked))}


def test_more_people_in_the_data_change_nobodys_draw() -> None:
    fewer, more = rivals_of(prepare(town(10), Sampled(10))), rivals_of(prepare(town(), Sampled(10)))
    assert all(fewer[person] == more[person] for person in range(10))


def test_validation_and_test_draw_the_same_negatives() -> None:
    assert rivals_of(prepare(town(), Sampled(10), "valid")) == rivals_of(prepare(town(), Sampled(10), "test"))


def test_another_seed_draws_other_negatives() -> None:
    assert rivals_of(prepare(town(), Sampled(10), seed=1)) != rivals_of(prepare(town(), Sampled(10), seed=2))


def test_every_unseen_item_is_drawn_equally_often() -> None:
    # 20,000 people with the same history draw 3 of 8 unseen items: each is expected 7,500 times.
    people = 20_000
    split = small_split([[1, 4]] * people, [[7]] * people, 11)
    drawn = np.bincount(
        [i for row in rivals_of(prepare(split, Sampled(3))).values() for i in row], minlength=11
    )
    assert drawn[[1, 4, 7]].tolist() == [0, 0, 0]
    spread = np.sqrt(people * 3 / 8 * 5 / 8)
    assert np.abs(np.delete(drawn, [1, 4, 7]) - people * 3 / 8).max() < 5 * spread


def test_a_given_negative_that_is_the_held_out_item_is_skipped() -> None:
    split = small_split([[0], [0]], [[3], [4]], 6, negatives=[[1, 3, 2], [5]])
    candidates = prepare(split, Given())
    assert rivals_of(candidates) == {0: [1, 2], 1: [5]}
    # Were it kept, the held-out item would be tied with itself and lose.
    assert evaluate(Table([[0, 0, 0, 1, 0, 0]] * 2), split, Given(), ks=(1,)).per_person["hr@1"][0] == 1


def test_people_who_hold_nothing_out_are_absent() -> None:
    split = small_split([[0], [1], [2]], [[3], [], [4]], 6)
    for protocol in (Sampled(2), AllItems()):
        result = evaluate(perfect(split), split, protocol)
        assert (result.people.tolist(), result.people_count) == ([0, 2], 2)
        assert all(len(values) == 2 for values in result.per_person.values())


def test_people_with_nothing_to_rank_against_are_left_out_and_counted() -> None:
    split = small_split([[0, 1], [0]], [[2], [1]], 3, negatives=[[2], [2]])
    for protocol in (Sampled(2), AllItems(), Given()):
        result = evaluate(perfect(split), split, protocol)
        assert (result.people.tolist(), result.without_rivals) == ([1], 1)


def test_validation_items_are_out_of_the_test_but_test_items_are_in_the_validation() -> None:
    split = small_split([[0]], [[3]], 5, valid=[[2]])
    # Items 2 and 3 are tied, and the tie goes against the held-out one where the other takes part.
    tied = Table([[9, 1, 2, 2, 1]])
    assert evaluate(tied, split, AllItems(), part="valid", ks=(1,))["hr@1"] == 0
    assert evaluate(tied, split, AllItems(), part="test", ks=(1,))["hr@1"] == 1


def test_a_long_list_does_not_widen_everybodys() -> None:
    people, items = 4_000, 2_000
    test = [[p % items] for p in range(people - 1)] + [list(range(1_500))]
    candidates = prepare(small_split([[]] * people, test, items), Sampled(100))
    assert sum(block.items.size for block in candidates.blocks) < 2 * people * 101


@pytest.mark.parametrize("protocol", [Sampled(5), AllItems(), Given()])
def test_an_empty_part_is_refused(protocol: Sampled | AllItems | Given) -> None:
    split = small_split([[0]], [[1]], 4, negatives=[[2]])
    with pytest.raises(SplitError, match="'valid' part"):
        prepare(split, protocol, "valid")


def test_given_negatives_that_did_not_come_are_refused() -> None:
    with pytest.raises(ConfigError, match="without given negatives; use Sampled"):
        prepare(small_split([[0]], [[1]], 4), Given())


def test_a_given_negative_outside_the_catalogue_is_refused() -> None:
    with pytest.raises(SplitError, match="item 9; expected one below 4"):
        prepare(small_split([[0]], [[1]], 4, negatives=[[9]]), Given())


@pytest.mark.parametrize("person", [-1, 2])
def test_a_person_who_does_not_exist_is_refused(person: int) -> None:
    with pytest.raises(ConfigError, match=f"person {person} is not one of the 2 people"):
        prepare(small_split([[0], [0]], [[1], [1]], 4), AllItems(), people=np.array([0, person], np.int32))


def test_no_negatives_and_unknown_parts_are_refused() -> None:
    with pytest.raises(ConfigError, match="negatives is 0"):
        Sampled(0)
    with pytest.raises(ConfigError, match="did you mean 'test'"):
        prepare(small_split([[0]], [[1]], 4), AllItems(), "tests")  # pyright: ignore[reportArgumentType]
