"""A global round of FedGMF over 1k, 10k, 100k and all 162,541 people of synthetic:ml-25m: CPU seconds and memory.

    python benchmarks/fedncf_scale.py [--data synthetic:ml-25m]

The catalogue stays whole at every size. Cost should grow with the interactions, so the last column should stay
flat; memory is the peak of the whole process, the making of the town and the split included.
"""

import argparse

from common import clocked, machine, peak_gb

import covey
from covey.algorithms.fedncf import FedNCF, FedNCFConfig
from covey.engines.inprocess import FederatedSession
from covey.splits.histories import Histories

SIZES = (1_000, 10_000, 100_000)


def first_people(histories: Histories, count: int) -> Histories:
    """The rows of the first `count` people (views), over the same catalogue."""
    end = int(histories.offsets[count])
    return Histories(
        histories.offsets[: count + 1], histories.item[:end], histories.value[:end], histories.time[:end],
        histories.item_count,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="synthetic:ml-25m")
    asked = parser.parse_args()
    with clocked() as clock:
        data = covey.load(asked.data)
    print(
        f"{machine()}\n{data}: made in {clock.cpu_s:.0f} CPU s ({clock.wall_s:.0f} s), peak {peak_gb():.2f} GB"
    )
    with clocked() as clock:
        train = covey.split(data).train
    del data
    print(f"split in {clock.cpu_s:.0f} CPU s, peak {peak_gb():.2f} GB", flush=True)
    FederatedSession(
        FedNCF(FedNCFConfig(people_per_round=100), train.item_count, 0), first_people(train, 100), 2
    ).advance()
    for count in (*(size for size in SIZES if size < train.people_count), train.people_count):
        measure(first_people(train, count))


def measure(train: Histories) -> None:
    """Prints one line: a global round over these people."""
    session = FederatedSession(
        FedNCF(FedNCFConfig(people_per_round=1000), train.item_count, seed=0), train, workers=2
    )
    with clocked() as clock:
        for _ in range(session.rounds_a_pass):
            session.advance()
    session.close()
    print(
        f"{train.people_count:>8,} people {len(train):>11,} interactions: {session.rounds_a_pass} rounds, "
        f"{clock.cpu_s:7.2f} CPU s ({clock.wall_s:.1f} s), {clock.cpu_s / train.people_count * 1e6:6.0f} us a person, "
        f"{clock.cpu_s / len(train) * 1e9:6.0f} ns an interaction, peak {peak_gb():.2f} GB",
        flush=True,
    )


if __name__ == "__main__":
    main()
