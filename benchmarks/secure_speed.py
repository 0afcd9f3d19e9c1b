"""Milliseconds and bytes of secure aggregation at the sizes of the FedNCF paper, on one core, in CPU time.

    python benchmarks/secure_speed.py [--quick]

First masking as table 8 has it: making the masks and adding them, with everybody as neighbours and with a sparse graph (a
tenth may drop out, a twentieth work with the server). Then whole rounds, step by step, with the bytes of every message.
Then a server that takes the masks off for 1,000 people of whom 100 dropped out. At the end the same sum with the functions
of Flower's SecAgg+, where flwr is installed (pip install flwr; Covey does not need it), on values of the width that those
functions take.
"""

import argparse
import os
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from common import machine, peak_gb

from covey.aggregation.secure.cost import (
    FACTORS,
    HIDDEN,
    PAPER_SIZES,
    PaperSize,
    cpu_seconds,
    layout_of,
    masking_seconds,
    random_update,
    round_cost,
)
from covey.aggregation.secure.hazmat import shamir
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.masks import add_masks
from covey.aggregation.secure.run import PHASES
from covey.aggregation.secure.terms import FULL, Settings, terms_for
from covey.messages.updates import TrainingPlan
from covey.models.local import Recipe
from covey.models.ncf import shape_of

Array = npt.NDArray[np.int64]
Keys = list[bytes]
EVERYBODY = Settings(neighbours=FULL)
SPARSE = Settings(dropped=0.1, corrupt=0.05)
USUAL = Settings()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="masking alone")
    asked = parser.parse_args()
    print(machine())
    masking()
    if not asked.quick:
        rounds()
        unmasking()
    flower()
    print(f"peak {peak_gb():.2f} GB; {machine()}")


def masking() -> None:
    """Prints table 8: a line a dataset and model."""
    print("\nmaking and adding masks, ms a person a round")
    print(
        f"{'':16}{'model':>7}{'people':>8}{'bytes':>11}{'full':>8}{'GB/s':>6}{'wanted':>8}{'k':>5}{'sparse':>8}{'part':>6}"
    )
    for size in PAPER_SIZES:
        for model, wanted in (("gmf", size.gmf_ms), ("neumf", size.neumf_ms)):
            layout = layout_of(model, size.items, size.people)
            degree = terms_for(SPARSE, size.people).neighbours or size.people - 1
            full, sparse = masking_seconds(layout, size.people), masking_seconds(layout, degree + 1)
            print(
                f"{size.data:16}{model:>7}{size.people:8}{layout.byte_count:11,}{1e3 * full:8.2f}"
                f"{size.people * layout.byte_count / full / 1e9:6.1f}{wanted:8}{degree:5}{1e3 * sparse:8.2f}"
                f"{sparse / full:6.0%}",
                flush=True,
            )


def rounds() -> None:
    """Prints what each step of a round costs a person and the server, and its bytes."""
    for size in PAPER_SIZES:
        for model in ("gmf", "neumf"):
            for name, settings in (("everybody", EVERYBODY), ("sparse", SPARSE)):
                one_round(size, model, name, settings)


def one_round(size: PaperSize, model: str, name: str, settings: Settings) -> None:
    """Prints one round."""
    plan = plan_of(model, size.items)
    updates = {person: random_update(plan, 500) for person in range(size.people)}
    cost = round_cost(plan, updates, settings)
    terms = terms_for(settings, size.people)
    print(
        f"\n{size.data}, {model}, {size.people} people, {name}: {terms.neighbours or size.people - 1} neighbours, "
        f"{terms.shares} shares; key agreement for masks {1e3 * cost.agreement_s / size.people:.2f} ms a person"
    )
    print(f"{'':14}{'ms a person':>12}{'ms server':>11}{'bytes down':>12}{'bytes up':>12}")
    for phase in PHASES:
        print(
            f"{phase:14}{1e3 * cost.home_s[phase] / size.people:12.2f}{1e3 * cost.server_s[phase]:11.1f}"
            f"{cost.bytes[phase, 'down'] // size.people:12,}{cost.bytes[phase, 'up'] // size.people:12,}",
            flush=True,
        )


def unmasking() -> None:
    """Prints how long a server takes for 1,000 people of whom 100 dropped out."""
    plan = TrainingPlan(
        0,
        "per-item",
        Recipe(4, 1, 64, 0.001, True),
        np.zeros((3706, 12), np.float32),
        np.zeros(13, np.float32),
    )
    update = random_update(plan, 500)
    for settings in (SPARSE, USUAL):
        cost = round_cost(plan, dict.fromkeys(range(1000), update), settings, missing=range(0, 1000, 10))
        degree = terms_for(settings, 1000).neighbours
        print(
            f"\n1,000 people, 100 dropped out, {degree} neighbours: the server takes the masks off in "
            f"{cost.server_s['unmask']:.2f} s (wanted 5)",
            flush=True,
        )
        people = "".join(f", {phase} {1e3 * cost.home_s[phase] / 1000:.1f}" for phase in PHASES)
        print(f"ms a person{people}; server s {sum(cost.server_s.values()):.2f}", flush=True)


