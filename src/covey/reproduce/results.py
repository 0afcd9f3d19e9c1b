"""Stored results: a JSON file an experiment, a row a line of the table, added to as rows finish.

A row: id, labels, algorithm, data, settings, digest, state (done, needs data, published only), why, note, theirs
{metric: published}, ours {metric: {mean, sd, seeds: {seed: value}}}, people_evaluated, rounds, global_rounds,
upload_bytes_per_person, download_bytes_per_person, seconds, protocol, split, covey, created, command, curve. A row
that was measured without a run lacks what only a run has. `differences` are those between rows and rows.
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from covey.errors import RunError
from covey.reproduce import versus
from covey.reproduce.experiment import Experiment, Row, digest

Stored = dict[str, Any]
DONE, NEEDS_DATA, PUBLISHED_ONLY = "done", "needs data", "published only"


@dataclass(frozen=True)
class State:
    """How far an experiment is."""

    done: int  # rows with a result under the settings that the file has now
    stale: int  # rows whose result is from other settings
    to_do: int  # rows that can be run at all
    updated: str  # when, or empty where nothing is stored


def read_stored(path: Path | None) -> Stored:
    """A stored result; empty where there is none."""
    if path is None or not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=Stored)
    except msgspec.DecodeError as error:
        raise RunError(f"{path} is damaged ({error}); remove it and run the experiment again") from None


def stored_rows(stored: Stored) -> dict[str, Stored]:
    """id -> row."""
    return {row["id"]: row for row in stored.get("rows", [])}


def state_of(experiment: Experiment, stored: Stored) -> State:
    """How many rows are done, and how many of those under other settings."""
    rows = stored_rows(stored)
    to_do = [row for row in experiment.rows if row.algorithm]
    have = [row for row in to_do if rows.get(row.id, {}).get("state") == DONE]
    fresh = [row for row in have if rows[row.id]["digest"] == digest(row)]
    return State(len(fresh), len(have) - len(fresh), len(to_do), stored.get("updated", ""))


def described(row: Row) -> Stored:
    """What is known of a row before it is run."""
    known = {"id": row.id, "labels": row.labels, "theirs": row.theirs, "note": row.note}
    if not row.algorithm:
        return {**known, "state": PUBLISHED_ONLY, "ours": {}}
    asked = {"algorithm": row.algorithm, "data": row.data, "settings": row.settings, "digest": digest(row)}
    return {**known, **asked, "ours": {}}


def needing(row: Row, why: str) -> Stored:
    """A row that cannot be run here."""
    return {**described(row), "state": NEEDS_DATA, "why": why}


def done(row: Row, seed: int, run: Mapping[str, Any], curve: Mapping[str, Any] | None) -> Stored:
    """A row after one more seed: `run` is the run's summary with its costs among the metrics."""
    copied = (
        *(
            "people_evaluated",
            "rounds",
            "global_rounds",
            "upload_bytes_per_person",
            "download_bytes_per_person",
        ),
        *("seconds", "protocol", "split", "covey", "created", "command"),
    )
    ours = {name: gathered({str(seed): value}) for name, value in run["metrics"].items()}
    return {
        **described(row),
        "state": DONE,
        "ours": ours,
        **{name: run[name] for name in copied if name in run},
        "curve": curve,
    }


def gathered(by_seed: Mapping[str, float]) -> dict[str, Any]:
    """Mean and sample standard deviation (None of one) of a metric's values by seed."""
    values = list(by_seed.values())
    spread = statistics.stdev(values) if len(values) > 1 else None
    return {"mean": statistics.fmean(values), "sd": spread, "seeds": dict(by_seed)}


def merged_row(old: Stored | None, new: Stored) -> Stored:
    """A row with the seeds of both where they are of the same runs; otherwise the one that was measured last."""
    if old is None or old.get("state") != DONE:
        return new
    if new.get("state") != DONE:
        return old  # it was measured once, where the data was at hand
    if old["digest"] != new["digest"]:
        return new
    names = dict.fromkeys([*new["ours"], *old["ours"]])
    seeds = {name: {**_seeds(old, name), **_seeds(new, name)} for name in names}
    ours = {
        name: gathered(dict(sorted(each.items(), key=lambda pair: int(pair[0]))))
        for name, each in seeds.items()
    }
    return {**new, "ours": ours, "curve": old.get("curve") or new.get("curve")}


def _seeds(row: Stored, metric: str) -> dict[str, float]:
    return row["ours"].get(metric, {}).get("seeds", {})


def merged(experiment: Experiment, stored: Stored, new: Sequence[Stored], now: str, version: str) -> Stored:
    """The stored result with new rows in it, in the order of the experiment; rows that it lost are dropped."""
    rows = stored_rows(stored)
    for row in new:
        rows[row["id"]] = merged_row(rows.get(row["id"]), row)
    told = {row.id: _told(row) for row in experiment.rows}
    now_stored = [{**rows[id], **told[id]} for id in told if id in rows]
    return {
        "name": experiment.name,
        "title": experiment.title,
        "paper": experiment.paper,
        "protocol": experiment.protocol,
        "metrics": experiment.metrics,
        "command": f"covey reproduce {experiment.name}",
        "covey": version,
        "updated": now,
        "rope": experiment.rope,
        "rows": now_stored,
        "differences": versus.differences(now_stored, experiment.metrics, experiment.rope),
    }


def _told(row: Row) -> Stored:
    """What the experiment's file says beside a row, which is taken from it anew each time."""
    told: Stored = {"labels": row.labels, "theirs": row.theirs, "note": row.note}
    return {**told, "against": row.against} if row.against else told
