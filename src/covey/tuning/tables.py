"""A study's tables, for terminals, Markdown, pages and programs."""

from typing import Any

import msgspec

from covey.reports import facts, units
from covey.reports.tables import markdown_table
from covey.runs.command import plain
from covey.runs.keys import algorithm_keys
from covey.tuning.found import Found, Tried
from covey.tuning.optimizer import JOURNAL

Table = tuple[list[str], list[list[str]]]


def finding(found: Found) -> str:
    """What the best trial reached, and that this is no result yet."""
    metric, best = facts.label(found.asked.metric), found.best
    return (
        f"Trial {best.number} is the best of {len(found.tried)}: {metric} {units.metric(best.value)} on the validation "
        "part. It was chosen for that figure, so the figure flatters it; the test part, which no trial saw, tells."
    )


def best(found: Found) -> Table:
    """A line for each tuned key: where was looked, what is best, what it would be by default, how much it mattered."""
    defaults = {key.name: key.default for key in algorithm_keys(found.asked.algorithm)}
    lines = [
        [
            key,
            found.asked.space[key],
            plain(value),
            plain(defaults[key]),
            units.share(found.importance[key], 1) if key in found.importance else units.MISSING,
        ]
        for key, value in found.best.settings.items()
    ]
    return ["key", "range", "best", "default", "importance"], lines


def trials(found: Found, at_most: int = 0) -> Table:
    """A line for each trial, the best first; those that did not come to their end last."""
    sign = 1 if facts.lower_is_better(found.asked.metric) else -1
    ended = sorted(
        (each for each in found.tried if each.value is not None), key=lambda each: sign * (each.value or 0)
    )
    lines = [_line(found, each) for each in [*ended, *(each for each in found.tried if each.value is None)]]
    return ["trial", facts.label(found.asked.metric), *found.asked.space], lines[: at_most or None]


def in_words(tried: Tried) -> str:
    """A trial's settings as `--set` writes them."""
    return " ".join(f"{key}={plain(value)}" for key, value in tried.settings.items())


def markdown(found: Found) -> str:
    """The whole study as Markdown."""
    asked = found.asked
    parts = [
        f"# {asked.algorithm} tuned on {asked.source['data']}\n",
        f"{finding(found)}\n",
        markdown_table(*best(found), left={"key", "range"}),
        f"Train with it:\n\n```\n{found.command}\n```\n",
        f"{EXPLAINED}\n",
        "## Trials\n",
        markdown_table(*trials(found)),
        *(
            f"{name}: {text}.\n"
            for name, text in (("Split", found.split), ("Protocol", found.protocol))
            if text
        ),
    ]
    return "\n".join(parts)


EXPLAINED = (
    "Importance is a key's share of what made the trials differ, as far as so few trials can say (Optuna); "
    f"its own record of the study is {JOURNAL}."
)


def to_json(found: Found) -> str:
    """Everything that was found, for programs."""
    told: dict[str, Any] = {
        "asked": found.asked,
        "best": found.best,
        "command": found.command,
        "importance": found.importance,
        "trials": found.tried,
        "split": found.split,
        "protocol": found.protocol,
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def best_json(found: Found) -> str:
    """The best settings, alone."""
    told: dict[str, Any] = {
        "algorithm": found.asked.algorithm,
        "data": found.asked.source["data"],
        "metric": found.asked.metric,
        "part": "valid",
        "value": found.best.value,
        "trial": found.best.number,
        "trials": len(found.tried),
        "settings": {**found.asked.fixed, **found.best.settings},
        "command": found.command,
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode() + "\n"


def _line(found: Found, each: Tried) -> list[str]:
    value = f"{each.value:.4f}" if each.value is not None else "ended early"
    return [
        str(each.number),
        value,
        *(plain(each.settings.get(key, units.MISSING)) for key in found.asked.space),
    ]
