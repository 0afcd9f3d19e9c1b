"""The metrics as their definitions say, in plain loops over plain lists: slow, obvious, and independent.

Nothing here knows ranks computed by counting; a list is sorted, and then looked at.
"""

import math
from collections.abc import Mapping, Sequence

Lists = Mapping[int, list[int]]  # person -> items


def sorted_list(scores: Sequence[float], held_out: list[int], rivals: list[int]) -> list[int]:
    """Candidates, best first; a tie goes to the rival, then to the lower item number."""
    return sorted(held_out + rivals, key=lambda item: (-scores[item], item in held_out, item))


def of_person(ranked: list[int], held_out: list[int], ks: Sequence[int]) -> dict[str, float]:
    values: dict[str, float] = {}
    for k in ks:
        hits = [item for item in ranked[:k] if item in held_out]
        precision, recall = len(hits) / k, len(hits) / len(held_out)
        values[f"hr@{k}"] = 1.0 if hits else 0.0
        values[f"precision@{k}"] = precision
        values[f"recall@{k}"] = recall
        values[f"f1@{k}"] = 2 * precision * recall / (precision + recall) if hits else 0.0
        values[f"ndcg@{k}"] = dcg(ranked[:k], held_out) / dcg(held_out[:k], held_out)
        values[f"map@{k}"] = average_precision(ranked, held_out, k)
    first = min(ranked.index(item) for item in held_out)
    values["mrr"] = 1 / (first + 1)
    values["auc"] = pairs_won(ranked, held_out)
    return values


def dcg(ranked: list[int], held_out: list[int]) -> float:
    return sum(1 / math.log2(place + 2) for place, item in enumerate(ranked) if item in held_out)


def average_precision(ranked: list[int], held_out: list[int], k: int) -> float:
    total = 0.0
    for place, item in enumerate(ranked[:k]):
        if item in held_out:
            so_far = ranked[: place + 1]
            total += sum(each in held_out for each in so_far) / len(so_far)
    return total / min(k, len(held_out))


def pairs_won(ranked: list[int], held_out: list[int]) -> float:
    rivals = [item for item in ranked if item not in held_out]
    pairs = [(mine, theirs) for mine in held_out for theirs in rivals]
    return sum(ranked.index(mine) < ranked.index(theirs) for mine, theirs in pairs) / len(pairs)


def of_lists(tops: list[list[int]], item_count: int, k: int) -> dict[str, float]:
    shown = [sum(item in top[:k] for top in tops) for item in range(item_count)]
    # The Gini index as the mean absolute difference of all pairs, scaled so that one item with all has 1.
    differences = sum(abs(one - other) for one in shown for other in shown)
    index = differences / (2 * (item_count - 1) * sum(shown)) if item_count > 1 else 0.0
    return {f"coverage@{k}": sum(count > 0 for count in shown) / item_count, f"gini@{k}": 1 - index}


def evaluate_slowly(
    scores: Sequence[Sequence[float]], held_out: Lists, rivals: Lists, item_count: int, ks: Sequence[int]
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Every ranking metric of the population, and of each person in ascending order; all have a rival."""
    people = sorted(held_out)
    ranked = {p: sorted_list(scores[p], held_out[p], rivals[p]) for p in people}
    own = [of_person(ranked[p], held_out[p], ks) for p in people]
    per_person = {name: [each[name] for each in own] for name in own[0]}
    overall = {name: sum(values) / len(values) for name, values in per_person.items()}
    for k in ks:
        overall |= of_lists(list(ranked.values()), item_count, k)
    return overall, per_person
