"""What a comparison found: a standing for each entry, and tests of every pair."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from covey.comparing.asked import Asked
from covey.comparing.measured import Measured, Values, mean_run
from covey.errors import ConfigError
from covey.evaluation.significance import PairedTest, Posterior, bayesian_correlated, holm, letters, paired_t
from covey.reports import facts
from covey.runs import RunFiles

Bayes = Callable[[Values, Values], Posterior | None]

LEVEL = 0.05  # of a test; its posterior twin is 1 - LEVEL


@dataclass(frozen=True)
class Figure:
    """A metric of one entry."""

    mean: float  # over repeats
    sd: float | None  # over repeats; None of one
    by_repeat: list[float]
    letters: str  # shared with those that it cannot be told apart from; empty where nothing could be tested


@dataclass(frozen=True)
class Standing:
    """One entry."""

    name: str
    algorithm: str
    title: str
    federated: bool
    figures: dict[str, Figure]
    rounds: float
    global_rounds: float
    upload_bytes: float | None  # mean a person
    download_bytes: float | None
    seconds: float


@dataclass(frozen=True)
class Versus:
    """Every test of one pair on one metric; what could not be tested is None."""

    first: str
    second: str
    difference: float  # of the means over repeats
    distinguishable: bool | None  # by the test that was asked for
    people: PairedTest | None  # over people, each with its mean over the repeats
    people_p: float | None  # after Holm's correction over all pairs
    each_repeat: list[PairedTest]  # over the people of one repeat
    each_repeat_p: list[float]  # after Holm's correction over all pairs of that repeat
    repeats: PairedTest | None  # over repeats, as if they were independent
    repeats_p: float | None
    corrected: PairedTest | None  # over repeats that share data
    corrected_p: float | None
    bayes: Posterior | None


@dataclass(frozen=True)
class Verdict:
    """Everything that a report shows."""

    asked: Asked
    standings: list[Standing]  # best first
    pairs: list[Versus]  # of the headline metric, in the order of the standings
    runs: list[RunFiles]  # of each standing: its repeats as one
    people: int  # who were evaluated in some repeat
    notes: list[str]


def verdict(asked: Asked, measured: Sequence[Measured]) -> Verdict:
    """All tests of all pairs on all metrics."""
    metric = asked.reading.metric
    sign = 1 if facts.lower_is_better(metric) else -1
    ranked = sorted(measured, key=lambda each: sign * float(each.by_repeat(metric).mean()))
    notes: list[str] = []
    bayes = _bayes_of(asked, notes)
    names = list(dict.fromkeys(name for each in ranked for name in each.runs[0].summary["metrics"]))
    tested = {
        name: _pairs(asked, [each for each in ranked if np.isfinite(each.by_repeat(name)).all()], name, bayes)
        for name in [metric, *(name for name in names if name != metric)]
    }
    groups = {name: _letters(ranked, name, pairs) for name, pairs in tested.items()}
    standings = [_standing(each, asked, groups) for each in ranked]
    return Verdict(
        asked=asked,
        standings=standings,
        pairs=tested[metric],
        runs=[mean_run(each) for each in ranked],
        people=len(set().union(*(frame["person"] for frame in ranked[0].people))),
        notes=notes,
    )


def _pairs(asked: Asked, measured: Sequence[Measured], metric: str, bayes: Bayes) -> list[Versus]:
    """Every pair's tests on one metric."""
    pairs = list(combinations(measured, 2))
    means = {each.name: each.by_person(metric) for each in measured if each.has_people(metric)}
    people = [_people(means.get(a.name), means.get(b.name)) for a, b in pairs]
    plain = [_repeats(a, b, metric, 0.0) for a, b in pairs]
    corrected = [_repeats(a, b, metric, asked.test_to_train) for a, b in pairs]
    alone = [_each_repeat(a, b, metric) for a, b in pairs]
    alone_p = [holm([tests[r].p for tests in alone]) for r in range(min(map(len, alone), default=0))]
    people_p, plain_p, corrected_p = (_adjusted(tests) for tests in (people, plain, corrected))
    posteriors = [bayes(a.by_repeat(metric), b.by_repeat(metric)) for a, b in pairs]
    return [
        Versus(
            first=a.name,
            second=b.name,
            difference=float((a.by_repeat(metric) - b.by_repeat(metric)).mean()),
            distinguishable=_told_apart(asked.reading.test, people_p[n], corrected_p[n], posteriors[n]),
            people=people[n],
            people_p=people_p[n],
            each_repeat=alone[n],
            each_repeat_p=[ps[n] for ps in alone_p],
            repeats=plain[n],
            repeats_p=plain_p[n],
            corrected=corrected[n],
            corrected_p=corrected_p[n],
            bayes=posteriors[n],
        )
        for n, (a, b) in enumerate(pairs)
    ]


