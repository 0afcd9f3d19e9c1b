"""The section on what somebody could learn from what left the devices, where a run was audited."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from covey.reports import charts, dots, units, wording
from covey.reports.facts import RunFiles
from covey.reports.markup import Safe, element, joined
from covey.reports.parts import NOTHING, number, table_of
from covey.reports.series import Chart, Series

if TYPE_CHECKING:
    from covey.runs import audited


def learning(runs: Sequence[RunFiles]) -> Safe:
    """The audits of the runs; nothing where none was audited."""
    parts = [_one(run, run.audit, f"audit-{at}") for at, run in enumerate(runs) if run.audit is not None]
    if not parts:
        return NOTHING
    note = (
        "Attacks on what left the devices, tried out: a simulator knows the truth that they are after. Solid: "
        "attackers who read the messages. Broken: those who know all the same, but not the messages. So the space "
        "between is what the messages tell. What these attacks do not find, others may."
    )
    title = element("h2", "What somebody could learn from it")
    return element("section", title, element("p", note, class_="note"), *parts)


def _one(run: RunFiles, audit: "audited.Audit", key: str) -> Safe:
    audited_are = audit.audited_are
    over = (
        f"{wording.short(run.title)}: figures are means over {units.count(audit.audited)} of "
        f"{units.count(audit.of)} {audited_are}, with 95% intervals."
    )
    findings = [_finding(each, f"{key}-{at}") for at, each in enumerate(audit.findings)]
    return joined(element("p", over), _available(run), *findings)


def _available(run: RunFiles) -> Safe:
    """What leaves, by the ledger: what an attacker could have."""
    entries = [] if run.ledger is None else run.ledger.to_dicts()
    up = [entry for entry in entries if entry.get("direction") == "up" and entry.get("field") != "header"]
    if not up:
        return NOTHING
    lines = [
        element("li", element("code", f"{entry['message']}.{entry['field']}"), f": {entry.get('reveals')}")
        for entry in up
    ]
    return joined(element("h3", "What leaves, and so what they could have"), element("ul", *lines))


def _finding(finding: "audited.Finding", key: str) -> Safe:
    parts = [
        element("h3", finding.title),
        element("p", f"The attacker has {finding.attacker_has}.", class_="note"),
        element("p", finding.found),
    ]
    if finding.charts:
        parts += [_legend(finding.charts[0]), _figures(finding.charts, key), _table(finding.charts)]
    if finding.levels:
        head = finding.headline
        caption = element("figcaption", head.measure[:1].upper() + head.measure[1:])
        drawn = dots.dots(finding.levels, head.measure, (head.chance, head.chance_means), key)
        parts.append(element("div", element("figure", caption, drawn), class_="charts"))
    return joined(*parts)


def _legend(chart: "audited.Chart") -> Safe:
    names = [
        element("li", charts.swatch(style, curve.reads_message), element("span", curve.attacker))
        for style, curve in enumerate(chart.curves)
    ]
    return element("ul", *names, class_="legend", aria_label="Attackers")


def _figures(of: Sequence["audited.Chart"], key: str) -> Safe:
    figures = [
        element("figure", element("figcaption", chart.title), charts.both(_drawable(chart), f"{key}-{at}"))
        for at, chart in enumerate(of)
        if chart.drawn
    ]
    return element("div", *figures, class_="charts")


def _drawable(chart: "audited.Chart") -> Chart:
    lines = tuple(_line(curve, style) for style, curve in enumerate(chart.curves) if curve.x)
    return Chart(chart.title, chart.x_label, chart.y_label, lines, _text_of(chart))


def _line(curve: "audited.Curve", style: int) -> Series:
    points = tuple((x, y.mean) for x, y in zip(curve.x, curve.y, strict=True))
    band = tuple((x, y.low, y.high) for x, y in zip(curve.x, curve.y, strict=True))
    return Series(curve.attacker, style, curve.reads_message, points, band=band)


def _text_of(chart: "audited.Chart") -> Callable[[float], str]:
    return percent if chart.x_is_share else units.amount


def percent(share: float) -> str:
    """A share as a whole number of percent."""
    return f"{100 * share:.0f}%"


def _table(of: Sequence["audited.Chart"]) -> Safe:
    """Every measure of every attacker half way."""
    places = [x for chart in of for curve in chart.curves for x in curve.x]
    if not places:
        return NOTHING
    middle = min(places, key=lambda x: abs(x - (min(places) + max(places)) / 2))
    headers = [f"at {_text_of(of[0])(middle)}", *(chart.title for chart in of)]
    body = [
        element(
            "tr",
            element("th", curve.attacker, scope="row", class_="run-name"),
            *(number(_at(chart.curves[at], middle)) for chart in of),
        )
        for at, curve in enumerate(of[0].curves)
    ]
    return table_of(f"Half way: {of[0].x_label}", headers, body, "± is half of the 95% interval.")


def _at(curve: "audited.Curve", x: float) -> str:
    found = [y for place, y in zip(curve.x, curve.y, strict=True) if place == x]
    return units.metric(found[0].mean, (found[0].high - found[0].low) / 2) if found else units.MISSING
