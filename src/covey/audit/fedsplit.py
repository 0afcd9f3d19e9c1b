"""The audit of FedSPLIT: each group's one message, against the ratings behind it (fedsplit.txt, section 4.4)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from covey.algorithms.fedsplit_local import penalties_of
from covey.audit import membership, reconstruction
from covey.audit.attackers import attackers
from covey.audit.estimates import FEWEST, Reals
from covey.audit.exposed import Message, expose
from covey.audit.knowledge import WAYS
from covey.errors import RunError
from covey.random import stream
from covey.runs import Run
from covey.runs.audited import Finding
from covey.types import Arrays, Ints, ItemIndex


class Said(Protocol):
    """A group's message as the server reads it."""

    @property
    def rows(self) -> ItemIndex: ...
    @property
    def patterns(self) -> Reals: ...
    @property
    def item_bias(self) -> Reals: ...


class Discloses(Protocol):
    """A session of groups that send their patterns."""

    @property
    def groups(self) -> npt.NDArray[np.int32]:
        """Each person's group; -1 for who is alone."""  # [people]
        ...

    def disclosures(self) -> Sequence[tuple[int, Said]]:
        """What the server got, group by group."""
        ...

    def bias_rows(self) -> Mapping[int, ItemIndex]:
        """By group, the items named in what it sent to be summed; empty where nothing is summed."""
        ...

    def shared(self) -> Arrays:
        """What everybody gets: `network` has the centre, `items` the common patterns and, last, biases."""
        ...


def audit_fedsplit(
    run: Run, groups: int, seed: int, on_step: Callable[[int, int], None]
) -> tuple[int, int, tuple[Finding, ...]]:
    """How many groups were attacked, how many there are, and what was found."""
    session, train = cast(Discloses, run.session), run.split.train
    messages = messages_of(session, run.config.biases == "groups")
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
    trying = attackers(penalties_of(run.config), signed)  # everybody is told by which recipe
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


def messages_of(session: Discloses, with_biases: bool) -> list[Message]:
    """What the server got of each group, with what came down to everybody."""
    shared = session.shared()
    centre, common = float(shared["network"][0]), shared["items"].astype(np.float64)
    summed = session.bias_rows()
    return [
        Message(
            ticket,
            said.rows,
            said.patterns,
            said.item_bias if with_biases else None,
            centre,
            common[:, :-1],
            common[:, -1],
            summed.get(ticket),
        )
        for ticket, said in session.disclosures()
    ]


def sample(messages: Sequence[Message], count: int, seed: int) -> list[Message]:
    """So many of the groups, or all of them, in their own order."""
    order = stream(seed, "audit", "groups").permutation(len(messages))[:count]
    return [messages[int(place)] for place in np.sort(order)]
