"""Plots of the Bayesian test: what they say, for eyes and for screen readers, in pages and as files."""

import xml.etree.ElementTree as ET

import pytest

from covey.evaluation.significance import Posterior
from covey.reports.posteriors import posterior_file, posteriors, probability, said

WIDE = Posterior(0.02, 0.0106, 4, 0.01, 0.024, 0.176, 0.8)
NARROW = Posterior(0.0001, 0.00002, 9, 0.005, 0.0, 1.0, 0.0)
CERTAIN = Posterior(0.25, 0.0, 1, 0.1, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("posterior", [WIDE, NARROW, CERTAIN])
def test_a_file_is_whole_svg_with_its_own_colours(posterior: Posterior):
    root = ET.fromstring(posterior_file(posterior, "fcf & <fedncf>"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.find("{*}title").text == "fcf & <fedncf>"
    assert "--ink" in root.find("{*}style").text
    assert all(float(text.get("x")) <= 500 for text in root.iter("{*}text"))


def test_each_posterior_gets_a_drawing_a_width_with_ids_of_its_own():
    markup = posteriors([("one", WIDE), ("other", CERTAIN)], "bayes")
    root = ET.fromstring(markup)
    ids = [each.get("id") for each in root.iter() if each.get("id")]
    assert len(ids) == len(set(ids)) == 8
    assert len(list(root.iter("figure"))) == 2


def test_what_was_found_is_also_said():
    assert said(WIDE) == "lower: 0.02; within ±0.01: 0.18; higher: 0.80."
    assert said(CERTAIN, ("b", "neither", "a")) == "b: 0; neither: 0; a: 1."


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.001, "<0.01"), (0.5, "0.50"), (0.9951, ">0.99"), (0.9999999, "1"), (1, "1")],
)
def test_a_probability_is_certain_only_where_it_is(value: float, text: str):
    assert probability(value) == text
