"""Runs as lines on a chart: which points, which style, what the axes say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from covey.reports import facts, units
from covey.reports.facts import RunFiles

Point = tuple[float, float]

_MOST_POINTS = 240


@dataclass(frozen=True)
class Series:
    """One line's finite points, in order of x; a level is one value that holds over the whole width."""

    title: str
    style: int
    solid: bool  # a federated run, or an attack with the message; broken: a central run, or a baseline
    points: tuple[Point, ...]
    level: float | None = None  # where a central run ended, to be drawn on as a reference
    scattered: bool = False  # every point a mark, and no line between them
    band: tuple[tuple[float, float, float], ...] = ()  # x, low, high: how uncertain the line is


@dataclass(frozen=True)
class Chart:
    """What a chart says, before any pixel."""

    name: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_text: Callable[[float], str]
    log_x: bool = False

    @property
    def described(self) -> str:
        """The chart in words, for those who do not see it."""
        ends = [f"{line.title}: {_ending(self, line)}" for line in self.series]
        return f"{self.name}. {'; '.join(ends)}." if ends else f"{self.name}. Nothing to draw."


def _ending(chart: Chart, line: Series) -> str:
    if line.level is not None:
        return f"{units.metric(line.level)} at its end (central)"
    x, y = line.points[-1]
    return f"{units.metric(y)} at {chart.x_text(x)}"


def convergence(runs: Sequence[RunFiles], metric: str) -> Chart:
    """A metric against passes over everybody; a central run goes on as a reference after its end."""
    series = [_converging(run, style, metric) for style, run in enumerate(runs)]
    name = facts.label(metric)
    title = f"{name} against global rounds"
    return Chart(title, "global rounds (passes over everybody)", name, _drawable(series), units.amount)


def against_bytes(runs: Sequence[RunFiles], metric: str) -> Chart:
    """A metric against the mean bytes a person had sent by then; a central run is a level."""
    series = [_costing(run, style, metric) for style, run in enumerate(runs)]
    name = facts.label(metric)
    title = f"{name} against bytes sent"
    return Chart(title, "sent a person so far (log scale)", name, _drawable(series), units.bytes_, log_x=True)


def _converging(run: RunFiles, style: int, metric: str) -> Series:
    passes = facts.column_values(run, "global_round") or facts.column_values(run, "round")
    points = _points(passes, facts.column_values(run, metric))
    level = None if run.federated else facts.final(run, metric)
    # A single central point is its level already; a single federated one is all that is known.
    return Series(run.title, style, run.federated, points if run.federated or len(points) > 1 else (), level)


def _costing(run: RunFiles, style: int, metric: str) -> Series:
    if not run.federated:
        return Series(run.title, style, False, (), facts.final(run, metric))
    points = _points(facts.column_values(run, "upload_bytes"), facts.column_values(run, metric))
    return Series(run.title, style, True, tuple((x, y) for x, y in points if x > 0))


def _drawable(series: Sequence[Series]) -> tuple[Series, ...]:
    return tuple(line for line in series if line.points or line.level is not None)


def _points(xs: Sequence[float | None], ys: Sequence[float | None]) -> tuple[Point, ...]:
    """The points that have both numbers, in order of x, thinned."""
    finite = [(x, y) for x, y in zip(xs, ys, strict=False) if x is not None and y is not None]
    return thinned(sorted(finite), _MOST_POINTS)


def thinned(points: Sequence[Point], at_most: int) -> tuple[Point, ...]:
    """At most that many points: the ends, and of each stretch between them its lowest and highest."""
    if len(points) <= at_most:
        return tuple(points)
    inner = points[1:-1]
    stretches = (at_most - 2) // 2
    kept: list[Point] = []
    for i in range(stretches):
        stretch = inner[i * len(inner) // stretches : (i + 1) * len(inner) // stretches]
        # Extremes, not every tenth point: a collapse of one round must not vanish from the picture.
        kept += sorted({min(stretch, key=_height), max(stretch, key=_height)})
    return (points[0], *kept, points[-1])


def _height(point: Point) -> float:
    return point[1]
