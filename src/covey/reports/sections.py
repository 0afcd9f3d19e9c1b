"""The page's sections: each takes the runs and returns markup, or nothing where it has nothing to say."""

from collections.abc import Sequence

from covey.reports import charts, facts, series, tables, units, wording
from covey.reports.facts import RunFiles
from covey.reports.markup import Safe, element, joined
from covey.reports.parts import NOTHING, number, protocols, run_name, table_of, whose


def header(runs: Sequence[RunFiles]) -> Safe:
    """Title, subject, finding and warnings."""
    warnings = [element("p", text) for text in wording.warnings(runs)]
    finding = wording.finding(runs)
    return element(
        "header",
        element("p", "Covey report", class_="eyebrow"),
        element("h1", wording.heading(runs)),
        element("p", finding, class_="lede") if finding else NOTHING,
        element("p", wording.subject(runs), class_="note"),
        element("div", *warnings, class_="notice", role="note") if warnings else NOTHING,
    )


def compared(runs: Sequence[RunFiles]) -> Safe:
    """The comparison, federated and central runs in one table."""
    rows = tables.comparison(runs)
    headers, cells = tables.presentable([{**row, "status": "finished"} for row in rows])
    body = [
        element("tr", run_name(run, style), *(element("td", text, class_="number") for text in line[1:]))
        for style, (run, line) in enumerate(zip(runs, cells, strict=True))
    ]
    notes = ["Bytes are means over all people, up to the last round."]
    if any(not run.federated for run in runs):
        notes.append("A central run sends nothing (—) because it holds every history in one place already.")
    if any(row.get(key) is not None for row in rows for key in row if key.endswith("_se")):
        notes.append("± is one standard error over the evaluated people.")
    table = table_of("Comparison", headers, body, " ".join(notes))
    return element("section", element("h2", "Comparison"), table, protocols(runs), _more_metrics(runs))


def _more_metrics(runs: Sequence[RunFiles]) -> Safe:
    """The metrics that are no headline, with the runs as rows."""
    shown = set(facts.headlines(runs))
    names = [name for name in facts.metric_names(runs) if name not in shown]
    names = [name for name in names if any(facts.final(run, name) is not None for run in runs)]
    if not names:
        return NOTHING
    body = [
        element("tr", run_name(run, style), *(number(units.metric(facts.final(run, name))) for name in names))
        for style, run in enumerate(runs)
    ]
    headers = ["run", *(facts.label(name) for name in names)]
    return joined(element("h3", "Other metrics"), table_of("Other metrics", headers, body))


def curves(runs: Sequence[RunFiles]) -> Safe:
    """Quality against passes over everybody, all runs, a chart a metric."""
    drawn = [series.convergence(runs, name) for name in facts.headlines(runs)]
    note = "A global round is one pass over everybody."
    if len({run.federated for run in runs}) > 1:
        note += " Solid: federated. Broken: central; dots carry on where a central run ended."
    return _charts(runs, "Convergence", "rounds", drawn, note)


def costs(runs: Sequence[RunFiles]) -> Safe:
    """Quality against what a person had sent by then; nothing if no run sent anything."""
    if not any(run.federated for run in runs) or not facts.headlines(runs):
        return NOTHING
    drawn = [series.against_bytes(runs, name) for name in facts.headlines(runs)]
    note = "The mean over people of all bytes sent so far."
    if not all(run.federated for run in runs):
        note += " Central runs are levels: they cost no bytes, but every history."
    return _charts(runs, "Quality against bytes sent", "bytes", drawn, note)


def _charts(runs: Sequence[RunFiles], title: str, key: str, drawn: Sequence[series.Chart], note: str) -> Safe:
    if not drawn:
        return element(
            "section", element("h2", title), element("p", "No run was evaluated.", class_="nothing")
        )
    figures = [
        element("figure", element("figcaption", chart.name), charts.both(chart, f"{key}-{i}"))
        for i, chart in enumerate(drawn)
    ]
    names = [
        element("li", charts.swatch(style, run.federated), element("span", wording.short(run.title)))
        for style, run in enumerate(runs)
    ]
    legend = element("ul", *names, class_="legend", aria_label="Runs")
    grid = element("div", *figures, class_="charts")
    return element(
        "section", element("h2", title), element("p", note, class_="note"), legend, grid, protocols(runs)
    )


def measured(runs: Sequence[RunFiles]) -> Safe:
    """How the figures came about: the split and the protocol, in full sentences."""
    parts: list[Safe] = []
    for key, title in (("split", "Split"), ("protocol", "Protocol")):
        said = facts.sentences(runs, key)
        parts += [element("h3", title)] if said else []
        parts += [
            element("p", f"{named}: {text}" if (named := whose("", said[text], runs)) else text)
            for text in said
        ]
    people = {run.title: units.finite(run.summary.get("people_evaluated")) for run in runs}
    known = sorted({count for count in people.values() if count is not None})
    if known:
        counts = units.listed([units.count(count) for count in known])
        parts.append(element("p", f"People evaluated: {counts}.", class_="note"))
    return element("section", element("h2", "How it was measured"), *parts) if parts else NOTHING


def one_person(runs: Sequence[RunFiles]) -> Safe:
    """What a run asked of one person: bytes and arithmetic."""
    headers = [
        "run",
        "sent",
        "received",
        "sent a round",
        "received a round",
        "FLOPs a round",
        "least to most",
    ]
    body = [
        element("tr", run_name(run, style), *(number(text) for text in _asked(run)))
        for style, run in enumerate(runs)
        if run.federated
    ]
    if not body:
        return NOTHING
    note = (
        "Means over people; a round counts for those who took part in it. FLOP: one floating-point operation."
    )
    table = table_of("What one person did", headers, body, note)
    return element("section", element("h2", "What one person did"), table)


def _asked(run: RunFiles) -> list[str]:
    work = run.summary.get("flops_per_person_round")
    work = work if isinstance(work, dict) else {}
    least, most = (units.finite(work.get(key)) for key in ("min", "max"))
    spread = (
        units.MISSING if least is None or most is None else f"{units.flops(least)} to {units.flops(most)}"
    )
    return [
        units.bytes_(facts.cost(run, "upload_bytes")),
        units.bytes_(facts.cost(run, "download_bytes")),
        units.bytes_(run.summary.get("upload_bytes_per_person_round")),
        units.bytes_(run.summary.get("download_bytes_per_person_round")),
        units.flops(work.get("mean")),
        spread,
    ]


def footer(runs: Sequence[RunFiles]) -> Safe:
    """Which Covey made the runs."""
    versions = list(dict.fromkeys(str(run.summary["version"]) for run in runs if run.summary.get("version")))
    made = f"Made by Covey {units.listed(versions)}." if versions else "Made by Covey."
    return element(
        "section", element("footer", f"{made} This page is one file and loads nothing from elsewhere.")
    )
