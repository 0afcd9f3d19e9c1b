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
        raise ConfigError(f"{name} must be from {_plain(low)} to {_plain(high)}, got {_plain(got)}")


def at_least(name: str, got: float, low: float) -> None:
    """Raises unless got >= low."""
    if not got >= low:
        raise ConfigError(f"{name} must be at least {_plain(low)}, got {_plain(got)}")


def positive(name: str, got: float) -> None:
    """Raises unless 0 < got < infinity."""
    if not (got > 0 and math.isfinite(got)):
        raise ConfigError(f"{name} must be above 0 and finite, got {got:g}")


def share_or_count(name: str, got: float) -> None:
    """Raises unless `got` is a share below 1, a whole count of at least 1, or 0 for everybody."""
    if got == 0:
        return
    positive(name, got)
    if got > 1 and got != int(got):
        raise ConfigError(f"{name} must be a share below 1 or a whole count, got {got:g}")


def _plain(number: float) -> str:
    """Whole numbers with all their digits."""
    return str(number) if isinstance(number, int) else f"{number:g}"
