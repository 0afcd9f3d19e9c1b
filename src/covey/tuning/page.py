"""A study as one page: the best settings, how the search went, what mattered, and every trial."""

from collections.abc import Sequence
from pathlib import Path

from covey.reports import charts, facts, units
from covey.reports.bars import bars
from covey.reports.markup import Safe, element, joined
from covey.reports.page import assembled
from covey.reports.parts import NOTHING, number, table_of
from covey.reports.series import Chart, Point, Series
from covey.runs.directory import write_whole
from covey.tuning import tables
from covey.tuning.found import Found
from covey.tuning.space import Numbers, read

_SHOWN = 200  # trials in the page's table; the JSON file has all


def write_report(found: Found, best_path: Path, page_path: Path) -> Path:
    """Writes the best settings, the page, and the same as Markdown and JSON; returns the page's path."""
    write_whole(best_path, tables.best_json(found).encode())
    write_whole(page_path, page(found).encode())
    write_whole(page_path.with_suffix(".md"), tables.markdown(found).encode())
    write_whole(page_path.with_suffix(".json"), tables.to_json(found).encode())
    return page_path


def page(found: Found) -> str:
    """The whole page; needs no other file and no network."""
    asked = found.asked
    title = f"{asked.algorithm} tuned on {asked.source['data']}"
    text = f"{len(found.tried)} trials, seed {asked.run_settings['seed']}, on the validation part."
    header = element(
        "header",
        element("p", "Covey study", class_="eyebrow"),
        element("h1", title),
        element("p", tables.finding(found), class_="lede"),
        element("p", text, class_="note"),
    )
    parts = [
        header,
        _best(found),
        _history(found),
        _importance(found),
        _keys(found),
        _trials(found),
        _measured(found),
    ]
    return assembled(title, parts)


def history(found: Found) -> Chart:
    """Each trial's value, and the best so far."""
    ended = [(float(each.number), each.value) for each in found.tried if each.value is not None]
    better = min if facts.lower_is_better(found.asked.metric) else max
    best: list[Point] = []
    for at, value in ended:
        top = better([value, *(y for _, y in best[-1:])])
        best += [(at, best[-1][1])] if best and top != best[-1][1] else []  # a step, not a slope
        best.append((at, top))
    metric = facts.label(found.asked.metric)
    lines = (
        Series("best so far", 0, True, tuple(best)),
        Series("a trial", 1, True, tuple(ended), scattered=True),
    )
    return Chart(f"{metric} by trial", "trial", metric, lines, units.count)


def by_key(found: Found, key: str) -> Chart | None:
    """Each trial's value against what a key was; None where the key has no range of numbers."""
    range_ = read(found.asked.algorithm, key, found.asked.space[key])
    if not isinstance(range_, Numbers):
        return None
    ended = sorted((float(each.settings[key]), each.value) for each in found.tried if each.value is not None)
    metric = facts.label(found.asked.metric)
    title = f"{metric} by {key}"
    label = f"{key} (log scale)" if range_.log else key
    return Chart(
        title, label, metric, (Series("a trial", 1, True, tuple(ended), scattered=True),), _plain, range_.log
    )


def _plain(value: float) -> str:
    return f"{value:g}"


def _best(found: Found) -> Safe:
    headers, lines = tables.best(found)
    body = [
        element(
            "tr", element("th", element("code", line[0]), scope="row"), *(number(text) for text in line[1:])
        )
        for line in lines
    ]
    table = table_of("Best settings", headers, body, tables.EXPLAINED)
    again = element("pre", element("code", found.command), tabindex=0)
    return element("section", element("h2", "Best settings"), table, element("h3", "Train with them"), again)


def _figures(drawn: Sequence[Chart], key: str) -> Safe:
    figures = [
        element("figure", element("figcaption", chart.name), charts.both(chart, f"{key}-{n}"))
        for n, chart in enumerate(drawn)
    ]
    return element("div", *figures, class_="charts")


def _history(found: Found) -> Safe:
    chart = history(found)
    names = [
        element("li", charts.swatch(line.style, True), element("span", line.title)) for line in chart.series
    ]
    legend = element("ul", *names, class_="legend", aria_label="Lines")
    return element("section", element("h2", "History"), legend, _figures([chart], "history"))


def _importance(found: Found) -> Safe:
    if not found.importance:
        text = "Too few different trials to say which keys mattered."
        return element("section", element("h2", "Importance"), element("p", text, class_="nothing"))
    drawn = bars(list(found.importance.items()), "Importance of each key", "importance")
    return element("section", element("h2", "Importance"), element("figure", drawn))


def _keys(found: Found) -> Safe:
    drawn = [chart for key in found.asked.space if (chart := by_key(found, key)) is not None]
    return element("section", element("h2", "Key by key"), _figures(drawn, "key")) if drawn else NOTHING


def _trials(found: Found) -> Safe:
    headers, lines = tables.trials(found, _SHOWN)
    body = [
        element("tr", element("th", line[0], scope="row"), *(number(text) for text in line[1:]))
        for line in lines
    ]
    early = [f"Trial {each.number}: {each.why}." for each in found.tried if each.why]
    note = " ".join(early[:10]) + (f" And {len(early) - 10} more." if len(early) > 10 else "")
    return element("section", element("h2", "Trials"), table_of("Trials", headers, body, note))


def _measured(found: Found) -> Safe:
    said = [(name, text) for name, text in (("Split", found.split), ("Protocol", found.protocol)) if text]
    parts = [joined(element("h3", name), element("p", text)) for name, text in said]
    return element("section", element("h2", "How it was measured"), *parts) if parts else NOTHING
