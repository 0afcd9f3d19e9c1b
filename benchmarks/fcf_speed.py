"""Seconds of FCF's round with everybody and of the `implicit` library's ALS epoch on ML-1M, in one run, in turn.

    python benchmarks/fcf_speed.py [--data ml-1m] [--factors 64] [--epochs 6]

A round is everything that a federation does in it: closed-form factors at home, gradients in fixed point, their sums,
and the server's preconditioned step. An epoch of the library solves everybody's rows and then the items', by its
default of three conjugate gradient steps and exactly; it is called at its solver, without what its `fit` does once.
Each figure is the best of the epochs, on one thread in CPU seconds and on two in seconds of the wall clock; the
server's step is printed too. Needs the extra `implicit`.
"""

import argparse
import warnings

import numpy as np
from common import clocked, machine
from scipy import sparse
from threadpoolctl import threadpool_limits

import covey
from covey.algorithms.fcf import FCF, FCFConfig

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
        for threads in (1, 2):
            compare(train, asked.factors, threads, asked.epochs)
    print(machine())


def compare(train, factors: int, threads: int, epochs: int) -> None:
    """Prints one line: the best round of FCF, the best epochs of the library's two solvers, and the ratios."""
    config = FCFConfig(factors=factors, alpha=ALPHA, regularization=REGULARIZATION, scaling=0.0)
    ours = FCF(config, train.item_count, seed=1)
    people = np.arange(train.people_count, dtype=np.int32)
    model, population = ours.initial_model(len(people)), ours.initial_population(len(people))
    crowd = ours.population(train, threads)
    crowd.round(ours.plan(model), population.vectors, people[:50])  # compiles
    weights = np.full(len(train), 1 + ALPHA, np.float32)
    shape = train.people_count, train.item_count
    by_person = sparse.csr_matrix((weights, train.item, train.offsets), shape=shape)
    by_item = by_person.T.tocsr()
    libraries = {name: library(factors, steps, threads) for name, steps in (("3 steps", 3), ("exact", 0))}
    tables = {
        name: (np.zeros((shape[0], factors), np.float32), model.arrays["items"].copy()) for name in libraries
    }
    clocks = {name: [] for name in ("round", "step", *libraries)}
    for _ in range(epochs):
        with clocked() as visits:
            total, vectors, _, _ = crowd.round(ours.plan(model), population.vectors, people)
        population.keep(people, vectors)
        with clocked() as step:
            model = ours.step(model, total)
        clocks["round"].append((visits.cpu_s + step.cpu_s, visits.wall_s + step.wall_s))
        clocks["step"].append((step.cpu_s, step.wall_s))
        for name, theirs in libraries.items():
            users, items = tables[name]
            with clocked() as clock:
                theirs.solver(by_person, users, items, REGULARIZATION, num_threads=threads)
                theirs.solver(by_item, items, users, REGULARIZATION, num_threads=threads)
            clocks[name].append((clock.cpu_s, clock.wall_s))
    crowd.close()
    cpu, wall = ({name: min(each[k] for each in taken) for name, taken in clocks.items()} for k in (0, 1))
    for unit, best in (("CPU", cpu), ("wall", wall)):
        against = ", ".join(
            f"implicit {name} {best[name]:.3f} s (ratio {best['round'] / best[name]:.2f})"
            for name in libraries
        )
        print(
            f"{threads} thread{'s' if threads > 1 else ' '} {unit:4}: "
            f"a round {best['round']:.3f} s, of it the server {best['step']:.3f} s; {against}",
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


if __name__ == "__main__":
    main()
