"""Triples a second of FPL and of central BPR on one core, in CPU seconds.

    python benchmarks/fpl_speed.py [--data ml-1m] [--factors 20]

Sequential FPL is a round a triple, one person each: plan, visit, fixed point, server's step, ledger. It is measured
as a run does it, many rounds in a call, and for comparison round by round through the same engine; both end with the
same bits, which is checked first. Parallel FPL is rounds of everybody. Wanted: a million triples a second.
"""

import argparse

import numpy as np
from common import clocked, machine, peak_gb

import covey
from covey.algorithms.bpr_mf import BprMF, BprMFConfig
from covey.algorithms.fpl import FPL, FPLConfig
from covey.engines.inprocess import FederatedSession

WANTED = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="ml-1m")
    parser.add_argument("--factors", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=12, help="calls of 131,072 rounds that are measured")
    asked = parser.parse_args()
    train = covey.split(covey.load(asked.data), "temporal").train
    print(
        f"{asked.data}: {train.people_count:,} people, {train.item_count:,} items, {len(train):,} interactions, "
        f"{asked.factors} factors; {machine()}"
    )

    def session(**choices: float) -> FederatedSession:
        return FederatedSession(
            FPL(FPLConfig(factors=asked.factors, **choices), train.item_count, 1), train, workers=1
        )

    same_bits(session(people_per_round=1, disclose=0.5), session(people_per_round=1, disclose=0.5))
    for share in (0.0, 0.5, 1.0):
        sequential = session(people_per_round=1, disclose=share)
        sequential.advance_by(1000)
        before = sequential.round
        with clocked() as clock:
            for _ in range(asked.blocks):
                sequential.advance_by(10**9)
        told(f"sFPL, pi {share:g}", sequential.round - before, clock.cpu_s, WANTED)

    singly = session(people_per_round=1)
    singly.advance()
    with clocked() as clock:
        for _ in range(300):
            singly.advance()
    told("sFPL, a round a call", 300, clock.cpu_s)

    for triples in (1, 100):
        parallel = session(triples=triples)
        parallel.advance()
        rounds = 20 if triples == 1 else 3
        with clocked() as clock:
            for _ in range(rounds):
                parallel.advance()
        told(
            f"pFPL, {triples} triple{'s' * (triples > 1)} each",
            rounds * triples * train.people_count,
            clock.cpu_s,
        )

    central = BprMF(BprMFConfig(factors=asked.factors), train, 1)
    arrays = central.epoch(central.initial(), 0)
    with clocked() as clock:
        for number in range(1, 4):
            arrays = central.epoch(arrays, number)
    told("central BPR-MF", 3 * len(central.positives), clock.cpu_s, WANTED)
    print(f"peak {peak_gb():.2f} GB")


def same_bits(block: FederatedSession, singly: FederatedSession) -> None:
    """Stops unless 200 rounds in one call are the rounds one by one."""
    block.advance_by(200)
    for _ in range(200):
        singly.advance()
    vectors = block.population.vectors.tobytes() == singly.population.vectors.tobytes()
    items = np.array_equal(block.model.arrays["items"], singly.model.arrays["items"])
    if not (vectors and items and block.ledger.entries() == singly.ledger.entries()):
        raise SystemExit("rounds in one call differ from the rounds one by one")


def told(what: str, triples: int, cpu_s: float, wanted: int = 0) -> None:
    """Prints one line."""
    said = f" (wanted {wanted:,})" if wanted else ""
    print(
        f"{what:24} {triples / cpu_s:12,.0f} triples a CPU second{said}; "
        f"{cpu_s / triples * 1e6:8.3f} us a triple",
        flush=True,
    )


if __name__ == "__main__":
    main()
