"""What every benchmark prints beside its figures: the machine and how busy it was, and CPU seconds, not wall time.

These machines are shared. A ratio of CPU seconds measured side by side in one process holds when others are at
work; wall seconds do not.
"""

import os
import platform
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def machine() -> str:
    """The processor, the number of cores and the load of the last minute."""
    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(
            (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model
        )
    return f"{model}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.2f}"


class Clock:
    """CPU and wall seconds of a block."""

    cpu_s = 0.0
    wall_s = 0.0


@contextmanager
def clocked() -> Iterator[Clock]:
    """Measures the block."""
    clock, cpu, wall = Clock(), time.process_time(), time.perf_counter()
    yield clock
    clock.cpu_s, clock.wall_s = time.process_time() - cpu, time.perf_counter() - wall


def peak_gb() -> float:
    """The most memory that this process has held so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
