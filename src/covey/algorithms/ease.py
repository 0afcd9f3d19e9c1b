"""EASE: one linear model from what a person has to every item, solved at once (Steck, 2019).

G = X'X + lambda I,  P = G^-1,  B = I - P / diag(P)    the weights, zero on the diagonal
score of a person = the rows of B of what the person has, summed
"""

from dataclasses import dataclass
from typing import ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from covey.algorithms.checks import positive
from covey.errors import ConfigError, DivergedError
from covey.models import neighbours
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, ItemIndex, PersonIndex, Scores

_BYTES_A_PAIR = 12  # 8 while it is inverted, 4 of the weights
_ROWS_AT_A_TIME = 256
_SINGULAR = 1e-14  # smallest pivot beside the largest number; a few roundings


class EASEConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How far the weights are held back."""

    regularization: float = 1000.0  # lambda: penalty of a weight's square
    memory_gb: float = 8.0  # most that the solution may take: 12 bytes for each pair of items

    def __post_init__(self) -> None:
        positive("regularization", self.regularization)
        positive("memory_gb", self.memory_gb)


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Sums of the weights of what a person has."""

    train: Histories
    weights: Floats  # [items, items]

    @property
    def item_count(self) -> int:
        return len(self.weights)

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        return neighbours.row_sums(self.train.offsets, self.train.item, self.weights, people, items)

    def everything(self, people: PersonIndex) -> Scores:
        return neighbours.whole_row_sums(self.train.offsets, self.train.item, self.weights, people)


class EASE:
    """One configuration of EASE over one training set; ConfigError where its table would take too much memory."""

    name: ClassVar[str] = "ease"
    Config: ClassVar[type[EASEConfig]] = EASEConfig
    title: ClassVar[str] = "EASE"
    rounds: ClassVar[int] = 1

    def __init__(self, config: EASEConfig, train: Histories, seed: int) -> None:
        self.config, self.train, self.seed = config, train, seed
        needed_gb = _BYTES_A_PAIR * train.item_count**2 / 1e9
        if needed_gb > config.memory_gb:
            raise ConfigError(
                f"ease needs {needed_gb:.1f} GB for {train.item_count:,} items, {_BYTES_A_PAIR} bytes for each pair "
                f"of them, but may take memory_gb = {config.memory_gb:g}; raise memory_gb, or use item-knn or ials"
            )

    def initial(self) -> Arrays:
        """No weights."""
        return {"weights": np.zeros((self.train.item_count, self.train.item_count), np.float32)}

    def epoch(self, arrays: Arrays, number: int) -> Arrays:
        """The solution."""
        system = np.zeros((self.train.item_count, self.train.item_count))
        neighbours.count_together(self.train.offsets, self.train.item, system)
        np.fill_diagonal(system, system.diagonal() + self.config.regularization)
        return {"weights": _weights(_lower_inverse(system, self.config.regularization))}

    def scorer(self, arrays: Arrays) -> LinearScorer:
        return LinearScorer(self.train, arrays["weights"])


def _lower_inverse(system: npt.NDArray[np.float64], regularization: float) -> npt.NDArray[np.float64]:
    """The lower triangle of the inverse, in the place of the system's lower triangle."""
    from scipy.linalg import get_lapack_funcs

    factorise, invert = get_lapack_funcs(("potrf", "potri"), (system,))

    # LAPACK reads columns: the lower triangle of our rows is the upper one of its columns, and needs no copy.
    largest = system.diagonal().max(initial=0)
    factor, failed = factorise(system.T, lower=0, clean=0, overwrite_a=1)
    # A pivot that lost all its digits is noise, and so would be the weights.
    if not failed and (factor.diagonal() ** 2).min(initial=largest) > _SINGULAR * largest:
        factor, failed = invert(factor, lower=0, overwrite_c=1)
    else:
        failed = 1
    if failed:
        raise DivergedError(
            f"the equations of ease have no single solution; raise regularization (now {regularization:g})"
        )
    return factor.T


def _weights(lower: npt.NDArray[np.float64]) -> Floats:
    """-P[i, j] / P[j, j] off the diagonal, from the lower triangle of P."""
    scale = -1 / lower.diagonal()
    weights = np.empty(lower.shape, np.float32)
    for begin in range(0, len(lower), _ROWS_AT_A_TIME):
        # Row by row, so that no second table of this size is ever there.
        rows = slice(begin, begin + _ROWS_AT_A_TIME)
        end = min(begin + _ROWS_AT_A_TIME, len(lower))
        block = np.tril(lower[rows, :end], begin)
        square = block[:, begin:]
        block[:, begin:] = square + np.tril(square, -1).T
        weights[rows, :end] = block * scale[:end]
        weights[:begin, rows] = (block[:, :begin] * scale[rows, None]).T
    np.fill_diagonal(weights, 0)
    return weights
