"""One example by hand for each family of metrics: a wrong denominator passes every law."""

import math

import numpy as np
import pytest
from small_splits import RatingTable, Table, small_split

from covey.evaluation import AllItems, Evaluation, evaluate

# One person, ten unseen items, three of them held out. By score: 4 0 7 1 2 9 3 5 6 8, held out 0, 1 and 9,
# so the held-out items have ranks 2, 4 and 6 among 7 rivals.
SCORES = [9.0, 7.0, 6.0, 4.0, 10.0, 3.0, 2.0, 8.0, 1.0, 5.0]


def three_held_out(*ks: int) -> Evaluation:
    return evaluate(Table([SCORES]), small_split([[]], [[0, 1, 9]], 10), AllItems(), ks=ks)


def test_hits_are_counted_within_the_first_k() -> None:
    result = three_held_out(1, 2, 5)
    assert [result[f"hr@{k}"] for k in (1, 2, 5)] == [0, 1, 1]
    assert [result[f"recall@{k}"] for k in (1, 2, 5)] == pytest.approx([0, 1 / 3, 2 / 3])
    assert [result[f"precision@{k}"] for k in (1, 2, 5)] == pytest.approx([0, 1 / 2, 2 / 5])


def test_f1_is_the_harmonic_mean_of_one_persons_precision_and_recall() -> None:
    assert three_held_out(5)["f1@5"] == pytest.approx(1 / ((5 / 2 + 3 / 2) / 2))


def test_ndcg_is_measured_against_all_held_out_items_in_front() -> None:
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert three_held_out(5)["ndcg@5"] == pytest.approx(gained / (1 + 1 / math.log2(3) + 1 / math.log2(4)))
    # Only two places to fill: the ideal has two hits, not three.
    assert three_held_out(2)["ndcg@2"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_map_divides_by_the_smaller_of_k_and_the_held_out_items() -> None:
    assert three_held_out(5)["map@5"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    assert three_held_out(2)["map@2"] == pytest.approx((1 / 2) / 2)


def test_mrr_looks_at_the_first_held_out_item_however_far_down() -> None:
    assert three_held_out(1)["mrr"] == pytest.approx(1 / 2)


def test_auc_is_the_share_of_pairs_won() -> None:
    # Rank 2 loses to one rival, rank 4 to two, rank 6 to three, of 3 * 7 pairs.
    assert three_held_out(1)["auc"] == pytest.approx(1 - 6 / 21)


def test_one_held_out_item_has_the_usual_hr_and_ndcg() -> None:
    result = evaluate(Table([SCORES]), small_split([[]], [[7]], 10), AllItems(), ks=(2, 3))
    assert (result["hr@2"], result["hr@3"]) == (0, 1)
    assert result["ndcg@3"] == pytest.approx(1 / math.log2(4))
    assert result["mrr"] == pytest.approx(1 / 3)


def test_coverage_and_gini_are_those_of_all_top_lists_together() -> None:
    # Everybody holds out item 3. Top 2: {0, 1}, {0, 1}, {0, 2}: shown 3, 2, 1, 0 times.
    scores = [[9, 8, 1, 0], [9, 8, 1, 0], [9, 1, 8, 0]]
    result = evaluate(Table(scores), small_split([[]] * 3, [[3]] * 3, 4), AllItems(), ks=(2,))
    assert result["coverage@2"] == 3 / 4
    # Shares ascending 0, 1/6, 2/6, 3/6 with weights -3, -1, 1, 3, over n - 1 = 3.
    assert result["gini@2"] == pytest.approx(1 - (-1 / 6 + 2 / 6 + 9 / 6) / 3)


def test_gini_is_high_for_even_lists_and_low_for_one_list_for_all() -> None:
    split = small_split([[]] * 4, [[0], [1], [2], [3]], 4)
    even = evaluate(Table(np.eye(4)), split, AllItems(), ks=(1,))
    uneven = evaluate(Table([[1, 0, 0, 0]] * 4), split, AllItems(), ks=(1,))
    assert (even["gini@1"], uneven["gini@1"]) == pytest.approx((1, 0))


def test_errors_of_values_count_every_held_out_rating_once() -> None:
    split = small_split([[], []], [[0, 1, 2], [0]], 4, test_values=[[3, 4, 5], [2]])
    result = evaluate(RatingTable([[4, 4, 3, 0], [5, 0, 0, 0]]), split, AllItems())
    # Errors 1, 0, -2 of one person and 3 of the other.
    assert result["mse"] == pytest.approx((1 + 0 + 4 + 9) / 4)
    assert result["rmse"] == pytest.approx(math.sqrt(14 / 4))
    assert result["mae"] == pytest.approx((1 + 0 + 2 + 3) / 4)
    assert result.per_person["rmse"] == pytest.approx([math.sqrt(5 / 3), 3])
    assert result.per_person["mse"] == pytest.approx([5 / 3, 9])
    assert result.per_person["mae"] == pytest.approx([1, 3])


def test_a_model_that_only_ranks_has_no_errors_of_values() -> None:
    assert not {"rmse", "mse", "mae"} & set(three_held_out(1))
