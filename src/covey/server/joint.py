"""FedSPLIT's server: the groups' item patterns side by side, and what they have in common.

admit    a group's message, checked, under a ticket that says nothing of who it is
fuse     joint factorization of all that were admitted: W_Global, the items' biases, a slice M^g a group
project  M^g for a group that comes after the joint factorization
forget   what a group sent, gone before the next joint factorization, and a line in the record that it was
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from covey.aggregation.sums import UpdateSum
from covey.errors import ConfigError, MessageError
from covey.messages.catalogue import UPDATE_SCHEMAS
from covey.messages.fedsplit import BIAS_SUMS, PATTERNS, PATTERNS_AND_BIASES
from covey.messages.fixed import from_fixed
from covey.messages.updates import ModelUpdate
from covey.models import patterns as parts
from covey.types import Floats

Reals = npt.NDArray[np.float64]
JOINT = ("svd", "nmf")
BIASES = ("evidence", "groups")


@dataclass(frozen=True, eq=False)
class Disclosed:
    """What the server holds of one group."""

    rows: npt.NDArray[np.int32]  # [named] items, increasing
    patterns: Reals  # [named, own patterns]
    item_bias: Reals  # [named]; zero where biases are summed instead

    def spread_out(self, item_count: int) -> Reals:
        """The patterns as columns over the whole catalogue, zero where the message names no item."""
        columns = np.zeros((item_count, self.patterns.shape[1]))
        columns[self.rows] = self.patterns
        return columns

    @property
    def energy(self) -> float:
        """Sum of the patterns' squares: how much they say."""
        return float((self.patterns**2).sum())


@dataclass(frozen=True, eq=False)
class Joint:
    """What all groups have in common."""

    patterns: Reals  # [items, components] W_Global; a row is of length 1 in the quadratic mean
    item_bias: Reals  # [items]
    slices: Mapping[int, Reals] = field(
        default_factory=dict[int, Reals]
    )  # ticket -> [components, own patterns]
    noise: float = 0.0  # what the patterns were held back by

    @property
    def table(self) -> Floats:
        """Patterns and, last, biases, as every device gets them."""  # [items, components + 1]
        return np.column_stack([self.patterns, self.item_bias]).astype(np.float32)


def disclosed(update: ModelUpdate, item_count: int) -> Disclosed:
    """The numbers of a group's message; MessageError where they are not what they should be."""
    if update.kind not in (PATTERNS, PATTERNS_AND_BIASES):
        raise MessageError(f"expected a group's patterns, got {update.kind!r}; send them once a training")
    rows, values = update.rows, from_fixed(update.item_values.astype(np.int64), update.schema.item_field)
    if len(rows) and (rows[0] < 0 or rows[-1] >= item_count or np.any(np.diff(rows) <= 0)):
        raise MessageError(
            f"the patterns' rows must be increasing item numbers from 0 to {item_count - 1}, the catalogue's; "
            "fetch the catalogue again"
        )
    extra = int(update.kind == PATTERNS_AND_BIASES)
    if values.ndim != 2 or len(values) != len(rows) or values.shape[1] <= extra:
        raise MessageError(
            f"expected at least one pattern of {len(rows)} items, got values of shape {values.shape}; train again"
        )
    # In 64 bits: the lowest 32-bit number has no positive twin, so its absolute value would pass for small.
    if np.abs(update.item_values.astype(np.int64)).max(initial=0) > update.schema.item_field.units:
        raise MessageError("the patterns go beyond the range that their schema declares; train again")
    own = values[:, : values.shape[1] - extra]
    if not own.any():
        raise MessageError(
            "all patterns are zero, so they say nothing; lower the regularization or the biases' rates, train longer, "
            "and send again"
        )
    return Disclosed(rows, own, values[:, -1] if extra else np.zeros(len(rows)))


