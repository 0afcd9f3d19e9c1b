"""A comparison's tables, for terminals, Markdown, pages and programs."""

import shlex
from collections.abc import Sequence
from typing import Any

import msgspec

from covey.comparing import wording
from covey.comparing.command import command
from covey.comparing.verdict import LEVEL, Figure, Standing, Verdict, Versus
from covey.evaluation.significance import PairedTest
from covey.reports import facts, units
from covey.reports.posteriors import probability
from covey.reports.tables import markdown_table

Table = tuple[list[str], list[list[str]]]


def standings(found: Verdict) -> Table:
    """Headers and a line for each entry, best first."""
    shown = headline_metrics(found)
    headers = ["name", "group", *(facts.label(name) for name in shown)]
    headers += ["rounds", "sent a person", "received a person", "time"]
    return headers, [_standing(each, shown, found.asked.reading.metric) for each in found.standings]


def headline_metrics(found: Verdict) -> list[str]:
    """The metric that the table is sorted by, and the first of the usual ones beside it."""
    metric = found.asked.reading.metric
    usual = [name for name in facts.headlines(found.runs, 3) if name != metric]
    return [metric, *usual[:1]]


def other_metrics(found: Verdict) -> Table:
    """Every other metric of every entry with its letters; without lines where there is none."""
    known = dict.fromkeys(name for each in found.standings for name in each.figures)
    names = [name for name in known if name not in headline_metrics(found)]
    lines = [[each.name, *(lettered(each.figures.get(name)) for name in names)] for each in found.standings]
    return ["name", *(facts.label(name) for name in names)], lines if names else []


def short_tests(found: Verdict) -> Table:
    """What fits in a terminal: a line for each pair."""
    several, bayes = found.asked.repeats > 1, _has_bayes(found)
    headers = ["pair", "difference", "p over people"]
    headers += ["p over repeats"] if several else []
    headers += [f"within ±{found.asked.reading.rope:g}"] if bayes else []
    lines = [
        [
            _named(pair),
            units.signed(pair.difference),
            units.p_value(pair.people_p),
            *([units.p_value(pair.corrected_p)] if several else []),
            *(_shares(pair)[1:2] if bayes else []),
            _apart(pair),
        ]
        for pair in found.pairs
    ]
    return [*headers, "told apart"], lines


def over_people(found: Verdict) -> Table:
    """Headers and a line for each pair: the tests over people, all repeats together and each alone."""
    several = found.asked.repeats > 1
    headers = [
        "pair",
        "difference",
        "95% interval",
        "d_z",
        "p",
        *(["repeats that differ"] if several else []),
    ]
    lines = [
        [
            _named(pair),
            units.signed(pair.difference),
            *_interval_and_effect(pair.people),
            units.p_value(pair.people_p),
            *([_how_many(pair)] if several else []),
            _apart(pair),
        ]
        for pair in found.pairs
    ]
    return [*headers, "told apart"], lines


def over_repeats(found: Verdict) -> Table:
    """Headers and a line for each pair: the tests over repeats; without lines where there is one repeat."""
    if found.asked.repeats < 2:
        return [], []
    bayes = _has_bayes(found)
    headers = ["pair", "95% interval", "d_z", "p", "p if independent"]
    headers += ["P(worse)", f"P(within ±{found.asked.reading.rope:g})", "P(better)"] if bayes else []
    lines = [
        [
            _named(pair),
            *_interval_and_effect(pair.corrected),
            units.p_value(pair.corrected_p),
            units.p_value(pair.repeats_p),
            *(_shares(pair) if bayes else []),
        ]
        for pair in found.pairs
    ]
    return headers, lines


