"""A stored result as Markdown: what was published, what we measured, and how far apart they are."""

from collections.abc import Mapping, Sequence
from typing import Any

from covey.reports import ours_and_theirs, units
from covey.reports.facts import label
from covey.reports.tables import markdown_table
from covey.reproduce import versus

_NAMES = {
    "forward_kflops_mean": "forward kFLOP, mean",
    "forward_kflops_min": "forward kFLOP, least",
    "forward_kflops_max": "forward kFLOP, most",
    "training_kflops_mean": "training kFLOP, mean",
    "upload_kb_a_round": "kB sent a round",
    "download_kb_a_round": "kB received a round",
    "item_difference_percent": "mean difference, %",
    "item_absolute_difference_percent": "mean absolute difference, %",
    "item_distance": "distance over length",
    "objective_above_percent": "objective above the twin's, %",
    "converged": "share of starts converged",
    "guess_people": "error, people half known",
    "blind_people": "error without the message, people half known",
    "guess_items": "error, items half known",
    "blind_items": "error without the message, items half known",
    "guess_ratings": "error, ratings half known",
    "blind_ratings": "error without the message, ratings half known",
    "membership": "items rated or not, AUC",
    "membership_popular": "items rated or not with popularity, AUC",
    "popular": "popularity alone, AUC",
    "one_message": "from one message",
    "own_or_sampled": "own or sampled, one message",
    "came_back": "own or sampled, named again in 10 rounds",
    "signs": "from 50 messages, signs",
    "vector": "from 50 messages, the vector",
    "hidden": "never named, from 50 messages",
    "one_sum": "from one sum",
    "two_sums": "from sums with and without, 30 rounds",
    "all_sums": "from all sums of the run",
    "masking_ms": "ms of masking a person",
    "agreement_ms": "ms of agreeing on keys a person",
    "unmasking_ms": "ms of unmasking a person",
    "home_ms": "ms of a round a person, all phases",
    "neighbours": "neighbours",
    "numbers_generated": "numbers in masks a person",
    "numbers_generated_sparse": "numbers in masks a person, sparse graph",
    "vector_kb": "kB of a masked vector",
    "before_rmse": "RMSE, groups' own models",
    "before_mse": "MSE, groups' own models",
    "before_rmse_of_groups": "RMSE, mean over groups, own models",
    "before_mse_of_groups": "MSE, mean over groups, own models",
    "before_equation_8": "equation 8 as printed, own models",
    "rmse_of_groups": "RMSE, mean over groups",
    "mse_of_groups": "MSE, mean over groups",
    "equation_8": "equation 8 as printed",
    "groups_improved": "groups improved",
    "share_improved": "share of groups improved",
    "change_of_improved": "change of RMSE, groups improved",
    "change_of_others": "change of RMSE, other groups",
    "change_of_improved_mse": "change of MSE, groups improved",
    "change_of_others_mse": "change of MSE, other groups",
    "people_correlation": "correlation of change and people",
    "ratings_correlation": "correlation of change and ratings",
    "before_rmse_10%": "RMSE of the best tenth's last group, own models",
    "before_rmse_50%": "RMSE of the middle group, own models",
    "before_rmse_90%": "RMSE of the worst tenth's first group, own models",
    "after_rmse_10%": "RMSE of the best tenth's last group",
    "after_rmse_50%": "RMSE of the middle group",
    "after_rmse_90%": "RMSE of the worst tenth's first group",
}
_GLOBAL_ROUNDS = (0, 1, 2, 5, 10, 20, 30, 50, 100, 200, 300, 400, 600, 800, 1000)


def rendered(stored: Mapping[str, Any]) -> str:
    """The whole result as a Markdown text."""
    rows = stored["rows"]
    lines = _without_empty([line for row in rows for line in _lines(row, stored["metrics"])])
    parts = [
        f"# {stored['title']}\n",
        f"{stored['paper']}\n",
        f"Protocol: {stored['protocol']}\n",
        f"Rebuilt by `{stored['command']}` with Covey {stored['covey']}, last on {stored['updated'][:10]}.\n",
        ours_and_theirs(lines),
        versus.table(stored),
        *(_curves(rows, metric) for metric in stored["metrics"]),
        _missing(rows),
    ]
    return "\n".join(part for part in parts if part)


def metric_name(name: str) -> str:
    """A metric as a table calls it."""
    return _NAMES.get(name) or label(name)


def _lines(row: Mapping[str, Any], metrics: Sequence[str]) -> list[dict[str, Any]]:
    """A line a metric that we have or that was published."""
    shown = [name for name in metrics if name in row["ours"] or name in row["theirs"]]
    return [_line(row, name) for name in shown]


def _line(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    ours = row["ours"].get(name, {})
    seeds = len(ours.get("seeds", {}))
    spread = f"{ours['sd']:.4f} of {seeds}" if ours.get("sd") is not None else None
    passes, sent = row.get("global_rounds"), row.get("upload_bytes_per_person")
    return {
        **row["labels"],
        "metric": metric_name(name),
        "ours": ours.get("mean"),
        "people": row.get("people_evaluated"),
        "theirs": row["theirs"].get(name),
        "sd over seeds": spread,
        "global rounds": units.amount(passes) if passes is not None else None,
        "sent a person": units.bytes_(sent) if sent is not None else None,
        "note": "; ".join(text for text in (row.get("why"), row.get("note")) if text),
    }


def _without_empty(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines without the columns in which nobody has anything."""
    used = {key for line in lines for key, value in line.items() if value is not None}
    return [{key: value for key, value in line.items() if key in used} for line in lines]


def _curves(rows: Sequence[Mapping[str, Any]], metric: str) -> str:
    """A metric after so many global rounds, a line a row; empty where no row kept its way."""
    drawn = [row for row in rows if metric in (row.get("curve") or {})]
    if not drawn:
        return ""
    longest = max(row["curve"]["global_round"][-1] for row in drawn)
    columns = [at for at in _GLOBAL_ROUNDS if at <= longest]
    names = list(drawn[0]["labels"])
    cells = [
        [*(row["labels"].get(name, "") for name in names), *(_at(row["curve"], metric, at) for at in columns)]
        for row in drawn
    ]
    table = markdown_table([*names, *(str(at) for at in columns)], cells, left=set(names))
    return f"## {metric_name(metric)} after so many global rounds\n\n{table}"


def _at(curve: Mapping[str, Any], metric: str, at: float) -> str:
    """The last value up to that global round; a dash where the run had ended long before."""
    known = [n for n, passed in enumerate(curve["global_round"]) if passed <= at]
    if not known or curve["global_round"][-1] < at:
        return units.MISSING
    return units.metric(curve[metric][known[-1]])


def _missing(rows: Sequence[Mapping[str, Any]]) -> str:
    needed = list(dict.fromkeys(row["why"] for row in rows if row.get("why")))
    return f"Rows without numbers of ours: {'; '.join(needed)}.\n" if needed else ""
