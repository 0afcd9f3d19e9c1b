"""Item patterns: of a group, from its ratings; and of all groups, from theirs.

spectrum       a group's ratings less their biases, as U S V': its strongest patterns are the rows of S V'
joint          all groups' patterns side by side, X [items, columns], as W M: by singular values, or non-negative
into_patterns  how given patterns lie among the joint ones: M from X and W
"""

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from covey.models.ridge import add_outer
from covey.types import ItemIndex, PersonIndex

Reals = npt.NDArray[np.float64]
_DENSE = 400  # columns up to which all singular values are found at once
_ROUNDS = 200  # of non-negative least squares; it converges in a few dozen


def spectrum(
    person: PersonIndex, item: ItemIndex, left: Reals, people: int, items: int, patterns: int
) -> Any:
    """The people's shares [people, patterns] and the items' patterns [items, patterns] of what is left of ratings."""
    table = csr_array((left, (person, item)), shape=(people, items))
    if min(people, items) <= _DENSE:
        across, sizes, along = np.linalg.svd(table.toarray(), full_matrices=False)
    else:
        across, sizes, along = _strongest(table, patterns)
    across, sizes, along = across[:, :patterns], sizes[:patterns], along[:patterns]
    return across, (sizes[:, None] * along).T


def joint_svd(columns: Reals, components: int) -> tuple[Reals, Reals, float]:
    """W [items, components] and M [components, columns], whose product comes near to the columns; and the noise.

    Each component is held back by how near it is to the strongest one left out, which is taken for noise: few groups
    have few patterns that hold for others. Where none is left out the noise is zero, and the product is the columns.
    """
    if min(columns.shape) <= max(_DENSE, 2 * components):
        across, sizes, along = np.linalg.svd(columns, full_matrices=False)
    else:
        across, sizes, along = _strongest(columns, components + 1)
    noise = float(sizes[components]) if len(sizes) > components else 0.0
    kept = sizes[:components]
    signal = np.sqrt(np.maximum(kept**2 - noise**2, 0.0))
    return across[:, :components] * signal, along[:components], noise


def _strongest(table: Any, count: int) -> tuple[Reals, Reals, Reals]:
    """The largest singular values, largest first, with their vectors; from a fixed start, so that they repeat."""
    found: Any = svds(table, min(count, min(table.shape) - 1), v0=np.ones(min(table.shape)))
    order = np.argsort(-found[1])
    return found[0][:, order], found[1][order], found[2][order]


def into_patterns(columns: Reals, joint: Reals, nonnegative: bool, noise: float = 0.0) -> Reals:
    """M [components, columns] with joint @ M as near to the columns as it can be, held back as noise asks.

    The joint patterns of singular values were held back themselves. Shares that come as near as can be would make up
    for that; divided by the strength that a pattern had before, they are those that joint_svd gives its own columns.
    """
    if nonnegative:
        each = [nnls(joint, columns[:, at])[0] for at in range(columns.shape[1])]
        return np.stack(each, axis=1) if each else np.zeros((joint.shape[1], 0))
    strength = np.linalg.norm(joint, axis=0)
    before = np.hypot(strength, noise)
    kept = np.divide(strength, before, out=np.zeros_like(before), where=before > 0)
    return kept[:, None] * np.linalg.lstsq(joint, columns, rcond=None)[0]


@nb.njit(cache=True, nogil=True, error_model="numpy")
def nonnegative_people(
    offsets: npt.NDArray[np.int64], items: ItemIndex, values: npt.NDArray[np.float32], table: Reals, centre: float,
    ridge: float, vectors: Reals,
) -> None:  # fmt: skip
    """Fills people's vectors: non-negative factors and, last, a bias; ridge regression on the table's rows.

    The last column of the table is the item's bias. Coordinates are solved for in turn, each held at zero where its
    best value is below.
    """
    width = table.shape[1]
    square, pull = np.zeros((width, width)), np.zeros(width)
    for p in range(len(vectors)):
        begin, end = offsets[p], offsets[p + 1]
        rows = table[items[begin:end]]
        left = values[begin:end] - centre - rows[:, width - 1]
        rows[:, width - 1] = 1
        square[:], pull[:] = 0, 0
        if end > begin:
            add_outer(rows, np.ones(end - begin), end - begin, square)
            for n in range(end - begin):
                for j in range(width):
                    pull[j] += left[n] * rows[n, j]
        x = vectors[p]
        x[:] = 0
        for _ in range(_ROUNDS):
            moved = 0.0
            for j in range(width):
                rest = pull[j]
                for i in range(width):
                    if i != j:
                        rest -= (square[i, j] if i < j else square[j, i]) * x[i]
                best = rest / (square[j, j] + ridge)
                if j < width - 1:
                    best = max(best, 0.0)
                moved = max(moved, abs(best - x[j]))
                x[j] = best
            if moved < 1e-9:
                break
