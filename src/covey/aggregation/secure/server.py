"""The server's side of a round: `announce`, then `state, out = step(state, letters)` until the state is `Ended`.

`letters` are what came in a phase, in any order: pairs of who sent it, as the transport knows, and the bytes. `out` has
the bytes for each person who is to get some. The server draws nothing but the seed of the graph.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from covey.aggregation.secure.agreement import Agreement, Opening
from covey.aggregation.secure.graph import SEED_BYTES, commitment
from covey.aggregation.secure.phases import acknowledge, advertise, mask, share, unmask
from covey.aggregation.secure.phases.checks import Letter
from covey.aggregation.secure.states import Announced, Called, Delivered, Ended, Listed, Proved
from covey.aggregation.secure.wire import Announcement
from covey.errors import AbandonedError
from covey.messages.updates import TrainingPlan

Waiting = Announced | Called | Delivered | Listed | Proved

_AT_SERVER: dict[type, Any] = {
    Announced: advertise.at_server,
    Called: share.at_server,
    Delivered: mask.at_server,
    Listed: acknowledge.at_server,
    Proved: unmask.at_server,
}


@dataclass(frozen=True, eq=False)
class Coordinator:
    """What the server keeps from round to round."""

    agreement: Agreement
    selection_seed: bytes = field(repr=False)  # secret until the first round


def announce(coordinator: Coordinator, plan: TrainingPlan) -> tuple[Announced, dict[int, bytes]]:
    """Begins the round of a plan with the people whose turn it is; ConfigError where they are too few."""
    agreement, graph_seed = coordinator.agreement, os.urandom(SEED_BYTES)
    items, width = plan.items.shape
    announcement = Announcement(
        agreement.digest,
        plan.round,
        plan.schema.number,
        items,
        width,
        plan.shared_size,
        commitment("graph", graph_seed),
        coordinator.selection_seed,
        agreement.selection(coordinator.selection_seed).people(plan.round),
    )
    opening = Opening(agreement, announcement)
    _ = opening.terms, opening.layout.parts  # refuse now what could not be finished
    return Announced(opening, graph_seed), dict.fromkeys(opening.people, announcement.encode())


def step(state: Waiting, letters: Sequence[Letter]) -> tuple[Waiting | Ended, dict[int, bytes]]:
    """The next state, and what goes to whom. A round that cannot be finished is `Ended` with the reason."""
    try:
        return _AT_SERVER[type(state)](state, letters)
    except AbandonedError as error:
        answered = state.answered if isinstance(state, Listed) else ()
        return Ended(None, str(error), answered, (*state.rejected, *error.rejected)), {}
