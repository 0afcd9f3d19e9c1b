"""Seconds an epoch of our iALS and of the `implicit` library's ALS on ML-1M, in one run, epoch by epoch in turn.

    python benchmarks/yardsticks_speed.py [--data ml-1m] [--factors 64] [--epochs 6]

Both sides solve the items' rows and then the people's, from the same start, with three conjugate gradient steps a
row and exactly, on one thread in CPU seconds and on two in seconds of the wall clock; each figure is the best epoch.
The library is called at its solver, without what its `fit` does once. Both losses at the end are printed: equal
losses say that the same work was done. Needs the extra `implicit`.
"""

import argparse
import warnings

import numpy as np
from common import clocked, machine
from scipy import sparse
from threadpoolctl import threadpool_limits

import covey
from covey.algorithms.ials import IALS, IALSConfig

ALPHA, REGULARIZATION = 5.0, 60.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="ml-1m")
    parser.add_argument("--factors", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=6)
    asked = parser.parse_args()
    train = covey.split(covey.load(asked.data)).train
    print(f"{asked.data}: {len(train):,} rows, {asked.factors} factors; {machine()}")
    # The libraries' matrix products would otherwise start threads of their own beside the solvers'.
    with threadpool_limits(1):
        for steps in (3, 0):
            for threads in (1, 2):
                compare(train, asked.factors, steps, threads, asked.epochs)
    print(machine())


def compare(train, factors: int, steps: int, threads: int, epochs: int) -> None:
    """Prints one line: the best epoch of each side and their ratio."""
    config = IALSConfig(
        factors=factors, alpha=ALPHA, regularization=REGULARIZATION, solver_steps=steps, rounds=epochs
    )
    ours = IALS(config, train, seed=1, workers=threads)
    arrays = dict(ours.initial())
    ours.epoch(arrays, 0)  # compiles
    theirs = library(factors, steps, threads)
    weights = np.full(len(train), 1 + ALPHA, np.float32)
    shape = train.people_count, train.item_count
    by_person = sparse.csr_matrix((weights, train.item, train.offsets), shape=shape)
    by_item = by_person.T.tocsr()
    users, items = arrays["users"].copy(), arrays["items"].copy()
    clocks = [], []
    for number in range(epochs):
        with clocked() as clock:
            arrays = dict(ours.epoch(arrays, number))
        clocks[0].append(clock)
        with clocked() as clock:
            theirs.solver(by_item, items, users, REGULARIZATION, num_threads=threads)
            theirs.solver(by_person, users, items, REGULARIZATION, num_threads=threads)
        clocks[1].append(clock)
    unit = "cpu_s" if threads == 1 else "wall_s"
    ours_s, theirs_s = (min(getattr(clock, unit) for clock in each) for each in clocks)
    losses = loss(by_person, arrays["users"], arrays["items"]), loss(by_person, users, items)
    print(
        f"{'exact' if steps == 0 else f'{steps} steps':7} {threads} thread{'s' if threads > 1 else ' '} "
        f"({'CPU' if threads == 1 else 'wall'}): ours {ours_s:.3f} s an epoch, implicit {theirs_s:.3f} s, "
        f"ratio {ours_s / theirs_s:.2f}; loss after {epochs} epochs {losses[0]:.0f} and {losses[1]:.0f}",
        flush=True,
    )


def library(factors: int, steps: int, threads: int):
    """The library's model, from which its solver is taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from implicit.cpu.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(
            factors=factors, regularization=REGULARIZATION, use_cg=steps > 0, num_threads=threads
        )
    model.cg_steps = steps
    return model


def loss(by_person, users: np.ndarray, items: np.ndarray) -> float:
    """The whole loss that both sides minimise."""
    users, items = users.astype(float), items.astype(float)
    of_all = float(((users.T @ users) * (items.T @ items)).sum())
    person = np.repeat(np.arange(len(users)), np.diff(by_person.indptr))
    scores = np.einsum("rf,rf->r", users[person], items[by_person.indices])
    of_own = float(((1 + ALPHA) * (1 - scores) ** 2 - scores**2).sum())
    return of_all + of_own + REGULARIZATION * float((users**2).sum() + (items**2).sum())


if __name__ == "__main__":
    main()
