"""Everybody's round of FCF over 1k, 10k, 100k and all 162,541 people of synthetic:ml-25m: CPU seconds and memory.

    python benchmarks/fcf_scale.py [--data synthetic:ml-25m] [--factors 32]

The catalogue stays whole at every size. Cost should grow with the interactions, so the last column but one should
fall towards a constant: what a person costs beside the interactions, solving for the own factors and sending x x',
weighs the same for all. Memory is the peak of the whole process, the making of the town and the split included.
"""

import argparse

from common import clocked, machine, peak_gb
from fedncf_scale import SIZES, first_people

import covey
from covey.algorithms.fcf import FCF, FCFConfig
from covey.engines.inprocess import FederatedSession
from covey.splits.histories import Histories


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="synthetic:ml-25m")
    parser.add_argument("--factors", type=int, default=32)
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
    measure(first_people(train, 100), asked.factors, "compiled with")
    for count in (*(size for size in SIZES if size < train.people_count), train.people_count):
        measure(first_people(train, count), asked.factors, "")


def measure(train: Histories, factors: int, said_before: str) -> None:
    """Prints one line: a round with all of these people."""
    session = FederatedSession(FCF(FCFConfig(factors=factors), train.item_count, seed=0), train, workers=2)
    with clocked() as clock:
        session.advance()
    session.close()
    print(
        f"{said_before}{train.people_count:>8,} people {len(train):>11,} interactions: "
        f"{clock.cpu_s:6.2f} CPU s ({clock.wall_s:.1f} s), {clock.cpu_s / train.people_count * 1e6:5.0f} us a person, "
        f"{clock.cpu_s / len(train) * 1e9:5.0f} ns an interaction, peak {peak_gb():.2f} GB",
        flush=True,
    )


if __name__ == "__main__":
    main()
