"""Means as dots with their intervals: a line a name, and an upright where chance is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from covey.reports.charts import NARROW, STYLES, WIDE, Size
from covey.reports.markup import Safe, element, joined
from covey.reports.scales import Axis, decimals, linear_range

if TYPE_CHECKING:
    from covey.runs.audited import Level

_LINE = 26.0
_CHARACTER = 6.6  # a letter's width at the charts' 12-pixel text
_NUMBER = 44.0  # room for a number at the end of its line
_TOP = 22.0  # room for the word above the upright


def dots(levels: Sequence["Level"], name: str, chance: tuple[float, str], key: str) -> Safe:
    """The levels drawn for a wide and for a narrow page; `key` makes their ids unique on the page."""
    return joined(*(_drawing(levels, name, chance, f"{key}-{size.name}", size) for size in (WIDE, NARROW)))


def _drawing(levels: Sequence["Level"], name: str, chance: tuple[float, str], key: str, size: Size) -> Safe:
    names = 10 + _CHARACTER * max((len(each.attacker) for each in levels), default=0)
    # Names go above their lines where there is no room beside them.
    stacked = size is NARROW or names > size.width / 2
    step = _LINE * 1.7 if stacked else _LINE
    left = 8.0 if stacked else names
    low, high = linear_range(
        [chance[0], *(end for each in levels for end in (each.reached.low, each.reached.high))]
    )
    axis = Axis(low, high, left, size.width - _NUMBER)
    floor = _TOP + step * len(levels) + 4
    told = "; ".join(f"{each.attacker}: {each.reached.mean:.3f}" for each in levels)
    rows = [_row(each, axis, _TOP + step * at, step, stacked) for at, each in enumerate(levels)]
    return element(
        "svg",
        element("title", name, id=f"{key}-t"),
        element("desc", f"{name}. {told}; {chance[1]}: {chance[0]:g}.", id=f"{key}-d"),
        *_scale(axis, floor, size),
        _chance(axis, floor, chance, [_TOP + step * at for at in range(len(levels))] if stacked else []),
        *rows,
        viewBox=f"0 0 {size.width:g} {floor + 24:g}",
        role="img",
        class_=f"chart {size.name}",
        aria_labelledby=f"{key}-t {key}-d",
    )


def _scale(axis: Axis, floor: float, size: Size) -> list[Safe]:
    """The floor and its round numbers."""
    ticks = axis.ticks(size.x_ticks)
    digits = decimals(ticks)
    parts = [element("path", d=f"M{axis.start:.1f} {floor:.1f}H{axis.end:.1f}", class_="floor")]
    for tick in ticks:
        x = axis.place(tick)
        parts.append(element("path", d=f"M{x:.1f} {floor:.1f}v4", class_="floor"))
        parts.append(element("text", f"{tick:.{digits}f}", x=x, y=floor + 18, text_anchor="middle"))
    return parts


def _chance(axis: Axis, floor: float, chance: tuple[float, str], names_at: Sequence[float]) -> Safe:
    """The upright of chance and the word for it; it leaves out the names, where they lie in its way."""
    x = axis.place(chance[0])
    gaps = [(top + 3, top + _LINE) for top in names_at]
    begins, ends = [_TOP - 4, *(end for _, end in gaps)], [*(begin for begin, _ in gaps), floor]
    path = "".join(f"M{x:.1f} {begin:.1f}V{end:.1f}" for begin, end in zip(begins, ends, strict=True))
    return element(
        "g",
        element("path", d=path, class_="edge"),
        element("text", chance[1], x=x, y=_TOP - 10, text_anchor=_anchor(x, len(chance[1]), axis.end)),
    )


def _anchor(x: float, letters: int, end: float) -> str:
    """Where a word begins that should stand over x, so that none of it lies outside of the drawing."""
    half = _CHARACTER * letters / 2
    return "start" if x < half else "end" if x + half > end + _NUMBER else "middle"


def _row(level: "Level", axis: Axis, top: float, step: float, stacked: bool) -> Safe:
    y = top + step - _LINE / 2
    low, mean, high = (axis.place(v) for v in (level.reached.low, level.reached.mean, level.reached.high))
    name = (
        element("text", level.attacker, x=axis.start, y=y - 12)
        if stacked
        else element("text", level.attacker, x=axis.start - 8, y=y + 4, text_anchor="end")
    )
    shape = f"M{mean - 4:.1f} {y:.1f}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"
    return element(
        "g",
        name,
        element("path", d=f"M{axis.start:.1f} {y:.1f}H{axis.end:.1f}", class_="grid"),
        element("path", d=f"M{low:.1f} {y:.1f}H{high:.1f}", class_="line"),
        element("path", d=shape, class_="mark"),
        element("text", f"{level.reached.mean:.3f}", x=axis.end + 8, y=y + 4),
        class_=f"run s{(0 if level.reads_message else 5) % STYLES}",
    )
