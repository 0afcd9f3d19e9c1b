"""A global round of FedGMF and FedNeuMF over everybody in ML-1M against a plain PyTorch loop, in one run.

    python benchmarks/fedncf_speed.py [--data ml-1m] [--plain-people 40]

Both sides do the same steps on the same instances in the same order; the script checks that they end at the same
weights before it compares their times. The plain loop is measured on an even sample of the people (by history
length) and scaled by instances; the kernel runs over everybody.
"""

import argparse

import numba as nb
import numpy as np
import torch
from common import clocked, machine
from plain_loop import PlainNCF, load, visit

import covey
from covey.algorithms.fedncf import FedNCF, FedNCFConfig, device_keys
from covey.algorithms.ncf_population import Crowd
from covey.models import draws, local


@nb.njit(nogil=True)
def batches_of(shape, recipe, keys, person, positives, item_count):
    """The instances that `train_person` draws and the order in which each epoch takes them."""
    room = len(positives) * (1 + recipe.negatives)
    slot, item, label = np.full(item_count, -1, np.int32), np.empty(room, np.int32), np.empty(room, np.float32)
    generator = np.zeros(1, np.uint64)
    draws.restart(generator, keys.negatives, person, 0)
    count = local.draw_instances(positives, recipe.negatives, slot, item, label, generator)
    draws.restart(generator, keys.batches, person, 0)
    items, labels = np.empty((recipe.local_epochs, count), np.int32), np.empty((recipe.local_epochs, count), np.float32)
    for epoch in range(recipe.local_epochs):
        local.shuffle(item, label, count, generator)
        items[epoch], labels[epoch] = item[:count], label[:count]
    return items, labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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
    algorithm = FedNCF(FedNCFConfig(model=model, batch_size=batch_size), train.item_count, seed=1)
    people = np.arange(train.people_count, dtype=np.int32)
    start, population = algorithm.initial_model(), algorithm.initial_population(train.people_count)
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
    largest_gap, plain_s = 0.0, 0.0
    for person, batches in zip(sample, prepared, strict=True):
        load(plain, torch.from_numpy(population.vectors[person : person + 1]), *arrays)
        with clocked() as clock:
            trained = visit(plain, batches, plan.recipe.learning_rate)
        plain_s += clock.cpu_s
        largest_gap = max(largest_gap, gap(trained, algorithm, plan, population, train, int(person)))
    instances = 1 + algorithm.config.negatives
    plain_us = plain_s * 1e6 * train.counts.mean() / train.counts[sample].mean() / plain_people

    crowd = Crowd(shape, plan.recipe, device_keys(1), train, workers=1)
    crowd.round(plan, population.vectors, people[:50])
    with clocked() as clock:
        crowd.round(plan, population.vectors, people)
    ours_us = clock.cpu_s * 1e6 / len(people)
    operations = train.counts.mean() * instances * plan.recipe.local_epochs * shape.training_operations()
    ratio = plain_us / ours_us
    print(
        f"{algorithm.title:9} batch {batch_size:3}: plain {plain_us / 1e3:7.2f} ms a person, kernel {ours_us:7.1f} us "
        f"({operations / ours_us / 1e3:.1f} GFLOP/s), {ratio:5.0f} times on one core "
        f"(wanted {wanted}); largest difference of a weight {largest_gap:.1e}",
        flush=True,
    )


def gap(trained: PlainNCF, algorithm: FedNCF, plan, population, train, person: int) -> float:
    """The largest difference between the plain model's item rows and the kernel's."""
    update, _ = algorithm.on_device(plan, population.state(person), train.of(person))
    rows = plan.items[update.rows] + update.item_deltas * 2.0**-24
    tables = [getattr(trained, name).weight for name in ("item_gmf", "item_mlp") if hasattr(trained, name)]
    theirs = torch.cat(tables, 1).detach().numpy()[update.rows]
    return float(np.abs(rows - theirs).max())


if __name__ == "__main__":
    main()
