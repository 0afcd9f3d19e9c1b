"""`covey audit`: attacks on what left the devices in a run, and how far they got."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from covey.cli import console

if TYPE_CHECKING:
    from covey.runs import RunFiles
    from covey.runs.audited import Audit, Finding

EXAMPLES = """[bold]Examples[/bold]
  covey audit runs/a              sixty people, or forty groups of FedSPLIT, drawn by the seed
  covey audit runs/a --people 20  fewer, in a third of the time
  covey audit runs/a --groups 10  the same of a run of groups"""


def audit(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a finished run.", show_default=False)
    ],
    people: Annotated[int, typer.Option(metavar="N", help="How many people to attack.")] = 60,
    groups: Annotated[
        int, typer.Option(metavar="N", help="How many groups to attack, where groups send together.")
    ] = 40,
    seed: Annotated[int, typer.Option(metavar="N", help="Where the audit's draws start.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Attack what left the devices in a run, and say how far each attack got.

    The simulation knows the truth that the attackers are after. Writes audit.json, which holds means over groups
    or people and nobody's own data, and the run's report anew.
    """
    from covey.audit import audit as attack
    from covey.audit import refuse, write_audit
    from covey.cli.report import with_yardsticks, write
    from covey.runs import open_run, read_run
    from covey.runs.directory import read_config

    config = read_config(run)
    refuse(str(config["algorithm"]), bool(config["federated"]), groups, people)  # before the data is read
    opened = open_run(run)
    try:
        with _watching(quiet) as on_step:
            found = attack(opened, groups, people, seed, on_step)
    except KeyboardInterrupt:
        console.say("Interrupted; nothing was written.")
        raise typer.Exit(130) from None
    finally:
        opened.session.close()
    path = write_audit(run, found)
    _show(read_run(run), found)
    console.tell(f"Audit: {path}")
    console.tell(f"Report: {write(with_yardsticks([run]), run / 'report.html')}")


@contextmanager
def _watching(quiet: bool) -> Generator[Callable[[int, int], None]]:
    """What to call after each step of the audit: a bar on a terminal, silence elsewhere."""
    if quiet or not console.err.is_terminal:
        yield lambda done, to_do: None
        return
    with Progress(console=console.err, transient=True) as bar:
        task = bar.add_task("attacking")
        yield lambda done, to_do: bar.update(task, completed=done, total=to_do)


def _show(files: "RunFiles", found: "Audit") -> None:
    """Prints what leaves, and who could learn what from it."""
    entries = [] if files.ledger is None else files.ledger.to_dicts()
    leaves = [
        [f"{each['message']}.{each['field']}", str(each["reveals"])]
        for each in entries
        if each["direction"] == "up" and each["field"] != "header"
    ]
    if leaves:
        console.table(["what leaves", "what it reveals"], leaves, left=2)
        console.tell("")
    headers = ["who could learn what", "measured", "without it"]
    console.table(headers, [_line(each) for each in found.findings])
    console.tell("")
    for each in found.findings:
        console.tell(each.found)
    console.tell("")
    audited = f"{found.audited} of {found.of} {found.audited_are}"
    console.tell(f"Means over {audited}, in brackets their 95% intervals; seed {found.seed}.")


def _line(finding: "Finding") -> list[str]:
    """A finding in short: what it measured, and what is reached without the message."""
    head = finding.headline
    reached = f"{head.reached.mean:.3f} ({head.reached.low:.3f}-{head.reached.high:.3f})"
    return [head.measure, reached, f"{head.chance:.3f}"]
