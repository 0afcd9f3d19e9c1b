"""Shares as horizontal bars: a line a name, its bar, its share in percent."""

from collections.abc import Sequence

from covey.reports import units
from covey.reports.charts import NARROW, WIDE, Size
from covey.reports.markup import Safe, element, joined

_LINE = 26.0
_CHARACTER = 7.0  # a letter's width at the charts' 12-pixel text
_NUMBER = 52.0  # room for "100.0%"


def bars(named: Sequence[tuple[str, float]], name: str, key: str) -> Safe:
    """The shares drawn for a wide and for a narrow page; `key` makes their ids unique on the page."""
    return joined(*(_drawing(named, name, f"{key}-{size.name}", size) for size in (WIDE, NARROW)))


def _drawing(named: Sequence[tuple[str, float]], name: str, key: str, size: Size) -> Safe:
    left = 8 + _CHARACTER * max((len(text) for text, _ in named), default=0)
    room = size.width - left - _NUMBER
    largest = max((share for _, share in named), default=0.0) or 1.0
    height = _LINE * len(named) + 8
    told = "; ".join(f"{text}: {units.share(share, 1)}" for text, share in named)
    lines = [
        element(
            "g",
            element("text", text, x=left - 8, y=_LINE * n + 17, text_anchor="end"),
            element("path", d=_bar(left, _LINE * n + 5, max(1.0, room * share / largest)), class_="solid"),
            element("text", units.share(share, 1), x=left + room * share / largest + 8, y=_LINE * n + 17),
        )
        for n, (text, share) in enumerate(named)
    ]
    return element(
        "svg",
        element("title", name, id=f"{key}-t"),
        element("desc", f"{name}. {told}.", id=f"{key}-d"),
        *lines,
        viewBox=f"0 0 {size.width:g} {height:g}",
        role="img",
        class_=f"chart {size.name} s0",
        aria_labelledby=f"{key}-t {key}-d",
    )


def _bar(x: float, y: float, width: float) -> str:
    return f"M{x:.1f} {y:.1f}h{width:.1f}v{_LINE - 10:g}h{-width:.1f}z"
