"""Work on the items of a catalogue, shared out to threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_SHARES_A_WORKER = 8  # popular items cost more than others; small shares even that out


def in_shares(work: Callable[[int, int], None], count: int, workers: int) -> None:
    """Calls work(begin, end) for ranges that make up 0 to count, in so many threads."""
    share = max(1, count // (_SHARES_A_WORKER * workers))

    def one(begin: int) -> None:
        work(begin, min(begin + share, count))

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(one, range(0, count, share)))
