"""Where to go on: written when a global round ends, when a round was evaluated, and otherwise every PAUSE_S seconds.

Two slots are written in turn and a pointer names the one that is whole. A process that is killed at any moment
leaves the pointer at a slot that it did not touch. So what is lost is the round under way, and of rounds that take
milliseconds those of the last moment: never a whole global round, unless one call does several of them. Evaluated
rounds after the slot are cut from the journal when the run goes on.
"""

from pathlib import Path
from typing import Any

import msgspec
from safetensors import SafetensorError

from covey.engines import Session
from covey.errors import RunError
from covey.messages.ledger import Ledger
from covey.runs.directory import JOURNAL, STATE, clear_errors, write_whole

# A state takes a few milliseconds to write, as long as several small rounds take to do.
PAUSE_S = 0.2

# What reading a file can end in that was cut short, overwritten or lost.
_DAMAGE = (OSError, SafetensorError, msgspec.DecodeError, ValueError, KeyError)


class Progress(msgspec.Struct, frozen=True):
    """What is known at the end of a round beside the session's own files."""

    round: int
    seconds: float  # of training so far
    journal_bytes: int
    ledger: list[dict[str, Any]]


def save(path: Path, session: Session, seconds: float) -> None:
    """Writes the state after the session's round and points to it."""
    with clear_errors(path):
        pointer = path / STATE / "good"
        slot = path / STATE / ("even" if pointer.exists() and pointer.read_text() == "odd" else "odd")
        slot.mkdir(exist_ok=True)
        session.save(slot)
        journal = path / JOURNAL
        size = journal.stat().st_size if journal.exists() else 0
        progress = Progress(session.round, seconds, size, session.ledger.entries())
        (slot / "progress.json").write_bytes(msgspec.json.encode(progress))
        write_whole(pointer, slot.name.encode())


def restore(path: Path, session: Session) -> float:
    """Takes the session to the last whole state, if there is one; the seconds of training that it took."""
    pointer = path / STATE / "good"
    if not pointer.exists():
        cut_journal(path, 0)
        return 0.0
    shapes = {name: array.shape for name, array in session.shared().items()}
    try:
        slot = path / STATE / pointer.read_text()
        progress = msgspec.json.decode((slot / "progress.json").read_bytes(), type=Progress)
        session.restore(slot)
        _refuse_strangers(session, shapes, progress.round)
    except _DAMAGE as error:
        raise RunError(
            f"the state that {pointer} names is damaged ({error}); start the run anew in another folder"
        ) from error
    session.ledger = Ledger.of(progress.ledger)
    cut_journal(path, progress.journal_bytes)
    return progress.seconds


def _refuse_strangers(session: Session, shapes: dict[str, tuple[int, ...]], round_id: int) -> None:
    """Raises ValueError where the files are whole but not those of this run or of that round."""
    found = {name: array.shape for name, array in session.shared().items() if name in shapes}
    if found != shapes:
        raise ValueError(f"expected arrays {shapes}, got {found}")
    if session.round != round_id:
        raise ValueError(f"expected round {round_id}, got {session.round}")


def cut_journal(path: Path, size: int) -> None:
    """Forgets evaluated rounds that belong to no saved state."""
    journal = path / JOURNAL
    if size == 0:
        # Without the file the run begins by evaluating what it starts from, as it would have unbroken.
        journal.unlink(missing_ok=True)
    elif journal.exists() and journal.stat().st_size > size:
        with journal.open("r+b") as file:
            file.truncate(size)
