"""`refuses`: what pytest.raises does, without pytest, so that contracts can be imported where it is not installed."""

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def refuses(*errors: type[Exception], saying: str = "") -> Generator[None]:
    """Fails unless the block raises one of these errors, with these words in its message."""
    said = None
    try:
        yield
    except errors as error:
        said = str(error)
    assert said is not None, f"expected {' or '.join(error.__name__ for error in errors)}, nothing was raised"
    assert saying in said, f"expected a message with {saying!r}, got {said!r}"