class JointServer:
    """What the server holds between the groups' messages and the joint factorization."""

    def __init__(self, config: Any, item_count: int) -> None:
        self.config, self.item_count = config, item_count
        self.held: dict[int, Disclosed] = {}
        self.record: list[dict[str, Any]] = []  # who was forgotten or left out, and why

    def admit(self, ticket: int, update: ModelUpdate) -> Disclosed:
        """Takes a group's message; MessageError where it is refused, and nothing is kept of it."""
        if any(entry["ticket"] == ticket and entry["what"] == "forgotten" for entry in self.record):
            raise MessageError(f"group {ticket} asked to be forgotten; it can come back under a new ticket")
        found = disclosed(update, self.item_count)
        # Here and not in the factorization, so that one group's mistake stops no other.
        if self.config.joint == "nmf" and (found.patterns < 0).any():
            raise MessageError(
                "joint = 'nmf' takes no negative patterns, and some of these are; factorize with local=cnmf and send again"
            )
        self.held[ticket] = found
        return found

    def forget(self, ticket: int) -> None:
        """Drops what a group sent, and records that it was dropped."""
        if ticket not in self.held:
            raise MessageError(f"nothing is held of group {ticket}; it may have been forgotten already")
        del self.held[ticket]
        self.record.append({"ticket": ticket, "what": "forgotten", "why": "the group asked for it"})

    def leave_out_weakest(self, share: float) -> None:
        """Leaves the share of groups whose patterns say least out of the joint factorization.

        Uses what they disclosed alone: the sum of their patterns' squares.
        """
        count = int(share * len(self.held))
        for ticket in sorted(self.held, key=lambda each: (self.held[each].energy, each))[:count]:
            self.record.append({"ticket": ticket, "what": "left out", "why": "its patterns say least"})

    def fuse(self, biases: UpdateSum | None = None) -> Joint:
        """The joint factorization of what is held, but for those left out; with the sum of the groups' bias messages."""
        out = {entry["ticket"] for entry in self.record}
        members = {ticket: each for ticket, each in sorted(self.held.items()) if ticket not in out}
        if not members:
            reasons = "; ".join(sorted({f"{entry['what']}: {entry['why']}" for entry in self.record}))
            raise ConfigError(
                f"expected at least one group to learn from, none is left ({reasons or 'none sent anything'}); "
                "mend their data, or lower weakest or forgotten"
            )
        columns = np.concatenate([each.spread_out(self.item_count) for each in members.values()], axis=1)
        components, config = self.config.components, self.config
        if components > min(columns.shape):
            raise ConfigError(
                f"components is {components}, but {len(members)} groups have {columns.shape[1]} patterns of "
                f"{columns.shape[0]} items together; set components to {min(columns.shape)} at most, or raise patterns"
            )
        factorize = _nonnegative if config.joint == "nmf" else parts.joint_svd
        patterns, mixing, noise = factorize(columns, components)
        # Of the size of one: a ridge means the same whatever the scale of the ratings and the number of groups.
        size = np.sqrt((patterns**2).sum() / len(patterns)) or 1.0
        bounds = np.cumsum([each.patterns.shape[1] for each in members.values()])[:-1]
        slices = dict(zip(members, np.split(mixing * size, bounds, axis=1), strict=True))
        return Joint(patterns / size, self._biases(members, biases), slices, noise / size)

    def project(self, joint: Joint, ticket: int) -> Reals:
        """M^g of a group that was not in the joint factorization."""  # [components, own patterns]
        columns = self.held[ticket].spread_out(self.item_count)
        return parts.into_patterns(columns, joint.patterns, self.config.joint == "nmf", joint.noise)

    def _biases(self, members: Mapping[int, Disclosed], summed: UpdateSum | None) -> Reals:
        """Each item's bias: by how many rated it, held towards zero; or the mean over all groups (equation 16)."""
        if summed is not None:
            totals = from_fixed(summed.items, UPDATE_SCHEMAS[BIAS_SUMS].item_field)
            return totals[:, 0] / (totals[:, 1] + self.config.shrinkage)
        total = np.zeros(self.item_count)
        for each in members.values():
            total[each.rows] += each.item_bias
        return total / len(members)


def no_biases(item_count: int) -> UpdateSum:
    """The sum of nobody's bias messages."""
    return UpdateSum(
        np.zeros((item_count, 2), np.int64), np.zeros(item_count, np.int64), np.zeros(0, np.int64)
    )


def _nonnegative(columns: Reals, components: int) -> tuple[Reals, Reals, float]:
    """Standard NMF from the start that singular values suggest (Boutsidis and Gallopoulos, 2008).

    It minimises equation 1 of the paper by coordinate descent, which comes a little nearer to the columns than the
    multiplicative steps of equations 2 and 3 do.
    """
    try:
        from sklearn.decomposition import NMF
        from sklearn.exceptions import ConvergenceWarning
    except ImportError:
        raise ConfigError(
            "joint = 'nmf' needs scikit-learn, which is not installed; pip install 'covey[nmf]', or set joint=svd"
        ) from None
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 1,000 iterations are the paper's
        # The singular vectors of the start are found by random projections: the same ones each time.
        model: Any = NMF(n_components=components, init="nndsvd", max_iter=1000, random_state=0)  # type: ignore[arg-type]  # a count is meant
        patterns: Reals = model.fit_transform(columns)
    return patterns, np.asarray(model.components_), 0.0