def markdown(found: Verdict) -> str:
    """The whole comparison as Markdown."""
    title = f"# {facts.label(found.asked.reading.metric)} of {units.listed([each.name for each in found.standings])}\n"
    headers, lines = standings(found)
    _, other = other_metrics(found)
    _, repeats = over_repeats(found)
    parts = [
        title,
        wording.finding(found) + "\n",
        markdown_table(headers, lines),
        f"{wording.marking(found)} {wording.repeated(found)}\n",
        *(f"{note}\n" for note in [*found.notes, *wording.disagreements(found)]),
        f"## Tests of {facts.label(found.asked.reading.metric)}\n",
        markdown_table(*over_people(found)),
        EXPLAINED + "\n",
        *([markdown_table(*over_repeats(found)), OVER_REPEATS + "\n"] if repeats else []),
        *(["## Other metrics\n", markdown_table(*other_metrics(found))] if other else []),
        *(f"{name}: {text}.\n" for name, text in _protocol(found)),
    ]
    return "\n".join(parts)


EXPLAINED = (
    "Over people, each with its mean over the repeats. Differences are the first less the second; d_z is the mean "
    "difference in standard deviations of the differences. p is corrected by Holm over all pairs; the intervals are "
    "those of single tests. Repeats that differ are those whose people alone, without the other repeats, tell the pair "
    "apart."
)
OVER_REPEATS = (
    "Over repeats, with the variance of repeats that share data (Nadeau and Bengio), and p corrected by Holm over all "
    "pairs. P are the probabilities that the first is worse, practically equal and better, of the Bayesian correlated "
    "t-test."
)


def to_json(found: Verdict) -> str:
    """Everything that was found, for programs; what could not be tested is null."""
    told: dict[str, Any] = {
        "asked": found.asked,
        "finding": wording.finding(found),
        "marking": wording.marking(found),
        "repeats": wording.repeated(found),
        "notes": [*found.notes, *wording.disagreements(found)],
        "level": LEVEL,
        "command": shlex.join(command(found.asked)),
        "people": found.people,
        "standings": found.standings,
        "pairs": found.pairs,
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def figure(each: Figure | None) -> str:
    """A mean, and its standard deviation over repeats."""
    if each is None:
        return units.MISSING
    return f"{each.mean:.4f}" if each.sd is None else f"{each.mean:.4f} ± {each.sd:.4f}"


def lettered(each: Figure | None) -> str:
    """The same with its letters."""
    return figure(each) + (f" {each.letters}" if each is not None and each.letters else "")


def _standing(each: Standing, shown: Sequence[str], metric: str) -> list[str]:
    return [
        each.name,
        each.figures[metric].letters or units.MISSING,
        *(figure(each.figures.get(name)) for name in shown),
        units.amount(each.rounds),
        units.bytes_(each.upload_bytes),
        units.bytes_(each.download_bytes),
        units.seconds(each.seconds),
    ]


def _has_bayes(found: Verdict) -> bool:
    return any(pair.bayes is not None for pair in found.pairs)


def _named(pair: Versus) -> str:
    return f"{pair.first} \N{MINUS SIGN} {pair.second}"


def _apart(pair: Versus) -> str:
    return {True: "yes", False: "no", None: units.MISSING}[pair.distinguishable]


def _how_many(pair: Versus) -> str:
    """In how many repeats the people of that repeat alone tell the pair apart."""
    if not pair.each_repeat:
        return units.MISSING
    return f"{sum(p < LEVEL for p in pair.each_repeat_p)} of {len(pair.each_repeat)}"


def _shares(pair: Versus) -> list[str]:
    if pair.bayes is None:
        return [units.MISSING] * 3
    return [probability(share) for share in (pair.bayes.worse, pair.bayes.equal, pair.bayes.better)]


def _interval_and_effect(test: PairedTest | None) -> list[str]:
    if test is None:
        return [units.MISSING, units.MISSING]
    effect = units.finite(test.effect)
    return [units.interval(test.low, test.high), units.MISSING if effect is None else units.signed(effect, 2)]


def _protocol(found: Verdict) -> list[tuple[str, str]]:
    summary = found.runs[0].summary
    return [
        (name, str(summary[key]))
        for name, key in (("Split", "split"), ("Protocol", "protocol"))
        if key in summary
    ]