def flower() -> None:
    """Prints masks, a whole sum and shares with the functions of Flower's SecAgg+ beside ours."""
    try:
        from flwr.common.secure_aggregation.crypto import shamir as their_shamir
        from flwr.common.secure_aggregation.secaggplus_utils import pseudo_rand_gen
    except ImportError:
        print("\nFlower's SecAgg+ is not measured: pip install flwr")
        return
    print(
        "\nthe same masks with Flower's SecAgg+ functions: values of 32 bits, and each key folded to a seed of 32 bits;"
    )
    print("ours: values of 40 bits, keys of 256 bits. Both sums are compared with the plain one.")
    for size in PAPER_SIZES:
        layout = layout_of("gmf", size.items, size.people)
        shapes = [(size.items, FACTORS), (size.items,), (layout.shared,)]
        keys = [os.urandom(32) for _ in range(size.people)]
        theirs = 1e3 * cpu_seconds(lambda: their_mask(pseudo_rand_gen, keys, [], shapes))  # noqa: B023 - called at once
        ours = 1e3 * masking_seconds(layout, size.people)
        same_sum(pseudo_rand_gen, layout)
        print(
            f"{size.data:16} Flower {theirs:8.1f} ms   Covey {ours:6.2f} ms   {theirs / ours:5.1f} times",
            flush=True,
        )
    sharing(their_shamir)


def their_mask(generate: Any, plus: Keys, minus: Keys, shapes: list[tuple[int, ...]]) -> list[Array]:
    """The sum of masks as Flower's client makes it, one key after another."""
    from flwr.common.secure_aggregation.ndarrays_arithmetic import (
        parameters_addition,
        parameters_mod,
        parameters_subtraction,
    )

    vector = [np.zeros(shape, np.int64) for shape in shapes]
    for key in plus:
        vector = parameters_addition(vector, generate(key, 2**32, shapes))
    for key in minus:
        vector = parameters_subtraction(vector, generate(key, 2**32, shapes))
    return parameters_mod(vector, 2**32)


def same_sum(generate: Any, layout: Layout, people: int = 5) -> None:
    """Stops unless a few people's masked vectors add up to the plain sum, with Flower's functions and with ours."""
    key_of = {pair: os.urandom(32) for pair in combinations(range(people), 2)}
    values = [np.frombuffer(os.urandom(layout.items), np.uint8).astype(np.int64) for _ in range(people)]
    theirs, ours = np.zeros(layout.items, np.int64), np.zeros(layout.value_count, np.uint64)
    for person in range(people):
        plus = [key for pair, key in key_of.items() if pair[0] == person]
        minus = [key for pair, key in key_of.items() if pair[1] == person]
        theirs = (theirs + values[person] + their_mask(generate, plus, minus, [(layout.items,)])[0]) % 2**32
        ours[: layout.items] += values[person].view(np.uint64)
        add_masks(ours, layout, plus, minus)
    modulus = np.uint64(2 ** (8 * layout.parts[0].width))
    expected = sum(values)
    if not (np.array_equal(theirs, expected) and np.array_equal(ours[: layout.items] % modulus, expected)):
        raise SystemExit("the masked sums differ from the plain one")


def sharing(their_shamir: Any) -> None:
    """Prints a line: 32 bytes among 101 holders."""
    secret, points, needed = os.urandom(32), range(1, 102), 51
    theirs, ours = their_shamir.create_shares(secret, needed, 101), shamir.deal(secret, points, needed)
    if their_shamir.combine_shares(theirs[:needed]) != shamir.combine(points[:needed], ours[:needed]):
        raise SystemExit("the secrets differ")
    works = [
        lambda: their_shamir.create_shares(secret, needed, 101),
        lambda: their_shamir.combine_shares(theirs[:needed]),
        lambda: [shamir.deal(secret, points, needed) for _ in range(50)],
        lambda: [shamir.combine(points[:needed], ours[:needed]) for _ in range(50)],
    ]
    deal, combine, deal_50, combine_50 = (1e3 * cpu_seconds(work) for work in works)
    print(
        f"sharing 32 bytes among 101, {needed} needed: Flower {deal:.1f} ms to deal and {combine:.1f} ms to combine, "
        f"Covey {deal_50 / 50:.2f} and {combine_50 / 50:.2f}"
    )


def plan_of(model: str, items: int) -> TrainingPlan:
    """A plan of the paper's size."""
    shape = shape_of(model, FACTORS, HIDDEN)
    table = np.zeros((items, shape.width), np.float32)
    return TrainingPlan(
        0, "per-item", Recipe(4, 1, 64, 0.001, True), table, np.zeros(shape.network_size, np.float32)
    )


if __name__ == "__main__":
    main()
