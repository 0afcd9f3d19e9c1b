"""What secure aggregation costs: CPU seconds of each step, bytes of each message, numbers that masks are made of.

Measured on this machine by the code that runs rounds; figures of other machines are theirs.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from statistics import median

import numpy as np

from covey.aggregation.secure import participant, server
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.masks import add_masks
from covey.aggregation.secure.member import Member
from covey.aggregation.secure.phases.mask import mask_keys
from covey.aggregation.secure.run import PHASES, Phase, enrol
from covey.aggregation.secure.states import AtHome, Ended, Ready, Shared
from covey.aggregation.secure.terms import Settings
from covey.aggregation.sums import UpdateSum
from covey.errors import AbandonedError
from covey.messages.schema import Direction
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.models.ncf import shape_of


@dataclass(frozen=True)
class PaperSize:
    """One column of table 8 of the FedNCF paper."""

    data: str
    items: int
    people: int  # in a round
    gmf_ms: float  # published
    neumf_ms: float


# Items: table 3; people a round: section 4.2; milliseconds: table 8, on 8 cores of 4.0 GHz.
PAPER_SIZES = (
    PaperSize("MovieLens 100K", 1_682, 20, 3, 7),
    PaperSize("MovieLens 1M", 3_706, 120, 5, 12),
    PaperSize("Lastfm 2K", 12_454, 50, 16, 33),
    PaperSize("Foursquare NY", 38_333, 50, 49, 93),
)
FACTORS, HIDDEN = 12, (48, 24, 12, 6)


@dataclass(frozen=True, eq=False)
class RoundCost:
    """CPU seconds and bytes of one round."""

    home_s: dict[Phase, float]  # of all people together
    agreement_s: float  # of all people together: that part of `mask` which agrees on keys
    server_s: dict[Phase, float]
    bytes: dict[tuple[Phase, Direction], int]  # of all people together
    people: int
    total: UpdateSum


def layout_of(model: str, items: int, people: int) -> Layout:
    """The vector of FedNCF's per-item updates: `gmf`, `mlp` or `neumf` with the paper's sizes."""
    shape = shape_of(model, FACTORS, HIDDEN)
    return Layout("per-item", items, shape.width, shape.network_size, people)


def masking_seconds(layout: Layout, masks: int, repeats: int = 5) -> float:
    """CPU seconds of making so many masks and adding them to a vector; the median of the repeats."""
    vector = np.zeros(layout.value_count, np.uint64)
    add_masks(vector, layout, [os.urandom(32)])  # the first call compiles

    def once() -> None:
        keys = [os.urandom(32) for _ in range(masks)]
        add_masks(vector, layout, keys[: masks // 2], keys[masks // 2 :])

    return median(cpu_seconds(once) for _ in range(repeats))


def numbers_generated(model: str, items: int, people: int) -> int:
    """Numbers that a person's masks with everybody else are made of, as figure 4 of the paper counts them.

    The paper counts item values, one preference an item and the network; what is sent besides, the number of instances,
    is left out here.
    """
    shape = shape_of(model, FACTORS, HIDDEN)
    return (people - 1) * (items * shape.width + items + shape.network_size)


def round_cost(
    plan: TrainingPlan, updates: dict[int, ModelUpdate], settings: Settings, missing: Collection[int] = ()
) -> RoundCost:
    """One round with each step on the clock; the missing drop out before they send their masked vectors."""
    coordinator, members = enrol(updates, settings)
    # Every person verifies for themselves, as on a device of their own.
    alone = {n: Member(n, each.identity, each.agreement) for n, each in members.items()}
    states: dict[int, AtHome] = {n: Ready(alone[n], plan, update) for n, update in updates.items()}
    state, out = server.announce(coordinator, plan)
    home_s, server_s = dict[Phase, float](), dict[Phase, float]()
    sent, agreement_s = Counter[tuple[Phase, Direction]](), 0.0
    for phase in PHASES:
        sent[phase, "down"] = sum(map(len, out.values()))
        people = [n for n in out if not (phase == "mask" and n in missing)]
        if phase == "mask":
            agreement_s = sum(_agreement_seconds(states[n]) for n in people)
        letters = list[tuple[int, bytes]]()
        begin = time.process_time()
        for number in people:
            states[number], answer = participant.step(states[number], out[number])
            letters.append((number, answer))
        home_s[phase] = time.process_time() - begin
        sent[phase, "up"] = sum(len(answer) for _, answer in letters)
        begin = time.process_time()
        assert not isinstance(state, Ended), "a round ends with its last phase"
        state, out = server.step(state, letters)
        server_s[phase] = time.process_time() - begin
        if isinstance(state, Ended) and state.total is None:
            raise AbandonedError(state.abandoned or "")
    assert isinstance(state, Ended), "a round ends with its last phase"
    assert state.total is not None, "an abandoned round has raised"
    return RoundCost(home_s, agreement_s, server_s, dict(sent), len(updates), state.total)


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process that the work takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _agreement_seconds(state: AtHome) -> float:
    assert isinstance(state, Shared), "people have dealt before they mask"
    return cpu_seconds(lambda: mask_keys(state, state.rollcall.graph.neighbours(state.member.number)))


def random_update(plan: TrainingPlan, rows_named: int) -> ModelUpdate:
    """An update of no meaning and the right size, for measuring."""
    items, width = plan.items.shape
    rows = np.sort(_some(items, rows_named)).astype(np.int32)
    values = np.frombuffer(os.urandom(4 * len(rows) * width), "<i4").reshape(len(rows), width) >> 2
    shared = np.frombuffer(os.urandom(4 * plan.shared_size), "<i4") >> 2
    return ModelUpdate(plan.round, plan.kind, rows, values, shared, rows_named)


def _some(items: int, wanted: int) -> np.ndarray:
    """So many different items: those with the largest random numbers."""
    return np.argsort(np.frombuffer(os.urandom(8 * items), "<u8"))[:wanted]
