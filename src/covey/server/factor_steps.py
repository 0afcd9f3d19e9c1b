"""What FCF's server does with summed gradients of the item factors: three ways to take a step.

gradient         Y -= gamma dJ/dY                                             equations 10 and 12 of the paper
adam             the same with running means of dJ/dY and its square          equations 13 to 17
preconditioned   y_i += gamma H_i^-1 (sum_u f(u, i) - lambda y_i)

H_i stands for what solving item i would take, lambda I + sum_u c_ui x_u x_u': the server knows only the sum over
everybody, G = sum_u x_u x_u', and how many people have the item, so it takes (w0 + alpha s n_i / U) G + lambda I. The
eigenvectors of G are those of every H_i, so one decomposition serves all items.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from covey.aggregation.sums import UpdateSum
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.fixed import from_fixed
from covey.models import factorization as fz
from covey.server.model import GlobalModel

STEPS = ("preconditioned", "gradient", "adam")
_PUBLISHED_RATES = {"gradient": 0.05, "adam": 0.2}
_EPSILON = 1e-8

Reals = npt.NDArray[np.float64]


def factor_step(
    config: Any, recipe: fz.Recipe, kind: str, model: GlobalModel, total: UpdateSum
) -> GlobalModel:
    """The model after one step of one of STEPS; sums of a sample stand for everybody in proportion."""
    arrays = dict(model.arrays)
    table = arrays["items"].astype(np.float64)
    people = int(arrays["memory/enrolled"][0])
    if total.people == 0:
        return GlobalModel(model.round + 1, arrays)
    share = total.people / people
    scale = 1 / share
    rate = config.server_rate or _usual_rate(config.server_step, share, model.round)
    schema = UPDATE_SCHEMAS[kind]
    pull = from_fixed(total.items, schema.item_field) * (scale / fz.release_weight(recipe))
    counts = now = (total.senders * scale).astype(np.float64)
    spread = np.zeros((table.shape[1], table.shape[1]))
    if schema.shared_field:
        shared = from_fixed(total.shared, schema.shared_field)
        spread = fz.unpacked(shared, table.shape[1]) * scale
        pull -= recipe.unobserved * (table @ spread)
        if recipe.explicit:
            arrays["network"] = (arrays["network"] + shared[-1] / total.people).astype(np.float32)
    spread, counts = _remembered(1 - share, arrays, spread, counts)
    ridges = _ridges(recipe, counts, people)
    # Of ratings, who sent none of an item's says nothing of it: it is held back in proportion to those who did, and
    # stays where it is if nobody did.
    held = np.ones(len(table)) if recipe.unobserved else now / np.maximum(counts, np.finfo(float).tiny)
    descent = pull - (held * ridges)[:, None] * table
    if config.server_step == "preconditioned":
        weights = recipe.unobserved + recipe.alpha * config.engagement * counts / people
        step = rate * _solve(spread, weights, ridges, descent)
    elif config.server_step == "adam":
        step = -rate * _adam(config, arrays, -2 * descent)
    else:
        step = 2 * rate * descent
    arrays["items"] = (table + step).astype(np.float32)
    return GlobalModel(model.round + 1, arrays)


def _usual_rate(kind: str, share: float, rounds_done: int) -> float:
    """How far to go where nobody said: all the way with everybody's sums, less where they are a sample's estimate.

    Four times the share in the first pass over the people, and half of that in the second, and so on: the noise of
    many small steps averages out, and the fewer are left out of a round, the less of it there is.
    """
    if kind != "preconditioned":
        return _PUBLISHED_RATES[kind]
    passes = rounds_done * share
    return min(1.0, 4 * share / (1 + passes * (1 - share)))


def _ridges(recipe: fz.Recipe, counts: Reals, people: int) -> Reals:
    """The regularization of each item."""  # [items]
    weights = recipe.unobserved * people + recipe.alpha * counts
    return recipe.regularization * np.maximum(weights, 1) ** recipe.scaling


def _remembered(memory: float, arrays: dict[str, Any], spread: Reals, counts: Reals) -> tuple[Reals, Reals]:
    """Running means of G and of the counts over about one pass, kept in arrays; as they are where all took part."""
    if memory <= 0:
        return spread, counts
    # Divided by the weights so far: a mean that starts at zero would take many rounds to get away from it.
    weight = memory * arrays.get("memory/weight", np.zeros(1)) + (1 - memory)
    kept = {}
    for name, now in (("spread", spread), ("counts", counts)):
        kept[name] = memory * arrays.get(f"memory/{name}", np.zeros_like(now)) + (1 - memory) * now
        arrays[f"memory/{name}"] = kept[name]
    arrays["memory/weight"] = weight
    return kept["spread"] / weight, kept["counts"] / weight


def _solve(spread: Reals, weights: Reals, ridges: Reals, right: Reals) -> Reals:
    """(weights[i] G + ridges[i] I)^-1 right[i] for every item i."""  # [items, width]
    values, vectors = np.linalg.eigh(spread)
    sizes = weights[:, None] * np.maximum(values, 0) + ridges[:, None]
    turned = right @ vectors
    # Nobody's factors point that way, or nobody has the item, and nothing is regularized: nothing to learn there.
    return np.divide(turned, sizes, out=np.zeros_like(turned), where=sizes > 0) @ vectors.T


def _adam(config: Any, arrays: dict[str, Any], slope: Reals) -> Reals:
    """Equations 13 to 17; the corrections divide by 1 - beta and not by 1 - beta^t, as they are printed."""
    first = config.decay_1 * arrays.get("memory/first", np.zeros_like(slope)) + (1 - config.decay_1) * slope
    second = (
        config.decay_2 * arrays.get("memory/second", np.zeros_like(slope)) + (1 - config.decay_2) * slope**2
    )
    arrays["memory/first"], arrays["memory/second"] = first, second
    speed = first / (1 - config.decay_1)
    size = second / (1 - config.decay_2)
    return speed / (np.sqrt(size) + _EPSILON)