def _people(ours: Values | None, theirs: Values | None) -> PairedTest | None:
    return paired_t(ours, theirs) if ours is not None and theirs is not None and len(ours) > 1 else None


def _each_repeat(a: Measured, b: Measured, metric: str) -> list[PairedTest]:
    if not (a.has_people(metric) and b.has_people(metric)):
        return []
    both = zip(a.of_people(metric), b.of_people(metric), strict=True)
    return [paired_t(ours, theirs) for ours, theirs in both if len(ours) > 1]


def _repeats(a: Measured, b: Measured, metric: str, overlap: float) -> PairedTest | None:
    ours, theirs = a.by_repeat(metric), b.by_repeat(metric)
    return paired_t(ours, theirs, overlap=overlap) if len(ours) > 1 else None


def _adjusted(tests: Sequence[PairedTest | None]) -> list[float | None]:
    known = [test.p for test in tests if test is not None]
    adjusted = iter(holm(known))
    return [None if test is None else next(adjusted) for test in tests]


def _bayes_of(asked: Asked, notes: list[str]) -> Bayes:
    """The Bayesian test of this comparison; one that finds nothing where there is one repeat or no baycomp."""
    correlation = asked.test_to_train / (1 + asked.test_to_train)
    rope = asked.reading.rope
    if asked.repeats < 2:
        notes.append(
            "One repeat has only person-by-person tests: they speak of other people, not of other seeds. "
            "More repeats add tests over repeats and the Bayesian test."
        )
        return _untested
    try:
        bayesian_correlated([0.0, 1.0], [0.0, 0.0], rope=rope, correlation=correlation)
    except ConfigError as error:
        if asked.reading.test == "bayes":
            raise
        notes.append(f"Not tested: {error}.")
        return _untested

    def bayes(ours: Values, theirs: Values) -> Posterior:
        return bayesian_correlated(ours, theirs, rope=rope, correlation=correlation)

    return bayes


def _untested(ours: Values, theirs: Values) -> None:
    return None


def _told_apart(
    test: str, people_p: float | None, corrected_p: float | None, posterior: Posterior | None
) -> bool | None:
    if test == "bayes":
        return None if posterior is None else max(posterior.worse, posterior.better) > 1 - LEVEL
    p = people_p if test == "people" else corrected_p
    return None if p is None else p < LEVEL


def _letters(ranked: Sequence[Measured], metric: str, pairs: Sequence[Versus]) -> dict[str, str]:
    """Name -> letters, "a" the group of the best; empty where nothing could be tested."""
    if not pairs or any(pair.distinguishable is None for pair in pairs):
        return {}
    means = {each.name: float(each.by_repeat(metric).mean()) for each in ranked}
    having = [name for name, mean in means.items() if np.isfinite(mean)]
    having.sort(key=lambda name: means[name], reverse=not facts.lower_is_better(metric))
    return letters(having, {(pair.first, pair.second) for pair in pairs if pair.distinguishable})


def _standing(measured: Measured, asked: Asked, groups: dict[str, dict[str, str]]) -> Standing:
    mean = mean_run(measured)
    summary = mean.summary
    figures: dict[str, Figure] = {}
    for name in summary["metrics"]:
        values = measured.by_repeat(name)
        sd = float(values.std(ddof=1)) if len(values) > 1 else None
        figures[name] = Figure(
            float(values.mean()), sd, [float(value) for value in values], groups[name].get(measured.name, "")
        )
    return Standing(
        name=measured.name,
        algorithm=next(entry.algorithm for entry in asked.entries if entry.name == measured.name),
        title=measured.runs[0].title,
        federated=mean.federated,
        figures=figures,
        rounds=summary["rounds"],
        global_rounds=summary["global_rounds"],
        upload_bytes=facts.cost(mean, "upload_bytes"),
        download_bytes=facts.cost(mean, "download_bytes"),
        seconds=summary["seconds"],
    )
