"""What a comparison says in sentences: what was found, and what its tests mean."""

from covey.comparing.verdict import LEVEL, Verdict
from covey.reports import facts, units

_BY = {
    "people": "Student's paired t-test over {people} people, each with its mean over the repeats",
    "repeats": "the paired t-test over {repeats} repeats, with the variance of repeats that share data (Nadeau and Bengio)",
    "bayes": "the Bayesian correlated t-test over {repeats} repeats, with differences up to {rope} as practically none",
}


def finding(found: Verdict) -> str:
    """Who leads, and who cannot be told apart from it."""
    metric = found.asked.reading.metric
    best, *others = found.standings
    reached = f"{best.name} has the best {facts.label(metric)}, {units.metric(best.figures[metric].mean)}"
    if any(pair.distinguishable is None for pair in found.pairs):
        return f"{reached}; nothing could be tested."
    group = set(best.figures[metric].letters)
    same = [each.name for each in others if group & set(each.figures[metric].letters)]
    # The letter "a" is the best one's first group: only who is in it is like the best.
    like = [name for name in same if not _apart(found, best.name, name)]
    if not like:
        return f"{reached}, and can be told apart from every other."
    verb = "cannot be told apart from it"
    return f"{reached}; {units.listed(like)} {verb}."


def marking(found: Verdict) -> str:
    """What it means to share a letter, and by which test."""
    asked = found.asked
    by = _BY[asked.reading.test].format(
        people=units.count(found.people), repeats=asked.repeats, rope=f"{asked.reading.rope:g}"
    )
    corrected = f", Holm's correction over {len(found.pairs)} pairs" if len(found.pairs) > 1 else ""
    level = (
        f"probability above {1 - LEVEL:g}" if asked.reading.test == "bayes" else f"at {LEVEL:.0%}{corrected}"
    )
    return f"Names that share a letter cannot be told apart: {by}; {level}."


def repeated(found: Verdict) -> str:
    """What the repeats share, and what their spread therefore says."""
    asked = found.asked
    if asked.repeats == 1:
        return f"One repeat, seed {asked.seeds[0]}."
    seeds = f"{asked.repeats} repeats, seeds {asked.seeds[0]} to {asked.seeds[-1]}; ± is one standard deviation over them."
    if asked.redrawn:
        return f"{seeds} Each repeat draws its own split, the same for all."
    return (
        f"{seeds} The split is the same in each repeat: their spread is that of starts and of draws, "
        "not of other data."
    )


def disagreements(found: Verdict) -> list[str]:
    """Pairs on which people and repeats say different things: a reader must know."""
    said: list[str] = []
    for pair in found.pairs:
        if pair.people_p is None or pair.corrected_p is None:
            continue
        by_people, by_repeats = pair.people_p < LEVEL, pair.corrected_p < LEVEL
        if by_people != by_repeats:
            yes, no = ("people", "repeats") if by_people else ("repeats", "people")
            said.append(f"{pair.first} and {pair.second} differ over {yes}, but not over {no}.")
    return said


def _apart(found: Verdict, first: str, second: str) -> bool:
    return any({pair.first, pair.second} == {first, second} and pair.distinguishable for pair in found.pairs)
