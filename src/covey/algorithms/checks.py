"""Range checks of configurations: expected, got, in one sentence."""

import math
from collections.abc import Sequence

from covey.errors import ConfigError, unknown


def one_of(name: str, got: str, known: Sequence[str]) -> None:
    """Raises unless `got` is one of the known names."""
    if got not in known:
        raise unknown(name, got, known)


def between(name: str, got: float, low: float, high: float) -> None:
    """Raises unless low <= got <= high."""
    if not low <= got <= high:
        raise ConfigError(f"{name} must be from {low:g} to {high:g}, got {got:g}")


def at_least(name: str, got: float, low: float) -> None:
    """Raises unless got >= low."""
    if not got >= low:
        raise ConfigError(f"{name} must be at least {low:g}, got {got:g}")


def positive(name: str, got: float) -> None:
    """Raises unless 0 < got < infinity."""
    if not (got > 0 and math.isfinite(got)):
        raise ConfigError(f"{name} must be above 0 and finite, got {got:g}")
