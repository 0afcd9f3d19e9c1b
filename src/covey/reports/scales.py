"""From values to places on a page: axes, and the few round numbers that label them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 5.0)
_LOG_STEPS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
_TINY = 1e-290


@dataclass(frozen=True)
class Axis:
    """A range of values laid over a range of places; `low < high`, and above zero where it is logarithmic."""

    low: float
    high: float
    start: float  # where `low` lies, in pixels
    end: float  # where `high` lies
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value lies, in pixels; a value outside the range lies on its nearer edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            # Halved, so that the whole range of floats has a finite span.
            part = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return self.start + part * (self.end - self.start)

    def ticks(self, at_most: int) -> list[float]:
        """The round numbers that label this axis."""
        return (log_ticks if self.log else linear_ticks)(self.low, self.high, at_most)


def linear_range(values: Sequence[float], pad: float = 0.06) -> tuple[float, float]:
    """A range around the values with some air; it never crosses 0 or 1 where no value does."""
    low, high = min(values), max(values)
    air = (high - low) * pad or abs(high) * 0.1 or 0.5
    padded_low = max(low - air, 0.0) if low >= 0 else low - air
    padded_high = min(high + air, 1.0) if high <= 1 else high + air
    # Everything at 1 (or a float too large to move by its air) still needs a span.
    return (padded_low, padded_high) if padded_low < padded_high else (low - 0.5, high + 0.5)


def log_range(values: Sequence[float]) -> tuple[float, float]:
    """A range around positive values with the same air on both sides, in ratio."""
    low, high = min(values), max(values)
    air = max((high / low) ** 0.05, 1.1)
    return low / air, high * air


def linear_ticks(low: float, high: float, at_most: int) -> list[float]:
    """At most that many multiples of 1, 2 or 5 times a power of ten within the range, sorted."""
    span = high - low
    # Below the second bound a step would sink among the floats that have lost their digits.
    if not _TINY < span < math.inf or at_most < 1:
        return []
    exponent = math.floor(math.log10(span / max(at_most, 2)))
    # Three decades are always enough: a step of the last one is longer than the whole range.
    for power in (exponent, exponent + 1, exponent + 2):
        for step in (factor * 10.0**power for factor in _STEPS):
            first, last = math.ceil(low / step), math.floor(high / step)
            if last - first < at_most:
                # Rounded to the step's own digit, so that 3 * 0.1 is 0.3; filtered, as that may step outside.
                rounded = {round(k * step, -power) + 0.0 for k in range(first, last + 1)}
                return sorted(tick for tick in rounded if low <= tick <= high)
    return []


def log_ticks(low: float, high: float, at_most: int) -> list[float]:
    """At most that many round numbers in a positive range: 1-2-5, 1-3 or 1 a decade, or plain multiples."""
    if not 0 < low < high < math.inf or at_most < 1:
        return []
    powers = range(max(math.floor(math.log10(low)), -300), min(math.ceil(math.log10(high)), 300) + 1)
    for factors in _LOG_STEPS:
        ticks = [tick for power in powers for f in factors if low <= (tick := f * 10.0**power) <= high]
        if 2 <= len(ticks) <= at_most:
            return ticks
    decades = [10.0**power for power in powers if low <= 10.0**power <= high]
    # Many decades: every second one, or every third; within one decade a log axis is nearly a plain one.
    return (
        decades[:: math.ceil(len(decades) / at_most)]
        if len(decades) > 2
        else linear_ticks(low, high, at_most)
    )


def decimals(ticks: Sequence[float], at_most: int = 6) -> int:
    """The digits after the point that tell these ticks apart exactly."""
    return next((d for d in range(at_most) if all(abs(round(t, d) - t) < 1e-9 for t in ticks)), at_most)
