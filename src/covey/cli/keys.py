"""The keys of an algorithm, as `covey train ALGORITHM --keys` shows them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from covey.cli import console

if TYPE_CHECKING:
    from covey.runs.keys import Key


def show_keys(algorithm: str) -> None:
    """Prints key, default and meaning: the algorithm's own first, then those of every run."""
    from covey.runs.command import plain
    from covey.runs.keys import algorithm_keys, run_keys

    own = algorithm_keys(algorithm)
    for title, keys in ((f"Keys of {algorithm}", own), ("Keys of every run", run_keys())):
        if not keys:
            console.tell(f"{title}: none")
            continue
        console.tell(f"{title}:")
        console.table(
            ["key", "default", "meaning"], [[key.name, plain(key.default), key.meaning] for key in keys], 3
        )
    console.tell(f"Set one with --set: covey train {algorithm} --data synthetic:town --set {_example(own)}")


def _example(keys: Sequence["Key"]) -> str:
    return next((f"{key.name}={key.default}" for key in keys if isinstance(key.default, int)), "k=5,10")
