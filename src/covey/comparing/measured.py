"""The figures of a comparison's runs, read from their folders: by repeat, and by person."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from covey.comparing.asked import REPEATS, Asked
from covey.datasets import Interactions
from covey.errors import RunError
from covey.runs import RunFiles, read_run
from covey.runs.directory import CONFIG, DEVICES
from covey.runs.run import chosen_people
from covey.runs.settings import RunSettings

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measured:
    """One entry's runs."""

    name: str
    runs: list[RunFiles]  # [repeats]
    people: list[pl.DataFrame]  # [repeats] a row an evaluated person: its number in all data, its metrics

    def by_repeat(self, metric: str) -> Values:
        """The metric of each repeat; NaN where a run does not have it."""
        return np.array([run.summary["metrics"].get(metric, np.nan) for run in self.runs], np.float64)

    def by_person(self, metric: str) -> Values:
        """Each person's mean over the repeats in which it was evaluated, in the order of their numbers."""
        every = pl.concat([frame.select("person", metric) for frame in self.people])
        return every.group_by("person").mean().sort("person").get_column(metric).to_numpy()

    def of_people(self, metric: str) -> list[Values]:
        """The people's values, repeat after repeat."""
        return [frame.get_column(metric).to_numpy() for frame in self.people]

    def has_people(self, metric: str) -> bool:
        """Whether each person has a value of the metric."""
        return all(metric in frame.columns for frame in self.people)


def measure(path: Path, asked: Asked, data: Interactions) -> list[Measured]:
    """Every entry's figures, in the order asked; RunError where a run is missing or unfinished."""
    found = [_measured(path, asked, entry.name, data) for entry in asked.entries]
    _same_people(found)
    return found


def mean_run(measured: Measured) -> RunFiles:
    """The runs of all repeats as one: the means of their figures, with the first one's ledger and settings."""
    first = measured.runs[0]
    summaries = [run.summary for run in measured.runs]
    means = {
        key: _mean([summary[key] for summary in summaries])
        for key in first.summary
        if _is_number(first.summary[key])
    }
    names = [name for name in first.summary["metrics"] if np.isfinite(measured.by_repeat(name)).all()]
    metrics = {name: float(measured.by_repeat(name).mean()) for name in names}
    summary = {**first.summary, **means, "metrics": metrics}
    return RunFiles(
        first.path,
        first.config,
        measured.name,
        first.federated,
        _mean_rounds(measured.runs),
        first.ledger,
        summary,
    )


def _measured(path: Path, asked: Asked, name: str, data: Interactions) -> Measured:
    folders = [path / REPEATS / str(seed) / name for seed in asked.seeds]
    for each in folders:
        if not ((each / CONFIG).exists() and read_run(each).summary.get("finished")):
            raise RunError(f"{each} is not finished; go on with it by: covey compare --resume {path}")
    runs = [read_run(each) for each in folders]
    return Measured(name, runs, [_people(run, data) for run in runs])


def _people(run: RunFiles, data: Interactions) -> pl.DataFrame:
    """Who was evaluated in a run, numbered as in all data, with their values."""
    values = pl.read_parquet(run.path / DEVICES / "values.parquet")
    settings = RunSettings(
        seed=run.config["seed"], participation=run.config["participation"], min_rows=run.config["min_rows"]
    )
    if settings.participation == 1:
        return values
    # Each seed chooses other people and numbers them anew; their ids are what stays.
    everybody = pl.DataFrame({"id": data.person_ids, "number": np.arange(data.people_count, dtype=np.int32)})
    chosen = chosen_people(data, settings).person_ids
    ids = pl.DataFrame({"person": np.arange(len(chosen), dtype=np.int32), "id": chosen})
    numbered = ids.join(everybody, on="id", how="left").select("person", "number")
    named = values.join(numbered, on="person", how="left", maintain_order="left")
    return named.drop("person").rename({"number": "person"})


def _same_people(found: Sequence[Measured]) -> None:
    """Raises unless all entries were evaluated on the same people in each repeat: nothing else can be paired."""
    for measured in found[1:]:
        for ours, theirs in zip(found[0].people, measured.people, strict=True):
            if not ours["person"].equals(theirs["person"]):
                raise RunError(
                    f"{found[0].name} and {measured.name} were evaluated on different people; "
                    "compare them anew in another folder"
                )


def _mean_rounds(runs: Sequence[RunFiles]) -> pl.DataFrame:
    """The rounds that were evaluated in all repeats, with the means of their figures."""
    every = pl.concat([run.metrics.cast(pl.Float64, strict=False) for run in runs], how="diagonal")
    counted = every.group_by("round").agg(pl.all().mean(), pl.len().alias("_repeats"))
    whole = counted.filter(pl.col("_repeats") == len(runs))
    return whole.drop("_repeats").sort("round")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mean(values: Sequence[Any]) -> float:
    return float(np.mean([value for value in values if value is not None]))
