"""Claims about the section on what somebody could learn."""

from fake_runs import FakeRun, central, federated

from covey.reports import page
from covey.runs.audited import Audit, Chart, Curve, Estimate, Finding, Headline, Level


def reached(mean: float) -> Estimate:
    return Estimate(mean, mean - 0.05, mean + 0.05, 40)


def audit() -> Audit:
    shares = (0.25, 0.5, 0.75)
    curves = (
        Curve("a reader", True, shares, tuple(map(reached, (0.3, 0.2, 0.1)))),
        Curve("a <baseline>", False, shares, tuple(map(reached, (0.4, 0.35, 0.3)))),
    )
    charts = (
        Chart("a", "Guessed", "people known", "error", curves),
        Chart("b", "Else", "x", "y", curves, drawn=False),
    )
    guessing = Finding(
        "g", "Guessing", "patterns", "It works.", Headline("error", reached(0.2), 0.35, "else"), charts
    )
    levels = (Level("by size", True, reached(0.9)), Level("popularity", False, reached(0.7)))
    member = Finding(
        "m", "Who rated?", "a message", "It tells.", Headline("area", reached(0.9), 0.5, "a coin"), (), levels
    )
    return Audit("fedsplit", 40, 41, "groups", 0, "0.1.0", (guessing, member))


def audited() -> FakeRun:
    run = federated()
    run.audit = audit()
    return run


def test_a_run_that_nobody_audited_has_no_such_section():
    assert "could learn" not in page([federated()])


def test_the_section_names_what_leaves_who_attacks_and_what_it_came_to():
    shown = page([audited(), central()])
    assert "What somebody could learn from it" in shown
    assert "means over 40 of 41 groups" in shown
    assert "ItemUpdate.item_deltas</code>: How a person" in shown
    assert "Plan.item_profile</code>:" not in shown, "it comes to the device"
    assert "It works." in shown
    assert "It tells." in shown


def test_a_baseline_is_broken_an_attack_solid_and_both_have_their_intervals():
    chart = page([audited()]).partition("Guessed</figcaption>")[2].partition("</svg>")[0]
    assert chart.count('class="area"') == 2
    assert chart.count('class="line"') == 1
    assert chart.count('class="line dash1"') == 1
    assert "50%" in chart


def test_a_chart_that_is_for_tables_alone_is_a_column_and_no_picture():
    shown = page([audited()])
    assert shown.count("<figcaption>Else") == 0
    assert "Else</th>" in shown
    assert "0.20 ± 0.05" in shown, "half way"


def test_chance_is_an_upright_with_its_word():
    drawn = page([audited()]).partition("Area</figcaption>")[2].partition("</svg>")[0]
    assert drawn.count('class="edge"') == 1
    assert ">a coin</text>" in drawn
    assert "by size: 0.900; popularity: 0.700; a coin: 0.5." in drawn


def test_names_of_attackers_are_escaped():
    assert "a <baseline>" not in page([audited()])
