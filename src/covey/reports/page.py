"""One HTML file that says what runs achieved, what it cost, and what left the devices."""

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from covey.reports import sections, wording
from covey.reports.attacks import learning
from covey.reports.configured import configured
from covey.reports.facts import RunFiles
from covey.reports.leaving import leaving
from covey.reports.markup import Safe, joined


def page(runs: Sequence[RunFiles]) -> str:
    """The report on these runs, as one page that needs no other file and no network.

    Order matters to the reader: what was reached, federated beside central; how it got there; what it cost;
    what was given away and what somebody could learn from it; and how to build all of it again.
    """
    parts = [
        sections.header(runs),
        *([sections.compared(runs), sections.curves(runs), sections.costs(runs)] if runs else []),
        *([leaving(runs), learning(runs), sections.one_person(runs)] if runs else []),
        *([sections.measured(runs), configured(runs)] if runs else []),
        sections.footer(runs),
    ]
    return assembled(wording.heading(runs), parts)


def assembled(title: str, parts: Sequence[Safe]) -> str:
    """A whole page of sections that are markup already."""
    here = files("covey.reports")
    return Template(here.joinpath("page.html").read_text("utf-8")).substitute(
        title=joined(title, " · Covey"),
        style=here.joinpath("page.css").read_text("utf-8"),
        content=joined(*parts),
    )
