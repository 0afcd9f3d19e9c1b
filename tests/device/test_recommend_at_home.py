"""Recommendation at home: the best that the person does not have."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from covey.device.recommend import best_unseen


def best(scores: list[float], seen: list[int], k: int) -> tuple[list[int], list[float]]:
    items, values = best_unseen(np.array(scores, np.float32), np.array(seen, np.int32), k)
    return items.tolist(), values.tolist()


def test_the_best_come_first_with_their_scores() -> None:
    assert best([0.5, 2, -1, 1], [], 2) == ([1, 3], [2, 1])


def test_what_the_person_has_is_left_out() -> None:
    assert best([0.5, 2, -1, 1], [1, 3], 2) == ([0, 2], [0.5, -1])


def test_equal_scores_come_in_the_order_of_the_items() -> None:
    assert best([1, 3, 1, 3, 1], [], 4)[0] == [1, 3, 0, 2]


def test_fewer_come_back_where_fewer_are_left() -> None:
    assert best([1, 2, 3], [0, 2], 10) == ([1], [2])
    assert best([1, 2, 3], [0, 1, 2], 10) == ([], [])


def test_the_scores_stay_as_they_were() -> None:
    scores = np.array([1, 2], np.float32)
    best_unseen(scores, np.array([1], np.int32), 1)
    assert scores.tolist() == [1, 2]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.sets(st.integers(0, 11)), st.integers(0, 12))
def test_it_is_a_sorted_list_of_the_rest(scores: list[int], seen: set[int], k: int) -> None:
    seen = {item for item in seen if item < len(scores)}
    rest = [item for item in range(len(scores)) if item not in seen]
    expected = sorted(rest, key=lambda item: (-scores[item], item))[:k]
    assert best([float(score) for score in scores], sorted(seen), k)[0] == expected
