"""What holds for every test: no stale kernels, readable contract failures, examples in numbers that a laptop likes."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

import covey

_HOME = Path(covey.__file__).parent
_KERNELS = ("models", "messages", "aggregation", "algorithms", "evaluation", "datasets")


def _drop_stale_kernels() -> None:
    """Removes compiled kernels older than any kernel's source: numba misses edits of kernels that others call."""
    newest = max(source.stat().st_mtime for room in _KERNELS for source in (_HOME / room).rglob("*.py"))
    for compiled in (*_HOME.rglob("*.nbi"), *_HOME.rglob("*.nbc")):
        try:
            if compiled.stat().st_mtime < newest:
                compiled.unlink()
        except FileNotFoundError:
            pass  # another test process was faster


_drop_stale_kernels()
pytest.register_assert_rewrite("covey.testing")

# No deadline: the first call of a kernel compiles it.
settings.register_profile("here", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
