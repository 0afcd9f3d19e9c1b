"""What a FedSPLIT group does at home: its own model, the message made of it, and its people's vectors afterwards."""

from typing import Any

import numpy as np

from covey.algorithms.fedsplit_groups import GroupRows
from covey.device.groups import GroupModel
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.fedsplit import BIAS_SUMS, GROUP_MEAN, PATTERNS, PATTERNS_AND_BIASES
from covey.messages.fixed import to_fixed
from covey.messages.updates import ModelUpdate
from covey.models import cnmf, patterns
from covey.models.cnmf import Factorization, Penalties
from covey.random import stream
from covey.types import Floats, ItemIndex

LOCAL = ("cnmf", "spectrum")
HIDE = ("none", "rare", "decoys")
_BIAS_ROUNDS = 10
_BLUR = 0.5  # of a made-up row, in spreads of the rows that it is like


def mean_message(rows: GroupRows, round_number: int) -> ModelUpdate:
    """The group's mean rating (equation 6)."""
    field = UPDATE_SCHEMAS[GROUP_MEAN].shared_field
    assert field is not None
    units, clipped = to_fixed(np.array([rows.value.mean()], np.float64), field)
    nothing = np.zeros(0, np.int32)
    return ModelUpdate(round_number, GROUP_MEAN, nothing, np.zeros((0, 0), np.int32), units, 0, clipped)


def penalties_of(config: Any) -> Penalties:
    """The penalties of a configuration with the keys of local and central CNMF."""
    return Penalties(
        config.user_regularization, config.item_regularization, config.user_bias_regularization,
        config.item_bias_regularization, config.user_bias_rate, config.item_bias_rate, config.penalty == "rating",
    )  # fmt: skip


def pattern_count(rows: GroupRows, wanted: int) -> int:
    """How many patterns a group sends: as many as wanted, fewer than it has people (the paper's range), at least one.

    So a group of no more people than the wanted patterns shows how many they are.
    """
    return max(1, min(wanted, len(rows.people) - 1, len(rows.items)))


def fit_group(config: Any, rows: GroupRows, centre: float, ticket: int, seed: int) -> GroupModel:
    """The group's own model of one of LOCAL."""
    people, items = len(rows.people), len(rows.items)
    own, left = np.zeros(people), np.zeros(items)
    cnmf.biases(centre, rows.person, rows.item, rows.value, config.shrinkage, 1.0, own, left, _BIAS_ROUNDS)
    count = pattern_count(rows, config.patterns)
    if config.local == "cnmf":
        fit = cnmf.start(people, items, count, stream(seed, "local model", ticket))
        cnmf.complete(
            penalties_of(config), centre, rows.person, rows.item, rows.value, fit, config.iterations, True
        )
    else:
        rest = rows.value - centre - own[rows.person] - left[rows.item]
        users, patterns_of = patterns.spectrum(rows.person, rows.item, rest, people, items, count)
        fit = Factorization(users, patterns_of, own, left)
    raters = np.bincount(rows.item, minlength=items).astype(np.float64)
    mean_left = np.bincount(rows.item, rows.value - centre - own[rows.person], minlength=items) / raters
    return GroupModel(fit, mean_left, raters)


def pattern_message(
    config: Any,
    rows: GroupRows,
    model: GroupModel,
    item_count: int,
    round_number: int,
    ticket: int,
    seed: int,
) -> ModelUpdate:
    """What leaves of a group's model: patterns of items, as published with their biases, in fixed point."""
    counts = model.raters / (model.raters + config.evidence)
    values = model.fit.items * counts[:, None]
    kind = PATTERNS
    if config.biases == "groups":
        kind, values = PATTERNS_AND_BIASES, np.column_stack([values, model.fit.item_bias])
    items = rows.items
    if config.hide != "none":
        items = np.arange(item_count, dtype=np.int32)
        values = hidden(
            values, model.raters, rows.items, item_count, config.hide, stream(seed, "decoys", ticket)
        )
    units, clipped = to_fixed(values, UPDATE_SCHEMAS[kind].item_field)
    return ModelUpdate(round_number, kind, items, units, np.zeros(0, np.int32), 0, clipped)


def bias_message(config: Any, rows: GroupRows, model: GroupModel, round_number: int) -> ModelUpdate:
    """What item biases are made of, to be added up over groups."""
    raters = np.minimum(model.raters, config.smallest_group)
    values = np.column_stack([raters * model.mean_left, raters])
    units, clipped = to_fixed(values, UPDATE_SCHEMAS[BIAS_SUMS].item_field)
    return ModelUpdate(round_number, BIAS_SUMS, rows.items, units, np.zeros(0, np.int32), 0, clipped)


def hidden(
    values: cnmf.Reals,
    raters: cnmf.Reals,
    items: ItemIndex,
    item_count: int,
    how: str,
    generator: np.random.Generator,
) -> cnmf.Reals:
    """A row for every item: one that nobody in the group rated gets a row like those of items that somebody did.

    rare     like those of items that as few rated as any: what many in the group rated still stands out, what one did not
    decoys   like those of any item
    A made-up row is one drawn from those, blurred by a normal draw with their covariance: a copy would tell of its twin
    that it is real. On a real device the draws come from a seed of its own: who knows it knows which rows are made up.
    """  # [items, columns]
    pool = values[raters == raters.min()] if how == "rare" else values
    nonnegative = (values >= 0).all(axis=0)
    centre = pool.mean(axis=0)
    sizes, axes = np.linalg.eigh((pool - centre).T @ (pool - centre) / len(pool))
    blur = (generator.normal(size=(item_count, len(sizes))) * np.sqrt(np.maximum(sizes, 0))) @ axes.T
    drawn = pool[generator.integers(0, len(pool), item_count)] - centre
    if not nonnegative.any():
        # Singular vectors have few long rows and many short ones: each is blurred by its own length.
        lengths = np.linalg.norm(drawn, axis=1, keepdims=True)
        blur *= lengths / max(float(np.sqrt(np.mean(lengths**2))), np.finfo(float).tiny)
    # Divided so that the spread is that of the rows it is drawn from.
    whole = centre + (drawn + _BLUR * blur) / np.sqrt(1 + _BLUR**2)
    whole = np.where(nonnegative, np.maximum(whole, 0), whole)
    whole[items] = values
    return whole


def distilled(model: GroupModel, mixing: cnmf.Reals) -> Floats:
    """The people's vectors of equation 18: W M', and their own biases."""  # [own people, components + 1]
    return np.column_stack([model.fit.users @ mixing.T, model.fit.user_bias]).astype(np.float32)
