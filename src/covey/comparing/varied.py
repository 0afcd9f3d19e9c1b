"""Entries that differ in one number alone: quality against that number, such as FPL's pi."""

from collections.abc import Sequence

from covey.comparing.entries import Entry
from covey.comparing.verdict import Verdict
from covey.reports import facts
from covey.reports.series import Chart, Series

_FEWEST = 3  # points that make a curve
_RATIO = 50.0  # from the least to the largest, above which an axis is logarithmic


def varied(found: Verdict, metric: str) -> list[Chart]:
    """A chart for each key that alone differs among three entries of an algorithm or more."""
    charts: list[Chart] = []
    algorithms = dict.fromkeys(entry.algorithm for entry in found.asked.entries)
    for style, algorithm in enumerate(algorithms):
        same = [entry for entry in found.asked.entries if entry.algorithm == algorithm]
        key = varied_key(same)
        if key is not None:
            charts.append(_chart(found, same, key, metric, style))
    return charts


def varied_key(entries: Sequence[Entry]) -> str | None:
    """The one key with different numbers, where there are enough; None where others differ too."""
    keys = [key for key in entries[0].settings if len({str(entry.settings[key]) for entry in entries}) > 1]
    numbers = [
        entry.settings[keys[0]]
        for entry in entries
        if len(keys) == 1 and isinstance(entry.settings[keys[0]], int | float)
    ]
    distinct = {number for number in numbers if not isinstance(number, bool)}
    return keys[0] if len(keys) == 1 and len(distinct) == len(entries) >= _FEWEST else None


def _chart(found: Verdict, entries: Sequence[Entry], key: str, metric: str, style: int) -> Chart:
    means = {each.name: each.figures[metric].mean for each in found.standings if metric in each.figures}
    points = sorted(
        (float(entry.settings[key]), means[entry.name]) for entry in entries if entry.name in means
    )
    least, most = points[0][0], points[-1][0]
    log = least > 0 and most / least > _RATIO
    name = facts.label(metric)
    algorithm = entries[0].algorithm
    line = Series(algorithm, style, True, tuple(points))
    label = f"{key} (log scale)" if log else key
    return Chart(f"{name} of {algorithm} by {key}", label, name, (line,), _plain, log)


def _plain(value: float) -> str:
    return f"{value:g}"
