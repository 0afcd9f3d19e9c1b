"""Plots of the Bayesian test: where a difference probably lies, and how much of it is practically none."""

from collections.abc import Callable, Sequence
from importlib.resources import files

import numpy as np

from covey.evaluation.significance import Posterior
from covey.reports.charts import NARROW, WIDE, Size
from covey.reports.markup import Safe, element
from covey.reports.scales import Axis, decimals

_POINTS = 121  # of a curve
_SHARE = 0.995  # of the probability that the drawing holds at least

Text = Callable[[float], str]


def posteriors(
    named: Sequence[tuple[str, Posterior]], key: str, x_label: str = "difference", sides: Sequence[str] = ()
) -> Safe:
    """A figure for each posterior, in a grid; `key` makes their ids unique on the page.

    `sides` says what the three probabilities mean, in words, from left to right.
    """
    figures = [
        element(
            "figure",
            element("figcaption", name),
            *(
                posterior_drawing(each, name, f"{key}-{n}-{size.name}", x_label, size)
                for size in (WIDE, NARROW)
            ),
            element("p", said(each, sides), class_="note"),
        )
        for n, (name, each) in enumerate(named)
    ]
    return element("div", *figures, class_="charts")


def posterior_file(posterior: Posterior, name: str, x_label: str = "difference") -> str:
    """One posterior as an SVG file that brings its colours along, for light and for dark pages."""
    drawing = posterior_drawing(posterior, name, "posterior", x_label, WIDE)
    style = element("style", Safe(files("covey.reports").joinpath("page.css").read_text("utf-8")))
    opened, rest = drawing.split(">", 1)
    return f'{opened} xmlns="http://www.w3.org/2000/svg">{style}{rest}\n'


def said(posterior: Posterior, sides: Sequence[str] = ()) -> str:
    """The three probabilities in a sentence."""
    names = sides or ("lower", f"within ±{posterior.rope:g}", "higher")
    shares = (posterior.worse, posterior.equal, posterior.better)
    return "; ".join(f"{name}: {probability(share)}" for name, share in zip(names, shares, strict=True)) + "."


def probability(value: float) -> str:
    """A probability to two digits; never 0 or 1 unless it is that to three more."""
    if value < 0.005:
        return "<0.01" if value > 5e-6 else "0"
    return f"{value:.2f}" if value <= 0.995 else ">0.99" if value < 1 - 5e-6 else "1"


def posterior_drawing(posterior: Posterior, name: str, key: str, x_label: str, size: Size) -> Safe:
    """One drawing: the density, the region of practical equivalence as a band, and what lies on either side."""
    x_axis, ticks = _x_axis(posterior, size)
    floor, top = size.height - 44, 30.0
    low, high = x_axis.place(-posterior.rope), x_axis.place(posterior.rope)
    parts = [
        element("title", name, id=f"{key}-t"),
        element("desc", f"{name}: {said(posterior)}", id=f"{key}-d"),
        element("path", d=_box(low, high, floor, top), class_="rope"),
        *_curve(posterior, x_axis, floor, top),
        element(
            "path", d=f"M{low:.1f} {floor:.1f}V{top:.1f}M{high:.1f} {floor:.1f}V{top:.1f}", class_="edge"
        ),
        element("path", d=f"M{x_axis.start:.1f} {floor:.1f}H{x_axis.end:.1f}", class_="floor"),
        *_ticks(x_axis, ticks, floor),
        *_shares(posterior, x_axis, (low, high)),
        element(
            "text",
            x_label,
            x=(x_axis.start + x_axis.end) / 2,
            y=size.height - 6,
            text_anchor="middle",
            class_="axis",
        ),
    ]
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {size.width:g} {size.height:g}",
        role="img",
        class_=f"chart {size.name} s0",
        aria_labelledby=f"{key}-t {key}-d",
    )


def _x_axis(posterior: Posterior, size: Size) -> tuple[Axis, list[float]]:
    """An axis that holds the region and nearly all of the probability."""
    left, right = posterior.interval(_SHARE) if posterior.scale > 0 else (posterior.mean, posterior.mean)
    left, right = min(left, -1.4 * posterior.rope), max(right, 1.4 * posterior.rope)
    axis = Axis(left, right, 14.0, size.width - 14)
    return axis, axis.ticks(size.x_ticks)


def _ticks(axis: Axis, ticks: Sequence[float], floor: float) -> list[Safe]:
    digits = decimals(ticks)
    drawn: list[Safe] = []
    for tick in ticks:
        x = axis.place(tick)
        drawn.append(element("path", d=f"M{x:.1f} {floor:.1f}v4", class_="floor"))
        drawn.append(element("text", f"{tick:.{digits}f}", x=x, y=floor + 18, text_anchor="middle"))
    return drawn


def _curve(posterior: Posterior, axis: Axis, floor: float, top: float) -> list[Safe]:
    """The density and the area below it; a single upright where everything is certain."""
    if posterior.scale <= 0:
        x = axis.place(posterior.mean)
        return [element("path", d=f"M{x:.1f} {floor:.1f}V{top + 8:.1f}", class_="line")]
    # Closer together around the peak, which may be narrow beside the region.
    far = np.linspace(axis.low, axis.high, _POINTS)
    near = posterior.mean + posterior.scale * np.linspace(-4, 4, _POINTS)
    at = np.unique(np.concatenate([far, near[(near > axis.low) & (near < axis.high)]]))
    height = posterior.density(at)
    y = floor - height / height.max() * (floor - top - 8)
    line = "L".join(f"{axis.place(float(a)):.1f} {b:.1f}" for a, b in zip(at, y, strict=True))
    return [
        element("path", d=f"M{axis.start:.1f} {floor:.1f}L{line}L{axis.end:.1f} {floor:.1f}Z", class_="area"),
        element("path", d=f"M{line}", class_="line"),
    ]


def _shares(posterior: Posterior, axis: Axis, rope: tuple[float, float]) -> list[Safe]:
    """The probabilities above their parts of the drawing, moved apart where the region is narrow."""
    middle = min(max((rope[0] + rope[1]) / 2, axis.start + 90), axis.end - 90)
    placed = (
        (posterior.worse, axis.start, "start"),
        (posterior.equal, middle, "middle"),
        (posterior.better, axis.end, "end"),
    )
    return [
        element("text", probability(share), x=x, y=18, text_anchor=anchor, class_="axis")
        for share, x, anchor in placed
    ]


def _box(left: float, right: float, floor: float, top: float) -> str:
    return f"M{left:.1f} {floor:.1f}V{top:.1f}H{right:.1f}V{floor:.1f}Z"
