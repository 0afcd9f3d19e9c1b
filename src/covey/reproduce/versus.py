"""Rows against rows of the same seeds: the difference in percent, and how probable it is that it is practically none."""

from collections.abc import Mapping, Sequence
from typing import Any

from covey.evaluation.significance import Posterior, bayesian_correlated
from covey.reports import units
from covey.reports.posteriors import probability
from covey.reports.tables import markdown_table

_USUAL_SHARE = 0.8  # of a ratio split's rows that train, where a row does not say


def differences(
    rows: Sequence[Mapping[str, Any]], metrics: Sequence[str], rope: float
) -> list[dict[str, Any]]:
    """Every metric of every row that is held against another one, over the seeds that both have."""
    by_id = {row["id"]: row for row in rows}
    pairs = [(row, by_id[row["against"]]) for row in rows if row.get("against") in by_id]
    return [
        _difference(row, other, name, rope)
        for row, other in pairs
        for name in metrics
        if name in row["ours"] and name in other["ours"]
    ]


def posterior_of(difference: Mapping[str, Any]) -> Posterior | None:
    """The posterior that was stored with a difference; None of one seed, or of seeds that differ by one number."""
    stored = difference["posterior"]
    return Posterior(**stored) if stored and stored["scale"] > 0 else None


def table(stored: Mapping[str, Any]) -> str:
    """The differences as Markdown, with the plots of their posteriors; empty where no row is held against another."""
    found = stored.get("differences")
    if not found:
        return ""
    rows = {row["id"]: row for row in stored["rows"]}
    cells = [
        [
            called(rows[each["id"]]),
            called(rows[each["against"]]),
            each["metric"],
            units.metric(rows[each["id"]]["ours"][each["metric"]]["mean"]),
            units.metric(rows[each["against"]]["ours"][each["metric"]]["mean"]),
            f"{each['percent']:.2f}",
            *_probabilities(each["posterior"]),
        ]
        for each in found
    ]
    head = ["row", "against", "metric", "its mean", "the other's", "difference in %"]
    rope = stored["rope"]
    chances = ["P(lower)", f"P(within ±{rope:g})", "P(higher)"]
    name = stored["name"].rsplit("/", 1)[-1]
    plots = [f"![{title(rows, each)}]({name}/{picture(each)})" for each in found if posterior_of(each)]
    said = (
        f"Differences over the same seeds; the probabilities are those of the Bayesian correlated t-test with a region "
        f"of practical equivalence of ±{rope:g}.\n"
    )
    lines = markdown_table([*head, *chances], cells, left={*head[:3]})
    return "\n".join(["## Differences\n", said, lines, *plots, ""])


def picture(difference: Mapping[str, Any]) -> str:
    """The name of the file that a difference's posterior is drawn in."""
    return f"{difference['id']}-{difference['metric'].replace('@', '-at-')}.svg"


def title(rows: Mapping[str, Mapping[str, Any]], difference: Mapping[str, Any]) -> str:
    """What a posterior's plot shows, in words."""
    ours, other = (called(rows[difference[key]]) for key in ("id", "against"))
    return f"{difference['metric']}: {ours} less {other}"


def called(row: Mapping[str, Any]) -> str:
    """A row by its labels."""
    return ", ".join(text for text in row["labels"].values() if text)


def _difference(row: Mapping[str, Any], other: Mapping[str, Any], metric: str, rope: float) -> dict[str, Any]:
    ours, theirs = row["ours"][metric], other["ours"][metric]
    seeds = [seed for seed in ours["seeds"] if seed in theirs["seeds"]]
    first, second = ([each["seeds"][seed] for seed in seeds] for each in (ours, theirs))
    percent = 100 * abs(sum(first) / sum(second) - 1) if seeds and sum(second) else 0.0
    # Repeats of a split share rows; their correlation is the test rows' share of all rows.
    correlation = 1 - row["settings"].get("share", _USUAL_SHARE)
    posterior = (
        bayesian_correlated(first, second, rope=rope, correlation=correlation) if len(seeds) > 1 else None
    )
    return {
        "id": row["id"],
        "against": other["id"],
        "metric": metric,
        "seeds": len(seeds),
        "percent": percent,
        "posterior": posterior
        and {name: getattr(posterior, name) for name in Posterior.__dataclass_fields__},
    }


def _probabilities(posterior: Mapping[str, float] | None) -> list[str]:
    if posterior is None:
        return [units.MISSING] * 3
    return [probability(posterior[name]) for name in ("worse", "equal", "better")]
