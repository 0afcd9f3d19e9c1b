"""What every test begins with: the differences of paired values, checked."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from covey.errors import ConfigError

Values = Sequence[float] | npt.NDArray[np.float64]


def differences(first: Values, second: Values) -> npt.NDArray[np.float64]:
    """First less second, place by place; ConfigError unless there are two pairs of finite numbers or more."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise ConfigError(
            f"a paired test needs as many values of one as of the other, got {_size(a)} and {_size(b)}; "
            "pair them by person or by repeat"
        )
    if len(a) < 2:
        raise ConfigError(f"a paired test needs at least 2 pairs of values, got {len(a)}; measure more")
    found = a - b
    if not np.isfinite(found).all():
        raise ConfigError(
            f"a paired test needs finite values, got {found[~np.isfinite(found)][0]} as a difference; "
            "leave out what was not measured"
        )
    return found


def spread(found: npt.NDArray[np.float64]) -> float:
    """Their sample standard deviation; exactly 0 where all are equal, whatever their sum rounds to."""
    return 0.0 if (found == found[0]).all() else float(found.std(ddof=1))


def _size(values: npt.NDArray[np.float64]) -> str:
    return "x".join(str(length) for length in values.shape) or "a single number"
