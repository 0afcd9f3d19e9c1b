"""Charts as inline SVG: no script, no picture files; colours and dashes come from the page's style."""

from collections.abc import Sequence
from dataclasses import dataclass

from covey.reports.markup import Safe, element, joined
from covey.reports.scales import Axis, decimals, linear_range, log_range
from covey.reports.series import Chart, Point, Series
from covey.reports.units import metric

STYLES = 8  # colours in the style sheet
_MARKS = 5
_MARK_GAP = 64.0  # pixels between a line's markers
_HOVER_GAP = 8.0
_CHARACTER = 6.6  # a digit's width at the charts' 12-pixel text


@dataclass(frozen=True)
class Size:
    """How large a chart is drawn: text keeps its size on a phone only if the phone has its own drawing."""

    name: str
    width: float
    height: float
    x_ticks: int
    y_ticks: int
    hover: bool


WIDE = Size("wide", 500.0, 310.0, 6, 6, hover=True)
NARROW = Size("narrow", 340.0, 256.0, 4, 5, hover=False)


def both(chart: Chart, key: str) -> Safe:
    """The chart drawn for a wide and for a narrow page; the style sheet shows one of them."""
    if not chart.series:
        return element("p", "No finite value to draw.", class_="nothing")
    return joined(*(draw(chart, size, f"{key}-{size.name}") for size in (WIDE, NARROW)))


def draw(chart: Chart, size: Size, key: str) -> Safe:
    """One drawing of a chart that has something to draw; `key` makes its ids unique on the page."""
    y_axis = _y_axis(chart, size)
    y_ticks = _y_texts(y_axis.ticks(size.y_ticks))
    left = 10 + _CHARACTER * max((len(text) for _, text in y_ticks), default=0)
    x_axis = _x_axis(chart, left, size)
    broken_first = sorted(chart.series, key=lambda line: line.solid)
    return element(
        "svg",
        element("title", chart.name, id=f"{key}-t"),
        element("desc", chart.described, id=f"{key}-d"),
        _grid(chart, x_axis, y_axis, y_ticks, size),
        *(_line(chart, line, x_axis, y_axis, size) for line in broken_first),
        viewBox=f"0 0 {size.width:g} {size.height:g}",
        role="img",
        class_=f"chart {size.name}",
        aria_labelledby=f"{key}-t {key}-d",
    )


def swatch(style: int, solid: bool) -> Safe:
    """The small piece of line and marker that names a line in tables and legends."""
    line = element("path", d="M1 7H33", class_=_line_class(style, solid))
    return element(
        "svg",
        line,
        _mark(style, 17, 7),
        viewBox="0 0 34 14",
        class_=f"swatch s{style % STYLES}",
        aria_hidden="true",
    )


def _y_axis(chart: Chart, size: Size) -> Axis:
    levels = [line.level for line in chart.series if line.level is not None]
    around = [y for line in chart.series for _, low, high in line.band for y in (low, high)]
    low, high = linear_range([*levels, *around, *(y for line in chart.series for _, y in line.points)])
    return Axis(low, high, size.height - 44, 26)


def _x_axis(chart: Chart, left: float, size: Size) -> Axis:
    values = [x for line in chart.series for x, _ in line.points]
    # Levels alone have no x of their own: any span will do, and it is drawn without ticks.
    if chart.log_x:
        low, high = log_range(values) if values else (1.0, 10.0)
    else:
        low, high = min([0.0, *values]), max(values, default=1.0)
    return Axis(low, high if high > low else low + 1, left, size.width - 20, chart.log_x)


def _y_texts(ticks: Sequence[float]) -> list[tuple[float, str]]:
    digits = decimals(ticks)
    return [(tick, f"{tick:.{digits}f}") for tick in ticks]


