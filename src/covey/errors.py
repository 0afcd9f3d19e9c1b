"""Everything that Covey raises on purpose.

CoveyError
├── BadInput            somebody can mend this: expected, got, remedy (the command line exits with 2)
│   ├── DataError       a file or a row; names the file, and the line where it knows it
│   ├── ConfigError     a key, a value, a name; offers the nearest known one
│   ├── SplitError      the data cannot be divided as asked
│   ├── DivergedError   training left the finite numbers; a smaller step helps
│   └── RunError        a run directory that cannot be used
├── MessageError        a message that is not what its schema says
├── AbandonedError      a round of secure aggregation that too few finished; nothing of it was revealed
└── PrivacyError        going on would let something private out; the round is lost, not the secret
"""

import difflib
from collections.abc import Iterable
from typing import Any


class CoveyError(Exception):
    """The root; catch it to catch all of the above."""


class BadInput(CoveyError):  # noqa: N818 - the root of the input's errors; each below it ends in Error
    """Input that its owner can mend."""


class DataError(BadInput):
    """A file or a row that cannot be read as what it should be."""


class ConfigError(BadInput):
    """A configuration that asks for something unknown or out of range."""


class SplitError(BadInput):
    """Data that cannot be split as asked."""


class DivergedError(BadInput):
    """A training whose numbers are no longer finite."""


class RunError(BadInput):
    """A run directory that cannot be used as asked."""


class MessageError(CoveyError):
    """A message that does not fit its schema."""


class AbandonedError(CoveyError):
    """A round that cannot be finished without revealing more than its sum."""

    def __init__(self, reason: str, rejected: tuple[Any, ...] = ()) -> None:
        super().__init__(reason)
        self.rejected = rejected  # messages that were thrown away on the way


class PrivacyError(CoveyError):
    """Something private was about to leave its device."""


def unknown(kind: str, got: str, known: Iterable[str]) -> ConfigError:
    """A ConfigError that names what was asked for and the nearest thing that exists."""
    names = sorted(known)
    near = difflib.get_close_matches(got, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    return ConfigError(f"unknown {kind} {got!r}; {hint}")
