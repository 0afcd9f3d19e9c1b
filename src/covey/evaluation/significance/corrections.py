"""What becomes of p values when several are looked at."""

from collections.abc import Sequence

from covey.errors import ConfigError


def holm(ps: Sequence[float]) -> list[float]:
    """Adjusted p values, in the order given: reject those below 0.05, and at most one family in twenty errs.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none falls below one before it, none
    passes 1 (Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979).
    """
    wrong = [p for p in ps if not 0 <= p <= 1]
    if wrong:
        raise ConfigError(f"p values must be from 0 to 1, got {wrong[0]:g}")
    adjusted = [0.0] * len(ps)
    largest = 0.0
    for done, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min(1.0, (len(ps) - done) * ps[place]))
        adjusted[place] = largest
    return adjusted
