"""Numbers as people read them: no more digits than the number deserves, and a dash where there is none."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

MISSING = "—"
_PREFIXES = ("", "k", "M", "G", "T", "P", "E")


def finite(value: Any) -> float | None:
    """The value as a float, or None if it is missing, not a number or infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def count(value: Any) -> str:
    """A whole number with its thousands set apart: 12,345."""
    number = finite(value)
    return MISSING if number is None else f"{number:,.0f}"


def amount(value: Any) -> str:
    """A number that need not be whole, with at most two digits after the point: 12,345 or 2.5."""
    number = finite(value)
    return MISSING if number is None else trimmed(f"{number:,.2f}")


def trimmed(text: str) -> str:
    """The text of a number without the zeros that say nothing: 2.50 becomes 2.5."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def si(value: Any, unit: str) -> str:
    """A number with a decimal prefix and two or three significant digits: 1.2 MB, 34 kB, 560 B."""
    number = finite(value)
    if number is None:
        return MISSING
    # Round before the prefix is chosen, so that 999,700 reads 1 MB and never 1000 kB.
    rounded = _significant(number, 2 if _leading(number) < 10 else 3)
    power = min(int(math.log10(abs(rounded)) // 3), len(_PREFIXES) - 1) if abs(rounded) >= 1 else 0
    scaled = rounded / 1000**power
    return f"{trimmed(f'{scaled:.2f}' if abs(scaled) < 1 else f'{scaled:.1f}')} {_PREFIXES[power]}{unit}"


def bytes_(value: Any) -> str:
    """Bytes with a decimal prefix: 1.2 MB is 1,200,000 bytes."""
    return si(value, "B")


def flops(value: Any) -> str:
    """Floating-point operations with a decimal prefix: 3.4 MFLOP."""
    return si(value, "FLOP")


def seconds(value: Any) -> str:
    """A duration: <0.01 s, 0.42 s, 4.2 s, 42 s, 3 min 20 s, 2 h 5 min."""
    number = finite(value)
    if number is None:
        return MISSING
    if 0 < number < 0.01:
        return "<0.01 s"
    if number < 9.95:
        return f"{_significant(number, 2):g} s"
    whole = round(number)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(number / 60)
    return f"{minutes // 60:,} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60:,} h"


def metric(value: Any, standard_error: Any = None) -> str:
    """A metric, with its standard error where known, to the digits that the error leaves meaningful."""
    number, error = finite(value), finite(standard_error)
    if number is None:
        return MISSING
    if error is None or error <= 0:
        return f"{number:.3f}"
    decimals = _decimals(error)
    return f"{number:.{decimals}f} ± {error:.{decimals}f}"


def signed(value: Any, digits: int = 4) -> str:
    """A difference with its sign: +0.0123, −0.0045."""
    number = finite(value)
    if number is None:
        return MISSING
    text = f"{number:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")


def interval(low: Any, high: Any, digits: int = 4) -> str:
    """Both ends of an interval: −0.0012 to +0.0034."""
    return f"{signed(low, digits)} to {signed(high, digits)}"


def p_value(value: Any) -> str:
    """A p value to three digits: 0.012, <0.001."""
    number = finite(value)
    if number is None:
        return MISSING
    return "<0.001" if number < 0.001 else f"{number:.3f}"


def share(part: float, whole: float) -> str:
    """A part of a whole in percent; a part that is there is never shown as nothing."""
    if whole <= 0:
        return MISSING
    percent = 100 * part / whole
    return "<0.1%" if 0 < percent < 0.1 else f"{percent:.1f}%"


def value(thing: Any) -> str:
    """A configuration value as it is written on a command line: true, 0.05, gmf, 48,24,12."""
    if isinstance(thing, bool):
        return "true" if thing else "false"
    if isinstance(thing, float):
        return f"{thing:g}" if math.isclose(float(f"{thing:g}"), thing, rel_tol=0) else repr(thing)
    if isinstance(thing, Mapping):
        return ",".join(f"{key}={value(inner)}" for key, inner in thing.items())
    if isinstance(thing, Sequence) and not isinstance(thing, str):
        return ",".join(value(inner) for inner in thing)
    return str(thing)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else ""


def _leading(number: float) -> float:
    """The number without its thousands: between 1 and 1000, or below 1 as it is."""
    size = abs(number)
    while size >= 1000:
        size /= 1000
    return size


def _significant(number: float, digits: int) -> float:
    return float(f"{number:.{digits}g}")


def _decimals(error: float) -> int:
    """One digit of the error, two where the first is a 1; between two and five decimals."""
    exponent = math.floor(math.log10(error))
    first = int(error / 10.0**exponent)
    return max(2, min(5, -exponent + (first == 1)))
