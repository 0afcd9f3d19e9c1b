"""The pieces that sections share: a run's name, a table that scrolls, the protocol of a figure."""

from collections.abc import Sequence

from covey.reports import charts, facts, wording
from covey.reports.facts import RunFiles
from covey.reports.markup import Safe, element, joined

NOTHING = Safe("")


def run_name(run: RunFiles, style: int) -> Safe:
    """The row header of a run: its line and marker, its title, its kind and whether it ended."""
    status = facts.status(run)
    kind = "federated" if run.federated else "central"
    below = element("span", kind if status == "finished" else f"{kind}, {status}", class_=_kind_class(status))
    # The style sheet cuts very long titles after some lines; the attribute still shows all of it.
    title = element("span", run.title, class_="title", title=run.title)
    named = element("div", charts.swatch(style, run.federated), element("div", title, below), class_="named")
    return element("th", named, scope="row", class_="run-name")


def _kind_class(status: str) -> str:
    return "kind" if status == "finished" else "kind open"


def number(text: str) -> Safe:
    """A cell that holds a number: set right, never broken."""
    return element("td", text, class_="number")


def table_of(
    name: str, headers: Sequence[str], body: Sequence[Safe], note: str = "", right: bool = True
) -> Safe:
    """A table with its note below it; the first column is text, the others numbers if `right`."""
    first, *others = headers
    numeric = "number" if right else None
    kind = None if right else "settings"
    head = element(
        "tr",
        element("th", first, scope="col"),
        *(element("th", text, scope="col", class_=numeric) for text in others),
    )
    table = element("table", element("thead", head), element("tbody", *body), class_=kind)
    return joined(scrolling(table, name), element("p", note, class_="note") if note else NOTHING)


def scrolling(table: Safe, name: str) -> Safe:
    """A table in a container of its own, which scrolls where the page is narrower than the table."""
    return element("div", table, class_="scroll", role="region", aria_label=name, tabindex=0)


def protocols(runs: Sequence[RunFiles]) -> Safe:
    """The protocol, next to every figure that it stands behind."""
    said = facts.sentences(runs, "protocol")
    if not said:
        return element("p", "The protocol behind these figures was not recorded.", class_="note")
    return joined(
        *(element("p", f"Protocol{whose(' of ', said[text], runs)}: {text}", class_="note") for text in said)
    )


def whose(before: str, titles: Sequence[str], runs: Sequence[RunFiles]) -> str:
    """The runs for which a sentence holds, after `before`; empty where it holds for all of them."""
    return "" if len(titles) == len(runs) else before + wording.short_list(titles)
