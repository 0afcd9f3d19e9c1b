"""A comparison that several tests look at, made once."""

import pytest
from small_comparisons import compared

from covey.comparing import Comparison


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Three entries, two repeats. Not to be written to."""
    return compared(tmp_path_factory.mktemp("compared") / "whole")