def _grid(chart: Chart, x_axis: Axis, y_axis: Axis, y_ticks: list[tuple[float, str]], size: Size) -> Safe:
    parts = [element("text", chart.y_label, x=0, y=12, class_="axis")]
    for tick, text in y_ticks:
        y = y_axis.place(tick)
        parts.append(element("path", d=f"M{x_axis.start:.1f} {y:.1f}H{x_axis.end:.1f}", class_="grid"))
        parts.append(element("text", text, x=x_axis.start - 6, y=y + 4, text_anchor="end"))
    floor = y_axis.start
    parts.append(element("path", d=f"M{x_axis.start:.1f} {floor:.1f}H{x_axis.end:.1f}", class_="floor"))
    ticks = x_axis.ticks(size.x_ticks) if any(line.points for line in chart.series) else []
    for tick in ticks:
        x = x_axis.place(tick)
        parts.append(element("path", d=f"M{x:.1f} {floor:.1f}v4", class_="floor"))
        parts.append(element("text", chart.x_text(tick), x=x, y=floor + 18, text_anchor="middle"))
    if not ticks:
        return element("g", *parts)
    middle = (x_axis.start + x_axis.end) / 2
    parts.append(
        element("text", chart.x_label, x=middle, y=size.height - 6, text_anchor="middle", class_="axis")
    )
    return element("g", *parts)


def _line(chart: Chart, line: Series, x_axis: Axis, y_axis: Axis, size: Size) -> Safe:
    places = [(x_axis.place(x), y_axis.place(y)) for x, y in line.points]
    parts: list[Safe] = []
    if line.level is not None:
        parts.append(_level(line, places, x_axis, y_axis))
    if len(line.band) > 1:
        parts.append(_band(line, x_axis, y_axis))
    if len(places) > 1 and not line.scattered:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(element("path", d=path, class_=_line_class(line.style, line.solid)))
    parts.extend(_mark(line.style, x, y) for x, y in _spread(places, 0.0 if line.scattered else _MARK_GAP))
    if size.hover:
        parts.extend(_hover(chart, line, places))
    return element("g", *parts, class_=f"run s{line.style % STYLES}")


def _band(line: Series, x_axis: Axis, y_axis: Axis) -> Safe:
    """The area between the ends of a line's intervals."""
    there = [f"{x_axis.place(x):.1f} {y_axis.place(high):.1f}" for x, _, high in line.band]
    back = [f"{x_axis.place(x):.1f} {y_axis.place(low):.1f}" for x, low, _ in reversed(line.band)]
    return element("path", d=f"M{'L'.join([*there, *back])}Z", class_="area")


def _level(line: Series, places: list[Point], x_axis: Axis, y_axis: Axis) -> Safe:
    """The reference line of a central run: the whole width, or from where its own curve ends."""
    y = y_axis.place(line.level or 0.0)
    start = places[-1][0] if places else x_axis.start
    path = element(
        "path",
        d=f"M{start:.1f} {y:.1f}H{x_axis.end:.1f}",
        class_="level" if places else _line_class(line.style, False),
    )
    tip = element("title", f"{line.title}: {metric(line.level)} (central)")
    marks = (
        []
        if places
        else [
            _mark(line.style, x_axis.start + share * (x_axis.end - x_axis.start), y) for share in (0.1, 0.9)
        ]
    )
    return element("g", tip, path, *marks)


def _hover(chart: Chart, line: Series, places: list[Point]) -> list[Safe]:
    """Invisible discs that name the value under the pointer; a browser shows a title without any script."""
    values = dict(zip(places, line.points, strict=True))
    tips: list[Safe] = []
    for x, y in _spread(places, _HOVER_GAP):
        at, reached = values[x, y]
        tip = element("title", f"{line.title}: {chart.y_label} {metric(reached)} at {chart.x_text(at)}")
        tips.append(element("circle", tip, cx=x, cy=y, r=7, class_="hit"))
    return tips


def _spread(places: Sequence[Point], gap: float) -> list[Point]:
    """Some of the places, from the last one leftwards, each at least `gap` pixels from the one before."""
    kept: list[Point] = []
    for place in reversed(places):
        if not kept or kept[-1][0] - place[0] >= gap:
            kept.append(place)
    return kept


def _line_class(style: int, solid: bool) -> str:
    return "line" if solid else f"line dash{style % 3}"


def _mark(style: int, x: float, y: float) -> Safe:
    """A run's marker: its shape tells it apart where colours do not."""
    shapes = (
        f"M{x - 3.5:.1f} {y:.1f}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
        f"M{x - 3.2:.1f} {y - 3.2:.1f}h6.4v6.4h-6.4z",
        f"M{x:.1f} {y - 4.4:.1f}l4.2 7.4h-8.4z",
        f"M{x:.1f} {y - 4.6:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
        f"M{x:.1f} {y + 4.4:.1f}l4.2 -7.4h-8.4z",
    )
    return element("path", d=shapes[style % _MARKS], class_="mark")
