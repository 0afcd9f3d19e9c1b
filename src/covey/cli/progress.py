"""What is shown while a run trains: a bar on a terminal, a line an evaluated round elsewhere, nothing if quiet."""

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Column

from covey.cli import console
from covey.reports import units

if TYPE_CHECKING:
    from covey.runs import Run

OnRound = Callable[["Run"], None]


@contextmanager
def watching(run: "Run", quiet: bool = False) -> Generator[OnRound | None]:
    """What to call after each round of this run, while it lasts."""
    if quiet:
        yield None
    elif console.err.is_terminal:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=12),
            TextColumn("{task.fields[said]}", table_column=Column(no_wrap=True, overflow="ellipsis")),
        )
        with Progress(*columns, console=console.err, transient=True) as bar:
            task = bar.add_task(
                run.session.title, total=run.session.rounds, said="starting", completed=run.session.round
            )
            clock = Clock(run.session.round)
            yield lambda run: bar.update(task, completed=run.session.round, said=short_state(run, clock))
    else:
        clock = Clock(run.session.round)
        yield lambda run: _line(run, clock)


class Clock:
    """How long the rounds that are left will take, by those that were done here."""

    def __init__(self, first_round: int) -> None:
        self.first_round, self.began = first_round, time.monotonic()

    def left_s(self, run: "Run") -> float:
        """Seconds to the end; 0 before anything is known."""
        done = run.session.round - self.first_round
        return (
            (time.monotonic() - self.began) / done * (run.session.rounds - run.session.round) if done else 0.0
        )


def _line(run: "Run", clock: Clock) -> None:
    """A line for a round that was evaluated; silence for the others."""
    if run.latest.get("round") == run.session.round:
        console.say(f"{run.session.title}: {state(run, clock)}")


def state(run: "Run", clock: Clock) -> str:
    """Round, global round, the headline metrics, bytes a person and the time left."""
    session = run.session
    passed = (
        f" (global round {units.amount(session.round / session.rounds_a_pass)})" if session.federated else ""
    )
    parts = [f"round {session.round} of {session.rounds}{passed}", headline(run.latest)]
    if session.federated:
        parts.append(f"{units.bytes_(sent_a_person(run))} sent a person")
    if session.round < session.rounds:
        parts.append(f"{units.seconds(clock.left_s(run))} left")
    return "; ".join(part for part in parts if part)


def short_state(run: "Run", clock: Clock) -> str:
    """The same in the fewest signs, for a bar that has a line to itself."""
    session = run.session
    passed = f" pass {session.round // session.rounds_a_pass}" if session.federated else ""
    sent = f" · {units.bytes_(sent_a_person(run))} up" if session.federated else ""
    said = headline(run.latest)
    return (
        f"{session.round}/{session.rounds}{passed}{f' · {said}' if said else ''}{sent}"
        f" · {units.seconds(clock.left_s(run))} left"
    )


def headline(row: Mapping[str, float]) -> str:
    """The two metrics that a reader looks for first, of the last evaluation; empty before there is one."""
    names = [name for name in row if name.startswith(("hr@", "ndcg@"))]
    usual = [name for name in names if name.endswith("@10")] or names
    return " ".join(f"{name.upper()} {row[name]:.3f}" for name in usual[:2])


def sent_a_person(run: "Run") -> float:
    """Bytes that a person has sent so far, on average over all people."""
    return run.session.ledger.bytes("up") / run.split.people_count
