"""What the page says in sentences: its title, what was found, and what a reader must not overlook."""

import shlex
from collections.abc import Sequence

from covey.reports import facts, units
from covey.reports.facts import RunFiles

_LONGEST_TITLE = 90
_SHORT = 48
_NO_BREAK = "\N{NO-BREAK SPACE}"
# What the data turned out to be, and what the command says in words of its own.
_NOT_SETTINGS = frozenset({"algorithm", "data", "seed", "people", "items", "rows"})


def heading(runs: Sequence[RunFiles]) -> str:
    """The page's title: the runs by name while they fit, else how many they are."""
    if not runs:
        return "No runs"
    federated = [run.title for run in runs if run.federated]
    central = [run.title for run in runs if not run.federated]
    named = " beside ".join(filter(None, (units.listed(federated), units.listed(central))))
    return named if len(named) <= _LONGEST_TITLE or len(runs) == 1 else f"{len(runs)} runs on {data(runs)}"


def short(title: str) -> str:
    """A title that fits in a sentence; the comparison has all of it."""
    return title if len(title) <= _SHORT else title[: _SHORT - 1].rstrip() + "…"


def short_list(titles: Sequence[str]) -> str:
    """Short titles in a sentence."""
    return units.listed([short(title) for title in titles])


def data(runs: Sequence[RunFiles]) -> str:
    """The names of the data sets, in a sentence."""
    return units.listed(list(dict.fromkeys(str(run.config.get("data", "unnamed data")) for run in runs)))


def subject(runs: Sequence[RunFiles]) -> str:
    """What was run, on which data, how it was split, with which seed and (where known) when."""
    if not runs:
        return "There is nothing to report."
    first = runs[0]
    sizes = [
        f"{units.count(first.config[key])} {word}"
        for key, word in (("people", "people"), ("items", "items"), ("rows", "interactions"))
        if units.finite(first.config.get(key)) is not None
    ]
    parts = [data(runs) + (f" ({', '.join(sizes)})" if sizes and len(_data_names(runs)) == 1 else "")]
    # Up to its colon a split's sentence is its name: "auto" says nothing of what was held out.
    splits = list(dict.fromkeys(said.partition(":")[0] for said in facts.sentences(runs, "split")))
    seeds = list(dict.fromkeys(str(run.config["seed"]) for run in runs if run.config.get("seed") is not None))
    parts += [f"split: {units.listed(splits)}"] if splits else []
    parts += [f"seed{'s' if len(seeds) > 1 else ''} {units.listed(seeds)}"] if seeds else []
    parts += [f"started {run.summary['started']}" for run in runs[:1] if run.summary.get("started")]
    runs_of = "One run" if len(runs) == 1 else f"{len(runs)} runs"
    return f"{runs_of} on {'; '.join(parts)}."


def finding(runs: Sequence[RunFiles]) -> str:
    """The best federated run's first headline metric and its cost, then the best central one."""
    names = facts.headlines(runs, at_most=1)
    federated = facts.best([run for run in runs if run.federated], names[0]) if names else None
    if federated is None:
        return ""
    said = f"{short(federated.title)} reaches {_reached(federated, names[0])}"
    sent = facts.cost(federated, "upload_bytes")
    said += f"; a person sent {units.bytes_(sent)} on average for it" if sent is not None else ""
    central = facts.best([run for run in runs if not run.federated], names[0])
    if central is None:
        return f"{said}."
    yardstick = f"{short(central.title)} reaches {_reached(central, names[0])}"
    return f"{said}. With every history in one place, {yardstick}."


def _reached(run: RunFiles, name: str) -> str:
    reached = units.metric(facts.final(run, name), facts.standard_error(run, name))
    return f"{facts.label(name)} {reached}".replace(" ", _NO_BREAK)


def warnings(runs: Sequence[RunFiles]) -> list[str]:
    """What a reader must know first: runs without an end, no yardstick, unlike data or protocols."""
    said = [_open_end(run) for run in runs if facts.status(run) != "finished"]
    if runs and all(run.federated for run in runs):
        said.append(
            "No central yardstick was given, so this page cannot say what leaving histories at home costs."
        )
    for what, count in (
        ("data sets", len(_data_names(runs))),
        ("splits", len(facts.sentences(runs, "split"))),
        ("protocols", len(facts.sentences(runs, "protocol"))),
    ):
        if count > 1:
            said.append(f"These runs have different {what}: their figures cannot be compared.")
    return said


def _open_end(run: RunFiles) -> str:
    done, planned = (
        facts.last(run, "round"),
        units.finite(run.summary.get("planned_rounds", run.config.get("rounds"))),
    )
    how = "was interrupted" if facts.status(run) == "interrupted" else "is unfinished"
    if done is None:
        return f"{short(run.title)} {how}, and no round of it was evaluated."
    rounds = units.count(done) if planned is None else f"{units.count(done)} of {units.count(planned)}"
    return f"{short(run.title)} {how}: these are its figures after {rounds} rounds."


def _data_names(runs: Sequence[RunFiles]) -> set[str]:
    return {str(run.config["data"]) for run in runs if run.config.get("data")}


def command(run: RunFiles) -> str:
    """The command line that rebuilds a run, a setting a line."""
    if run.summary.get("command"):
        return str(run.summary["command"])
    head = ["covey", "train", str(run.config.get("algorithm", "ALGORITHM"))]
    for key in ("data", "seed"):
        if run.config.get(key) is not None:
            head += [f"--{key}", units.value(run.config[key])]
    settings = [
        f"--set {shlex.quote(f'{key}={units.value(thing)}')}"
        for key, thing in run.config.items()
        if key not in _NOT_SETTINGS and thing is not None
    ]
    return " \\\n  ".join([shlex.join(head), *settings])
