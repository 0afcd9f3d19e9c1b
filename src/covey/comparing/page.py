"""A comparison as one page: standings, how they came about, every test, and what left the devices."""

import shlex
from pathlib import Path

from covey.comparing import tables, wording
from covey.comparing.command import command
from covey.comparing.tables import Table
from covey.comparing.varied import varied
from covey.comparing.verdict import Verdict
from covey.reports import charts, facts, sections, units
from covey.reports.configured import configured
from covey.reports.leaving import leaving
from covey.reports.markup import Safe, element, joined
from covey.reports.page import assembled
from covey.reports.parts import NOTHING, number, protocols, run_name, table_of
from covey.reports.posteriors import posteriors
from covey.runs.directory import write_whole

_MOST_DRAWN = 10
_SIZES = (("people", "people"), ("items", "items"), ("rows", "interactions"))


def write_report(found: Verdict, page_path: Path) -> Path:
    """Writes the page, and beside it the same as Markdown and JSON; returns the page's path."""
    write_whole(page_path, page(found).encode())
    write_whole(page_path.with_suffix(".md"), tables.markdown(found).encode())
    write_whole(page_path.with_suffix(".json"), tables.to_json(found).encode())
    return page_path


def page(found: Verdict) -> str:
    """The whole page; needs no other file and no network."""
    runs = found.runs
    title = _title(found)
    parts = [
        _header(found, title),
        _standings(found),
        _tests(found),
        _posteriors(found),
        sections.curves(runs),
        sections.costs(runs),
        _varied(found),
        leaving(runs) if any(run.federated for run in runs) else NOTHING,
        sections.one_person(runs),
        sections.measured(runs),
        configured(runs),
        _again(found),
        sections.footer(runs),
    ]
    return assembled(title, parts)


def _title(found: Verdict) -> str:
    names = [each.name for each in found.standings]
    data = found.asked.source["data"]
    return f"{' · '.join(names)} on {data}" if len(names) <= 4 else f"{len(names)} systems on {data}"


def _header(found: Verdict, title: str) -> Safe:
    warnings = [element("p", text) for text in [*found.notes, *wording.disagreements(found)]]
    return element(
        "header",
        element("p", "Covey comparison", class_="eyebrow"),
        element("h1", title),
        element("p", wording.finding(found), class_="lede"),
        element("p", f"{_subject(found)} {wording.repeated(found)}", class_="note"),
        element("div", *warnings, class_="notice", role="note") if warnings else NOTHING,
    )


def _subject(found: Verdict) -> str:
    """On which data, of which size."""
    config = found.runs[0].config
    sizes = [f"{units.count(config[key])} {word}" for key, word in _SIZES]
    return f"{found.asked.source['data']}: {', '.join(sizes)}."


def _standings(found: Verdict) -> Safe:
    note = f"{wording.marking(found)} Bytes are means over all people. A central system sends nothing (—): it holds every history."
    table = _by_run(found, "Comparison", tables.standings(found), note)
    other = tables.other_metrics(found)
    more = (
        joined(element("h3", "Other metrics"), _by_run(found, "Other metrics", other))
        if other[1]
        else NOTHING
    )
    return element("section", element("h2", "Comparison"), table, protocols(found.runs), more)


def _by_run(found: Verdict, name: str, table: Table, note: str = "") -> Safe:
    """A table with a line for each entry, led by its swatch."""
    headers, lines = table
    body = [
        element("tr", run_name(run, style), *(number(text) for text in line[1:]))
        for style, (run, line) in enumerate(zip(found.runs, lines, strict=True))
    ]
    return table_of(name, headers, body, note)


def _tests(found: Verdict) -> Safe:
    title = f"Tests of {facts.label(found.asked.reading.metric)}"
    people = _by_pair(f"{title} over people", tables.over_people(found), tables.EXPLAINED)
    repeats = tables.over_repeats(found)
    below = _by_pair(f"{title} over repeats", repeats, tables.OVER_REPEATS) if repeats[1] else NOTHING
    return element("section", element("h2", title), people, below)


def _by_pair(name: str, table: Table, note: str) -> Safe:
    headers, lines = table
    body = [
        element(
            "tr", element("th", line[0], scope="row", class_="pair"), *(number(text) for text in line[1:])
        )
        for line in lines
    ]
    return table_of(name, headers, body, note)


def _posteriors(found: Verdict) -> Safe:
    """The Bayesian test of every pair, drawn, or of the pairs with the best one; nothing where there is none."""
    tested = [(pair, pair.bayes) for pair in found.pairs if pair.bayes is not None]
    if not tested:
        return NOTHING
    if len(tested) > _MOST_DRAWN:
        best = found.standings[0].name
        tested = [(pair, bayes) for pair, bayes in tested if best in (pair.first, pair.second)]
    metric = facts.label(found.asked.reading.metric)
    text = (
        f"How probable each difference of {metric} is, after what the repeats showed (Bayesian correlated t-test). "
        f"The band holds differences that are practically none, up to {found.asked.reading.rope:g}; the numbers above "
        "are the probabilities of lying left of it, in it and right of it."
    )
    drawn = [(f"{pair.first} \N{MINUS SIGN} {pair.second}", bayes) for pair, bayes in tested]
    figures = posteriors(drawn, "posterior", f"difference of {metric}")
    return element(
        "section", element("h2", "Practical differences"), element("p", text, class_="note"), figures
    )


def _varied(found: Verdict) -> Safe:
    """Quality against the one number in which entries of an algorithm differ; nothing where there is none."""
    drawn = [chart for name in tables.headline_metrics(found) for chart in varied(found, name)]
    if not drawn:
        return NOTHING
    figures = [
        element("figure", element("figcaption", chart.name), charts.both(chart, f"varied-{n}"))
        for n, chart in enumerate(drawn)
    ]
    return element(
        "section", element("h2", "What one number changes"), element("div", *figures, class_="charts")
    )


def _again(found: Verdict) -> Safe:
    """The command that builds the whole comparison again."""
    words = shlex.join(command(found.asked))
    return element(
        "section",
        element("h2", "The whole comparison again"),
        element("pre", element("code", words), tabindex=0),
        element("p", "The commands above are those of its first repeat.", class_="note"),
    )
