"""A run: a training of one algorithm on one dataset, in its folder."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from safetensors.numpy import save_file

import covey
from covey.datasets import Interactions
from covey.device.recommend import best_unseen
from covey.engines import Session, session
from covey.errors import DataError, RunError
from covey.evaluation import (
    AllItems,
    Candidates,
    Evaluation,
    Given,
    RankingProtocol,
    Sampled,
    evaluate,
    prepare,
)
from covey.random import stream
from covey.runs import checkpoint, directory
from covey.runs.command import rebuilding
from covey.runs.settings import RunSettings
from covey.splits import Split, split, without_test


@dataclass(frozen=True)
class Recommendation:
    """One line of a person's list."""

    item: Any  # the item's original id
    title: str
    score: float


class Run:
    """A run and everything to go on with it. Made by `covey.train` and `covey.open_run`."""

    def __init__(
        self, path: Path, algorithm: str, settings: RunSettings, config: Any, data: Interactions
    ) -> None:
        self.path, self.algorithm, self.settings, self.config = path, algorithm, settings, config
        self.data = chosen_people(data, settings)
        self.split = split_of(self.data, settings)
        workers = settings.workers or processors()
        self.session: Session = session(
            algorithm, config, self.split.train, settings.seed, workers, self.split.groups, settings.sums
        )
        self.seconds = 0.0  # of training
        self._saved_at = time.perf_counter()  # on the clock of time.perf_counter
        self.latest: dict[str, float] = {}  # the last evaluated round, as the journal has it
        self._candidates: Candidates | None = None

    # --- what a user asks of a run ---

    def evaluate(self) -> Mapping[str, float]:
        """Metric names to values of the model as it is, with what each person sent and received."""
        return {**self.evaluation(), **self._bytes_per_person()}

    def evaluation(self) -> Evaluation:
        """The evaluation of the model as it is, with each person's values."""
        if self._candidates is None:
            self._candidates = prepare(self.split, self.protocol, self._part, self.settings.seed)
        return evaluate(self.session.scorer(), self._candidates, ks=self.settings.k)

    @property
    def metrics(self) -> pl.DataFrame:
        """A row an evaluated round: round, metrics, bytes up and down a person, seconds."""
        return directory.read_run(self.path).metrics

    @property
    def model(self) -> dict[str, Any]:
        """The shared model's arrays by name."""
        return {name: array for name, array in self.session.shared().items() if _is_model(name)}

    def recommend(self, person: Any, k: int = 10) -> list[Recommendation]:
        """The k best items that the person does not have, best first. `person` is an id of the data."""
        if k < 1:
            raise DataError(f"k must be at least 1, got {k}")
        number = self.number_of(person)
        scores = self.session.scorer().everything(np.array([number], np.int32))[0]
        seen = np.concatenate(
            [part.of(number).item for part in (self.split.train, self.split.valid, self.split.test)]
        )
        best, values = best_unseen(scores, seen, k)
        titles = self.data.titles
        return [
            Recommendation(self.data.item_ids[int(item)], titles[item], float(value))
            for item, value in zip(best, values, strict=True)
        ]

    def number_of(self, person: Any) -> int:
        """The person number of an original id; DataError where nobody has it."""
        ids = self.data.person_ids.cast(pl.String)
        found = ids.index_of(str(person))
        if found is None:
            raise DataError(
                f"nobody in {self.data.name} has the id {person!r}; ids look like {ids[0]!r} ... {ids[-1]!r}"
            )
        return found

    @property
    def protocol(self) -> RankingProtocol:
        """How held-out items are ranked."""
        return protocol_of(self.split, self.settings)

    # --- what the run itself does ---

    def round(self) -> None:
        """One round, evaluated and saved where that is due; tiny ones many at a time, up to the next evaluation."""
        if self.session.round == 0 and not (self.path / directory.JOURNAL).exists():
            self._record()
        began = time.perf_counter()
        self.session.advance_by(self._until_due())
        self.seconds += time.perf_counter() - began
        evaluated = self._is_due()
        if evaluated:
            self._record()
        if evaluated or self._ends_a_pass() or time.perf_counter() - self._saved_at >= checkpoint.PAUSE_S:
            checkpoint.save(self.path, self.session, self.seconds)
            self._saved_at = time.perf_counter()

    def finish(self) -> None:
        """Writes the run's files as they stand; `summary.json` says whether the run came to its end."""
        rows = list(directory.journal_rows(self.path))
        if not rows or rows[-1]["round"] != self.session.round:
            self._record()
            rows = list(directory.journal_rows(self.path))
        evaluation = self.evaluation()
        with directory.clear_errors(self.path):
            pl.DataFrame(rows, infer_schema_length=None).write_parquet(self.path / directory.METRICS)
            save_file(
                {name: np.ascontiguousarray(array) for name, array in self.model.items()},
                self.path / directory.MODEL,
            )
            if self.session.federated:
                pl.DataFrame(self.session.ledger.entries()).write_parquet(self.path / directory.LEDGER)
            self._write_values(evaluation)
        directory.write_whole(self.path / directory.SUMMARY, msgspec.json.encode(self._summary(evaluation)))

    @property
    def _part(self) -> Any:
        return self.settings.part

    def _is_due(self) -> bool:
        """Whether the round that has just ended is one to evaluate."""
        done = self.session.round
        return done == self.session.rounds or done % self._rounds_between() == 0

    def _until_due(self) -> int:
        """Rounds from here to the next that is evaluated."""
        done, between = self.session.round, self._rounds_between()
        return min(between - done % between, self.session.rounds - done)

    def _rounds_between(self) -> int:
        """Rounds from one evaluation to the next."""
        a_pass = self.session.rounds_a_pass
        passes = -(-self.session.rounds // a_pass)
        return (self.settings.evaluate_every or max(1, passes // 50)) * a_pass

    def _ends_a_pass(self) -> bool:
        """Whether everybody has taken part once more."""
        return self.session.round % self.session.rounds_a_pass == 0

    def _record(self) -> None:
        """Evaluates and adds a line to the journal."""
        row = {
            "round": self.session.round,
            "global_round": self.session.round / self.session.rounds_a_pass,
            **{name: float(value) for name, value in self.evaluation().items()},
            "upload_bytes": self.session.ledger.bytes("up") / self.split.people_count,
            "download_bytes": self.session.ledger.bytes("down") / self.split.people_count,
            "seconds": self.seconds,
        }
        with directory.clear_errors(self.path), (self.path / directory.JOURNAL).open("ab") as journal:
            journal.write(msgspec.json.encode(row) + b"\n")
        self.latest = row

    def _bytes_per_person(self) -> dict[str, float]:
        people, ledger = self.split.people_count, self.session.ledger
        if not self.session.federated:
            return {}
        return {"upload_bytes": ledger.bytes("up") / people, "download_bytes": ledger.bytes("down") / people}

    def _summary(self, evaluation: Evaluation) -> dict[str, Any]:
        passes = self.session.round / self.session.rounds_a_pass
        sent, received = (self._bytes_per_person().get(name) for name in ("upload_bytes", "download_bytes"))
        return {
            "finished": self.session.round >= self.session.rounds,
            "interrupted": self.session.round < self.session.rounds,
            "metrics": dict(evaluation),
            "people_evaluated": evaluation.people_count,
            "protocol": f"{self.protocol.sentence}; ties count against the model; {evaluation.part} rows",
            "split": self.split.rule,
            "rounds": self.session.round,
            "planned_rounds": self.session.rounds,
            "global_rounds": passes,
            "seconds": self.seconds,
            "upload_bytes_per_person": sent,
            "download_bytes_per_person": received,
            "upload_bytes_per_person_round": sent / passes if sent is not None and passes else None,
            "download_bytes_per_person_round": received / passes if received is not None and passes else None,
            "flops_per_person_round": self.session.costs().get("training_operations"),
            "forward_operations_per_person_round": self.session.costs().get("forward_operations"),
            **self.session.facts(),
            "covey": covey.__version__,
            "command": rebuilding(directory.read_config(self.path)),
        }

    def _write_values(self, evaluation: Evaluation) -> None:
        """Keeps each person's metric values with the devices: a hit tells what somebody held out."""
        values = {"person": evaluation.people, **evaluation.per_person}
        path = self.path / directory.DEVICES / "values.parquet"
        path.touch(mode=0o600)
        pl.DataFrame(values).write_parquet(path)


def processors() -> int:
    """How many processors this process may use."""
    # Only Linux says which; a container may allow fewer than there are.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_model(name: str) -> bool:
    """Whether an array is part of the model rather than an optimizer's memory."""
    return not name.startswith(("memory/", "first/", "second/", "slope/")) and name != "steps"


def chosen_people(data: Interactions, settings: RunSettings) -> Interactions:
    """The rows that take part in this run at all, with values as the run takes them."""
    if settings.min_rows:
        data = data.at_least(settings.min_rows)
    if settings.min_item_rows:
        data = data.items_at_least(settings.min_item_rows)
    if settings.participation < 1:
        count = max(1, round(settings.participation * data.people_count))
        order = stream(settings.seed, "participation").permutation(data.people_count)
        data = data.only_people(np.sort(order[:count]))
    return data.raised_to(settings.lowest_value)


def split_of(data: Interactions, settings: RunSettings) -> Split:
    """The split that the settings ask for; without its test rows where the validation part is judged."""
    rule = (
        settings.split
        if settings.split != "auto"
        else ("given" if data.given is not None else "leave-last-out")
    )
    parts = split(data, rule, validation=settings.part == "valid", seed=settings.seed, share=settings.share)
    return without_test(parts) if settings.part == "valid" else parts


def protocol_of(parts: Split, settings: RunSettings) -> RankingProtocol:
    """How held-out items are ranked."""
    kind = settings.candidates
    if kind == "auto":
        # Given negatives belong to the test items; a validation item gets negatives of its own.
        kind = "given" if parts.negatives is not None and settings.part == "test" else "sampled"
    if kind == "given" and parts.negatives is None:
        raise RunError("candidates = 'given', but the data brings none; use 'sampled' or 'all'")
    return (
        {"given": Given, "all": AllItems}[kind]()
        if kind != "sampled"
        else Sampled(settings.candidate_negatives)
    )
