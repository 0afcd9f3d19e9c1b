"""What is said of the cost of secure aggregation is counted from real rounds."""

import pytest
from secure_rounds import FULL, plan_of, update_of

from covey.aggregation.secure.cost import (
    PAPER_SIZES,
    layout_of,
    masking_seconds,
    numbers_generated,
    random_update,
    round_cost,
)
from covey.aggregation.secure.run import PHASES, enrol, run_round
from covey.aggregation.sums import UpdateSum
from covey.errors import AbandonedError


@pytest.mark.parametrize(
    ("model", "network"),
    [("gmf", 12 + 1), ("neumf", 24 * 48 + 48 * 24 + 24 * 12 + 12 * 6 + 12 + 6 + 48 + 24 + 12 + 6 + 1)],
)
def test_the_numbers_of_figure_4_are_the_papers_formula(model: str, network: int) -> None:
    """Section 3.4, D = 12, 1,000 items, h = (48, 24, 12, 6): 2D rows in NeuMF, D in GMF, and a preference an item."""
    width = 24 if model == "neumf" else 12
    for people in (10, 100):
        assert numbers_generated(model, 1000, people) == (people - 1) * (width * 1000 + network + 1000)


def test_a_measured_round_has_the_sum_and_the_bytes_of_any_other() -> None:
    plan = plan_of()
    updates = {n: update_of(plan, n) for n in range(4)}
    cost = round_cost(plan, updates, FULL)
    plain = UpdateSum.empty(plan)
    for update in updates.values():
        plain.add(update)
    assert cost.total.equals(plain)
    coordinator, members = enrol(range(4), FULL)
    assert cost.bytes == run_round(coordinator, members, plan, updates).bytes
    assert set(cost.home_s) == set(cost.server_s) == set(PHASES)


def test_a_round_that_too_many_drop_out_of_is_not_measured() -> None:
    plan = plan_of()
    with pytest.raises(AbandonedError, match="expected 3 or more"):
        round_cost(plan, {n: update_of(plan, n) for n in range(4)}, FULL, missing=[0, 1])


def test_an_update_for_measuring_fits_its_plan() -> None:
    plan = plan_of(items=9)
    update = random_update(plan, 4)
    update.check(plan)
    assert len(update.rows) == 4


def test_masks_are_made_for_every_size_of_the_paper() -> None:
    for size in PAPER_SIZES:
        assert layout_of("gmf", size.items, size.people).byte_count > 5 * 12 * size.items
    assert masking_seconds(layout_of("gmf", 5, 3), 3, repeats=1) >= 0
