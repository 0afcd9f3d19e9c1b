"""What must hold of every evaluation, and how ties and broken scores are treated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_splits import RatingTable, Table, perfect, small_split

from covey.errors import BadInput, ConfigError, CoveyError
from covey.evaluation import AllItems, Given, RankingProtocol, Sampled, evaluate, prepare
from covey.splits import Split

PEOPLE, ITEMS = 6, 20
PROTOCOLS = [Sampled(8), Given(), AllItems()]
EVERY_PROTOCOL = pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)


def town() -> Split:
    """Person p holds out p % 3 + 1 items."""
    return small_split(
        train=[[p, p + 1] for p in range(PEOPLE)],
        test=[list(range(p + 2, p + 3 + p % 3)) for p in range(PEOPLE)],
        item_count=ITEMS,
        negatives=[list(range(10, 20))] * PEOPLE,
    )


tables = st.lists(
    st.lists(st.integers(-3, 3), min_size=ITEMS, max_size=ITEMS), min_size=PEOPLE, max_size=PEOPLE
)


@EVERY_PROTOCOL
@settings(deadline=None, max_examples=40)
@given(scores=tables, constant=st.integers(-9, 9))
def test_adding_a_constant_to_all_scores_changes_nothing(
    protocol: RankingProtocol, scores: list[list[int]], constant: int
) -> None:
    before = evaluate(Table(scores), town(), protocol)
    after = evaluate(Table(np.array(scores) + constant), town(), protocol)
    assert dict(after) == dict(before)


@EVERY_PROTOCOL
@settings(deadline=None, max_examples=40)
@given(scores=tables)
def test_longer_lists_never_lose_hits_and_all_values_are_shares(
    protocol: RankingProtocol, scores: list[list[int]]
) -> None:
    ks = tuple(range(1, ITEMS + 5))
    result = evaluate(Table(scores), town(), protocol, ks=ks)
    for name in ("hr", "recall", "coverage"):
        assert np.all(np.diff([result[f"{name}@{k}"] for k in ks]) >= 0)
    assert result[f"hr@{ks[-1]}"] == result[f"recall@{ks[-1]}"] == 1
    assert all(-1e-12 <= value <= 1 + 1e-12 for value in result.values())


@EVERY_PROTOCOL
@settings(deadline=None, max_examples=40)
@given(scores=tables)
def test_the_populations_value_is_the_mean_of_the_peoples(
    protocol: RankingProtocol, scores: list[list[int]]
) -> None:
    result = evaluate(Table(scores), town(), protocol)
    together = {"coverage@10", "gini@10"}
    assert set(result.per_person) == set(result) - together
    assert all(result[name] == pytest.approx(own.mean()) for name, own in result.per_person.items())


@EVERY_PROTOCOL
def test_a_perfect_scorer_gets_one(protocol: RankingProtocol) -> None:
    result = evaluate(perfect(town()), town(), protocol, ks=(1, 3))
    assert all(
        result[name] == 1 for name in ("hr@1", "ndcg@1", "ndcg@3", "map@1", "map@3", "mrr", "auc", "recall@3")
    )


@EVERY_PROTOCOL
def test_equal_scores_for_everything_hit_nothing(protocol: RankingProtocol) -> None:
    result = evaluate(Table(np.zeros((PEOPLE, ITEMS))), town(), protocol, ks=(5,))
    assert result["hr@5"] == result["ndcg@5"] == result["auc"] == 0


def test_equal_rivals_are_listed_by_item_number_whatever_their_order_in_the_files() -> None:
    split = small_split([[], []], [[0], [0]], 4, negatives=[[3, 1], [1, 3]])
    assert evaluate(Table(np.zeros((2, 4))), split, Given(), ks=(1,))["coverage@1"] == 1 / 4


def test_a_score_below_every_number_is_last_and_tied_with_its_like() -> None:
    split = small_split([[]], [[0]], 3)
    result = evaluate(Table([[-np.inf, -np.inf, 1]]), split, AllItems())
    assert result["mrr"] == pytest.approx(1 / 3)


def test_scores_that_differ_only_in_double_precision_are_no_tie() -> None:
    split = small_split([[]], [[0]], 3)
    scores = Table([[1 + 1e-12, 1, 1]], np.float64)
    assert evaluate(scores, split, AllItems(), ks=(1,))["hr@1"] == 1


@EVERY_PROTOCOL
@pytest.mark.parametrize("item", [5, 15])
def test_a_score_that_is_not_a_number_stops_with_the_persons_number(
    protocol: RankingProtocol, item: int
) -> None:
    scores = np.zeros((PEOPLE, ITEMS))
    scores[2, item] = np.nan  # one of three items that person 2 holds out, and one of the given negatives
    everything = Sampled(100) if isinstance(protocol, Sampled) else protocol
    with pytest.raises(BadInput, match=r"person 2 holds NaN .* lower the learning rate"):
        evaluate(Table(scores), town(), everything)


def test_a_predicted_value_that_is_not_a_number_stops_too() -> None:
    class Broken(RatingTable):
        def values(self, people: np.ndarray, items: np.ndarray) -> np.ndarray:
            return np.where(people[:, None] == 4, np.nan, super().values(people, items))

    with pytest.raises(BadInput, match=r"values\(\) of person 4 holds NaN"):
        evaluate(Broken(np.zeros((PEOPLE, ITEMS))), town(), AllItems())


def test_a_known_items_score_may_be_anything() -> None:
    scores = np.zeros((PEOPLE, ITEMS))
    scores[0, 0] = np.nan  # person 0 trained on item 0
    assert evaluate(Table(scores), town(), AllItems()).people_count == PEOPLE


def test_scores_of_another_shape_are_refused() -> None:
    class Flat(Table):
        def everything(self, people: np.ndarray) -> np.ndarray:
            return super().everything(people).ravel()

    with pytest.raises(
        CoveyError, match=r"everything\(\) returned an array of \(120,\); expected .* \(6, 20\)"
    ):
        evaluate(Flat(np.zeros((PEOPLE, ITEMS))), town(), AllItems())


def test_a_model_of_another_catalogue_is_refused() -> None:
    with pytest.raises(ConfigError, match="the model knows 3 items and the split has 20"):
        evaluate(Table(np.zeros((PEOPLE, 3))), town(), AllItems())


@pytest.mark.parametrize("ks", [(), (0,), (10, -1)])
def test_list_lengths_below_one_are_refused(ks: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match="expected list lengths of 1 or more"):
        evaluate(perfect(town()), town(), AllItems(), ks=ks)


@EVERY_PROTOCOL
def test_prepared_candidates_give_the_same_again_and_again(protocol: RankingProtocol) -> None:
    candidates = prepare(town(), protocol, seed=7)
    rows = np.arange(PEOPLE * ITEMS).reshape(PEOPLE, ITEMS) * 37 % 11
    once = evaluate(Table(rows), town(), protocol, seed=7)
    for _ in range(2):
        assert dict(evaluate(Table(rows), candidates)) == dict(once)
    assert (once.protocol, once.part) == (protocol.name, "test")


def test_a_scorer_with_read_only_or_strided_scores_is_taken_as_it_is() -> None:
    scores = np.asfortranarray(np.arange(PEOPLE * ITEMS, dtype=np.float32).reshape(PEOPLE, ITEMS) % 13)
    scores.setflags(write=False)
    table = Table(scores)
    table.everything = lambda people: scores[: len(people)]  # a view, not a copy
    assert dict(evaluate(table, town(), AllItems())) == dict(
        evaluate(Table(scores.copy()), town(), AllItems())
    )
