"""Every ranking metric equals its slow definition, whatever the scores, ties and held-out items."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_reference import evaluate_slowly
from small_splits import Table, rivals_of, small_split

from covey.errors import SplitError
from covey.evaluation import AllItems, Given, Sampled, evaluate, prepare
from covey.evaluation import candidates as candidates_module
from covey.evaluation import ranking as ranking_module
from covey.splits import Split

NOWHERE, TRAIN, VALID, TEST = range(4)
CODES = {"valid": VALID, "test": TEST}


@dataclass
class Town:
    split: Split
    place: list[list[int]]  # [people][items] which part an item is in
    scores: list[list[float]]  # [people][items]
    given: list[list[int]]  # [people][negatives]

    def items(self, person: int, *parts: int) -> list[int]:
        return [item for item, part in enumerate(self.place[person]) if part in parts]


@st.composite
def towns(draw: st.DrawFn) -> Town:
    """A few people and items; few different scores, so that most are tied."""
    item_count = draw(st.integers(2, 9))
    people_count = draw(st.integers(1, 5))
    row = st.lists(st.integers(NOWHERE, TEST), min_size=item_count, max_size=item_count)
    place = [draw(row) for _ in range(people_count)]
    score = st.sampled_from([-float("inf"), -1.5, -0.0, 0.0, 0.25, 0.5, 3.0])
    scores = [draw(st.lists(score, min_size=item_count, max_size=item_count)) for _ in place]
    given_row = st.lists(st.integers(0, item_count - 1), unique=True, max_size=item_count)
    negatives = [draw(given_row) for _ in place]
    lists = {part: [[i for i, p in enumerate(row) if p == part] for row in place] for part in (1, 2, 3)}
    split = small_split(lists[TRAIN], lists[TEST], item_count, lists[VALID], negatives)
    return Town(split, place, scores, negatives)


def check(town: Town, protocol: AllItems | Given | Sampled, part: str, rivals: dict[int, list[int]]) -> None:
    """Compares with the reference on these rivals; people without a rival must have been left out."""
    code = CODES[part]
    held_out = {p: town.items(p, code) for p in rivals if town.items(p, code)}
    ranked = [p for p in held_out if rivals[p]]
    if not ranked:
        with pytest.raises(SplitError):
            prepare(town.split, protocol, part)
        return
    ks = (1, 2, 5)
    got = evaluate(Table(town.scores), town.split, protocol, part=part, ks=ks)
    held_out = {p: held_out[p] for p in ranked}
    overall, per_person = evaluate_slowly(town.scores, held_out, rivals, town.split.item_count, ks)
    assert got.people.tolist() == ranked
    assert dict(got) == pytest.approx(overall, abs=1e-12)
    assert set(got.per_person) == set(per_person)
    for name, values in per_person.items():
        assert got.per_person[name] == pytest.approx(values, abs=1e-12), name


@settings(deadline=None)
@given(town=towns(), part=st.sampled_from(["valid", "test"]))
def test_ranking_all_items_equals_the_definitions(town: Town, part: str) -> None:
    # While validating, a test item is a rival like any unseen one.
    rival_parts = (NOWHERE, TEST) if part == "valid" else (NOWHERE,)
    check(town, AllItems(), part, {p: town.items(p, *rival_parts) for p in range(len(town.place))})


@settings(deadline=None)
@given(town=towns(), part=st.sampled_from(["valid", "test"]))
def test_ranking_given_negatives_equals_the_definitions(town: Town, part: str) -> None:
    code = CODES[part]
    rivals = {p: [i for i in row if i not in town.items(p, code)] for p, row in enumerate(town.given)}
    check(town, Given(), part, rivals)


@settings(deadline=None)
@given(town=towns(), part=st.sampled_from(["valid", "test"]), negatives=st.integers(1, 9))
def test_ranking_sampled_negatives_equals_the_definitions(town: Town, part: str, negatives: int) -> None:
    protocol = Sampled(negatives)
    rivals: dict[int, list[int]] = {p: [] for p in range(len(town.place))}
    try:
        rivals |= rivals_of(prepare(town.split, protocol, part))
    except SplitError:
        assert not any(town.items(p, NOWHERE) and town.items(p, CODES[part]) for p in rivals)
    check(town, protocol, part, rivals)


@settings(deadline=None)
@given(town=towns(), cells=st.integers(1, 30))
def test_chunks_of_any_size_give_the_same_bits(town: Town, cells: int) -> None:
    for protocol in (AllItems(), Given(), Sampled(3)):
        try:
            whole = evaluate(Table(town.scores), town.split, protocol, ks=(1, 3))
        except SplitError:
            continue
        table = Table(town.scores)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(candidates_module, "LIST_CELLS", cells)
            patch.setattr(ranking_module, "EVERYTHING_CELLS", cells)
            chunked = evaluate(table, town.split, protocol, ks=(1, 3))
        assert dict(chunked) == dict(whole)
        assert all(
            np.array_equal(chunked.per_person[name], whole.per_person[name]) for name in whole.per_person
        )
        assert all(people == 1 or people * width <= cells for people, width in table.asked)
