"""Claims about which points a chart draws."""

from fake_runs import central, federated, most_popular
from hypothesis import given
from hypothesis import strategies as st

from covey.reports.series import against_bytes, convergence, thinned

POINTS = st.lists(
    st.tuples(st.floats(min_value=0, max_value=1e6), st.floats(min_value=0, max_value=1)),
    max_size=80,
    unique=True,
).map(sorted)


@given(POINTS, st.integers(min_value=4, max_value=30))
def test_thinning_keeps_the_ends_the_extremes_and_the_order(
    points: list[tuple[float, float]], at_most: int
) -> None:
    kept = thinned(points, at_most)
    assert len(kept) <= at_most or len(kept) == len(points)
    assert list(kept) == sorted(set(kept))
    if points:
        assert (kept[0], kept[-1]) == (points[0], points[-1])
        heights = [y for _, y in points]
        assert {min(heights), max(heights)} <= {y for _, y in kept}


def test_a_central_run_with_one_evaluation_is_a_level_and_one_with_many_a_line_with_a_level() -> None:
    line, level = convergence([central(8), most_popular()], "hr@10").series
    assert (len(line.points), line.level is not None) == (8, True)
    assert (len(level.points), level.level is not None) == (0, True)


def test_a_federated_run_with_one_evaluation_is_a_point_and_never_a_level() -> None:
    (only,) = convergence([federated(1)], "hr@10").series
    assert (len(only.points), only.level) == (1, None)


def test_nothing_that_cost_no_bytes_has_a_point_on_the_axis_of_bytes() -> None:
    sent, yardstick = against_bytes([federated(3), central(3)], "hr@10").series
    assert [x for x, _ in sent.points] == [8_000.0, 16_000.0, 24_000.0]
    assert yardstick.points == ()


def test_a_run_keeps_its_style_when_another_has_nothing_to_draw() -> None:
    empty = federated(0, "empty")
    (drawn,) = against_bytes([empty, federated(3)], "hr@10").series
    assert drawn.style == 1
