"""Every audit by its algorithm's name, and what becomes of one: figures over the population, in the run's folder."""

from collections.abc import Callable
from pathlib import Path

import msgspec

import covey
from covey.audit.estimates import FEWEST
from covey.audit.fcf import audit_fcf
from covey.audit.fedncf import audit_fedncf
from covey.audit.fedsplit import audit_fedsplit
from covey.audit.fpl import audit_fpl
from covey.errors import ConfigError, RunError
from covey.runs import Run
from covey.runs.audited import Audit, Finding
from covey.runs.directory import AUDIT, write_whole

OnStep = Callable[[int, int], None]  # steps done, steps to do
Audits = Callable[[Run, int, int, OnStep], tuple[int, int, tuple[Finding, ...]]]

# Algorithm -> who are attacked, and how.
AUDITS: dict[str, tuple[str, Audits]] = {
    "fedncf": ("people", audit_fedncf),
    "fcf": ("people", audit_fcf),
    "fpl": ("people", audit_fpl),
    "fedsplit": ("groups", audit_fedsplit),
}


def _nothing(done: int, to_do: int) -> None:
    pass


def audit(run: Run, groups: int = 40, people: int = 60, seed: int = 0, on_step: OnStep = _nothing) -> Audit:
    """Attacks what left the devices in a finished run, and measures how well that went against the truth.

    It changes nothing of the run. So many groups, or people where those send for themselves, are attacked, drawn by
    the seed, or all where there are fewer.
    """
    refuse(run.algorithm, run.session.federated, groups, people)
    if run.session.round < run.session.rounds:
        raise RunError(
            f"{run.path} is not finished (round {run.session.round} of {run.session.rounds}); "
            f"go on with it first: covey train --resume {run.path}"
        )
    audited_are, attack = AUDITS[run.algorithm]
    count = groups if audited_are == "groups" else people
    audited, of, findings = attack(run, count, seed, on_step)
    return Audit(run.algorithm, audited, of, audited_are, seed, covey.__version__, findings)


def refuse(algorithm: str, federated: bool, groups: int, people: int = FEWEST) -> None:
    """Raises ConfigError where there is no such audit, or it would be of too few."""
    if algorithm not in AUDITS:
        why = "" if federated else ": nothing left a device, every history was in one place"
        raise ConfigError(
            f"there is no audit of {algorithm}{why}; audit a run of: {', '.join(sorted(AUDITS))}"
        )
    for name, one, count in (("groups", "group", groups), ("people", "person", people)):
        if count < FEWEST:
            raise ConfigError(
                f"expected at least {FEWEST} {name}, got {count}: a mean over fewer would be close to one {one}'s own"
            )


def write_audit(folder: Path, found: Audit) -> Path:
    """Writes the audit into the run's folder, in place of an earlier one; returns the file's path."""
    path = folder / AUDIT
    write_whole(path, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return path
