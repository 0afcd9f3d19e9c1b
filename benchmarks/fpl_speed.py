"""Triples a second of FPL and of central BPR on one core, in CPU seconds.

    python benchmarks/fpl_speed.py [--data ml-1m] [--factors 20]

Sequential FPL is a round a triple, one person each: plan, visit, fixed point, server's step, ledger. It is measured
as a run does it, many rounds in a call, and for comparison round by round through the same engine; both end with the
same bits, which is checked first. Parallel FPL is rounds of everybody. Wanted: a million triples a second. At the end
central BPR at 64 factors beside that of the `implicit` library (an extra), both on one thread.
"""

import argparse

import numpy as np
from common import clocked, machine, peak_gb
from scipy.sparse import csr_matrix

import covey
from covey.algorithms.bpr_mf import BprMF, BprMFConfig
from covey.algorithms.fpl import FPL, FPLConfig
from covey.engines.inprocess import FederatedSession
from covey.splits.histories import Histories

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

    central(train, asked.factors, WANTED)
    central(train, 64)
    library(train, 64)
    print(f"peak {peak_gb():.2f} GB")


def central(train: Histories, factors: int, wanted: int = 0) -> None:
    """Prints a line: epochs of central BPR."""
    model = BprMF(BprMFConfig(factors=factors), train, 1)
    arrays = model.epoch(model.initial(), 0)
    with clocked() as clock:
        for number in range(1, 4):
            arrays = model.epoch(arrays, number)
    told(f"central BPR-MF, {factors}", 3 * len(model.positives), clock.cpu_s, wanted)


def library(train: Histories, factors: int) -> None:
    """Prints a line: as many epochs of `implicit`'s BPR, which draws negatives by popularity."""
    try:
        from implicit.cpu.bpr import BayesianPersonalizedRanking
    except ImportError:
        print("implicit's BPR is not measured: pip install 'covey[implicit]'")
        return
    shape = (train.people_count, train.item_count)
    matrix = csr_matrix((np.ones(len(train), np.float32), train.item, train.offsets), shape)
    with clocked() as nothing:
        BayesianPersonalizedRanking(factors=factors, iterations=0, num_threads=1).fit(
            matrix, show_progress=False
        )
    with clocked() as clock:
        BayesianPersonalizedRanking(factors=factors, iterations=3, num_threads=1).fit(
            matrix, show_progress=False
        )
    told(f"implicit's BPR, {factors}", 3 * len(train), clock.cpu_s - nothing.cpu_s)


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
