"""A global round of FedGMF and FedNeuMF over everybody in ML-1M against a plain PyTorch loop, in one run.

    python benchmarks/fedncf_speed.py [--data ml-1m] [--plain-people 40]

Both sides do the same steps (the paper's: Adam, two epochs) on the same instances in the same order, and the script
prints how far their weights end apart. The plain loop is measured on an even sample of the people (by history
length) and scaled by interactions. Both sides draw their negatives and put their batches in order within the time that
is measured, the plain loop with numpy; to end at comparable weights it then trains on the kernel's draws. The kernel
runs over everybody: on one core in CPU seconds, and as the engine runs a round, on two threads, in seconds
of the wall clock on both sides.
"""

import argparse

import numba as nb
import numpy as np
import torch
from common import clocked, machine
from plain_loop import PlainNCF, draw, load, visit

import covey
from covey.algorithms.fedncf import FedNCF, FedNCFConfig, device_keys
from covey.models import draws, local


@nb.njit(nogil=True)
def batches_of(shape, recipe, keys, person, positives, item_count):
    """The instances that `train_person` draws and the order in which each epoch takes them."""
    room = len(positives) * (1 + recipe.negatives)
    slot, item, label = (
        np.full(item_count, -1, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.float32),
    )
    generator = np.zeros(1, np.uint64)
    draws.restart(generator, keys.negatives, person, 0)
    count = local.draw_instances(positives, recipe.negatives, slot, item, label, generator)
    draws.restart(generator, keys.batches, person, 0)
    items, labels = (
        np.empty((recipe.local_epochs, count), np.int32),
        np.empty((recipe.local_epochs, count), np.float32),
    )
    for epoch in range(recipe.local_epochs):
        local.shuffle(item, label, count, generator)
        items[epoch], labels[epoch] = item[:count], label[:count]
    return items, labels


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="ml-1m")
    parser.add_argument("--plain-people", type=int, default=40)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    train = covey.split(covey.load(asked.data)).train
    print(f"{asked.data}: {train.people_count:,} people; {machine()}")
    for model, wanted in (("gmf", 100), ("neumf", 30)):
        for batch_size in (64, 256):
            compare(train, model, batch_size, asked.plain_people, wanted)


def compare(train, model: str, batch_size: int, plain_people: int, wanted: int) -> None:
    """Prints one line: both sides' microseconds a person and their ratio."""
    config = FedNCFConfig(model=model, batch_size=batch_size, optimizer="adam", local_epochs=2)
    algorithm = FedNCF(config, train.item_count, seed=1)
    people = np.arange(train.people_count, dtype=np.int32)
    start, population = (
        algorithm.initial_model(train.people_count),
        algorithm.initial_population(train.people_count),
    )
    plan, shape = algorithm.plan(start), algorithm.shape
    by_length = people[np.argsort(train.counts, kind="stable")]
    sample = by_length[np.linspace(0, len(people) - 1, plain_people).astype(int)]

    plain = PlainNCF(train.item_count, shape.gmf_factors, shape.mlp_factors, algorithm.config.hidden)
    prepared = []
    for person in sample:
        mine = train.of(person).item
        items, labels = batches_of(shape, plan.recipe, device_keys(1), person, mine, train.item_count)
        cut = range(batch_size, items.shape[1], batch_size)
        prepared.append(
            [
                (torch.from_numpy(item).long(), torch.from_numpy(label))
                for epoch in range(len(items))
                for item, label in zip(np.split(items[epoch], cut), np.split(labels[epoch], cut), strict=True)
            ]
        )
    arrays = torch.from_numpy(plan.items), torch.from_numpy(plan.network)
    load(plain, torch.from_numpy(population.vectors[:1]), *arrays)
    visit(plain, prepared[0], plan.recipe.learning_rate)
    largest_gap, plain_s, plain_wall_s, drawing_s = 0.0, 0.0, 0.0, 0.0
    for person, batches in zip(sample, prepared, strict=True):
        load(plain, torch.from_numpy(population.vectors[person : person + 1]), *arrays)
        mine = train.of(person).item
        with clocked() as drawing:
            draw(mine, train.item_count, config.negatives, config.local_epochs, batch_size, int(person))
        with clocked() as clock:
            trained = visit(plain, batches, plan.recipe.learning_rate)
        drawing_s += drawing.cpu_s
        plain_s += clock.cpu_s + drawing.cpu_s
        plain_wall_s += clock.wall_s + drawing.wall_s
        largest_gap = max(largest_gap, gap(trained, algorithm, plan, population, train, int(person)))
    scale = 1e6 * train.counts.mean() / train.counts[sample].mean() / plain_people
    ours = {workers: round_of(algorithm, train, workers) for workers in (1, 2)}
    instances = train.counts.mean() * (1 + config.negatives) * config.local_epochs
    ours_us, ours_wall_us = ours[1][0], ours[2][1]
    print(
        f"{algorithm.title:9} batch {batch_size:3}: plain {plain_s * scale / 1e3:6.2f} ms a person ({drawing_s * scale / 1e3:.2f} of it drawing), "
        f"kernel {ours_us:6.1f} us ({instances * shape.training_operations() / ours_us / 1e3:.1f} GFLOP/s), "
        f"{plain_s * scale / ours_us:4.0f} times on one core; a round on two threads {ours_wall_us:6.1f} us a person, "
        f"{plain_wall_s * scale / ours_wall_us:4.0f} times (wanted {wanted}); weights differ by {largest_gap:.0e}",
        flush=True,
    )


def round_of(algorithm: FedNCF, train, workers: int) -> tuple[float, float]:
    """CPU and wall microseconds a person of a round over everybody: the better of two."""
    people = np.arange(train.people_count, dtype=np.int32)
    plan, population = (
        algorithm.plan(algorithm.initial_model(len(people))),
        algorithm.initial_population(len(people)),
    )
    crowd = algorithm.population(train, workers)
    crowd.round(plan, population.vectors, people[:50])
    clocks = []
    for _ in range(2):
        with clocked() as clock:
            crowd.round(plan, population.vectors, people)
        clocks.append(clock)
    crowd.close()
    return min(c.cpu_s for c in clocks) * 1e6 / len(people), min(c.wall_s for c in clocks) * 1e6 / len(people)


def gap(trained: PlainNCF, algorithm: FedNCF, plan, population, train, person: int) -> float:
    """The largest difference between the plain model's item rows and the kernel's."""
    update, _ = algorithm.on_device(plan, population.state(person), train.of(person))
    rows = plan.items[update.rows] + update.item_values * 2.0**-24
    tables = [getattr(trained, name).weight for name in ("item_gmf", "item_mlp") if hasattr(trained, name)]
    theirs = torch.cat(tables, 1).detach().numpy()[update.rows]
    return float(np.abs(rows - theirs).max())


if __name__ == "__main__":
    main()
