"""The audit of FedSPLIT: each group's one message, against the ratings behind it (fedsplit.txt, section 4.4)."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from covey.audit import membership, reconstruction
from covey.audit.attackers import USUAL, attackers
from covey.audit.estimates import FEWEST
from covey.audit.exposed import Disclosed, Discloses, expose
from covey.audit.knowledge import WAYS
from covey.errors import RunError
from covey.models.cnmf import Penalties
from covey.random import stream
from covey.runs import Run
from covey.runs.audited import Finding
from covey.types import Ints

AUDITED = "groups"


def audit_fedsplit(
    run: Run, groups: int, seed: int, on_step: Callable[[int, int], None]
) -> tuple[int, int, tuple[Finding, ...]]:
    """How many groups were attacked, how many there are, and what was found."""
    session, train = cast(Discloses, run.session), run.split.train
    messages = session.disclosures()
    if len(messages) < FEWEST:
        raise RunError(
            f"expected at least {FEWEST} groups to audit, got {len(messages)}: a mean over fewer would be a "
            "group's own; audit a run with more people or smaller groups"
        )
    chosen = sample(messages, groups, seed)
    exposed = [expose(message, session.groups, train) for message in chosen]
    done, steps = 0, len(exposed) * (len(WAYS) + 1)

    def on_group() -> None:
        nonlocal done
        done += 1
        on_step(done, steps)

    signed = any(bool((message.patterns < 0).any()) for message in messages)
    trying = attackers(*recipe(run.config), signed)
    guessed = [
        reconstruction.finding(way, trying, reconstruction.attack_all(exposed, way, trying, seed, on_group))
        for way in WAYS
    ]
    ratings_of_item: Ints = np.bincount(train.item, minlength=train.item_count)
    areas = membership.answer_all(exposed, messages, ratings_of_item, seed, on_group)
    return (
        len(chosen),
        len(messages),
        (*(each for each in guessed if each is not None), membership.finding(areas)),
    )


def sample(messages: Sequence[Disclosed], count: int, seed: int) -> list[Disclosed]:
    """So many of the groups, or all of them, in their own order."""
    order = stream(seed, "audit", "groups").permutation(len(messages))[:count]
    return [messages[int(place)] for place in np.sort(order)]


def recipe(config: Any) -> tuple[Penalties, int]:
    """What the groups themselves worked by: the attacker knows it, for everybody is told."""
    return USUAL, 100
