"""Alternating least squares for implicit feedback: one row of factors solved while the other side stands still.

The loss of a row x against the other side's rows y, with weight w of each, `unobserved` weight w0 of all the rest:

    sum over own    w (1 - x.y)^2  +  sum over the rest  w0 (x.y)^2  +  penalty |x|^2
    A = w0 Y'Y + sum over own (w - w0) y y' + penalty I        A x = sum over own  w y

Y'Y is the same for everybody, so a row costs what it has, not what there is (Hu, Koren and Volinsky, 2008).
"""

from concurrent.futures import ThreadPoolExecutor

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models.pairs import Pairs
from covey.types import Floats, PersonIndex, Scores

_SHARES_A_WORKER = 8  # some rows are much longer than others; small shares even that out
_BLOCK = 16  # columns of A that are filled together: one or two registers
_SOLVED = 1e-20  # squared length of a remainder that is as good as none
_SINGULAR = np.float32(3e-7)  # a pivot that lost all its digits is noise; a few float32 roundings


def solve(
    side: Pairs,
    fixed: Floats,
    before: Floats,
    unobserved: float,
    penalty: Floats,
    cg_steps: int,
    workers: int,
) -> tuple[Floats, int]:
    """The best rows against `fixed`: exact where cg_steps is 0, else so many steps on from `before`.

    Each row is solved by itself, so the number of workers changes no bit. The second number is that of the first
    row whose system is singular, or -1; its solution means nothing.
    """
    gram = (unobserved * (fixed.astype(np.float64).T @ fixed)).astype(np.float32)
    rows = before.copy()
    share = max(1, len(side.offsets) // (_SHARES_A_WORKER * workers))
    begins = range(0, len(side.offsets) - 1, share)

    def work(begin: int) -> int:
        end = min(begin + share, len(rows))
        if cg_steps:
            return _descend(begin, end, side, fixed, gram, np.float32(unobserved), penalty, rows, cg_steps)
        return _solve(begin, end, side, fixed, gram, np.float32(unobserved), penalty, rows)

    if workers == 1:
        found = [work(begin) for begin in begins]
    else:
        with ThreadPoolExecutor(workers) as threads:
            found = list(threads.map(work, begins))
    return rows, next((row for row in found if row >= 0), -1)


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _solve(
    begin: int, end: int, side: Pairs, fixed: Floats, gram: Floats, unobserved: np.float32, penalty: Floats,
    rows: Floats,
) -> int:  # fmt: skip
    """Fills rows[begin:end] with exact solutions, by Cholesky's method; the first singular row, or -1."""
    width = fixed.shape[1]
    system, right = np.empty((width, width), np.float32), np.empty(width, np.float32)
    for row in range(begin, end):
        system[:] = gram
        right[:] = 0
        for j in range(width):
            system[j, j] += penalty[row]
        first, last = side.offsets[row], side.offsets[row + 1]
        _add_outer(side.other[first:last], side.weight[first:last], fixed, unobserved, system, right)
        if not _cholesky(system):
            return row
        _substitute(system, right)
        rows[row] = right
    return -1


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _add_outer(
    other: npt.NDArray[np.int32], weight: Floats, fixed: Floats, unobserved: np.float32, system: Floats,
    right: Floats,
) -> None:  # fmt: skip
    """Adds (w - w0) y y' to the lower triangle and w y to the right-hand side, four rows y at a time."""
    width, count = fixed.shape[1], len(other)
    none = np.zeros(width, np.float32)
    for at in range(0, count, 4):
        y0 = fixed[other[at]]
        y1 = fixed[other[at + 1]] if at + 1 < count else none
        y2 = fixed[other[at + 2]] if at + 2 < count else none
        y3 = fixed[other[at + 3]] if at + 3 < count else none
        w0 = weight[at]
        w1 = weight[at + 1] if at + 1 < count else np.float32(0)
        w2 = weight[at + 2] if at + 2 < count else np.float32(0)
        w3 = weight[at + 3] if at + 3 < count else np.float32(0)
        for j in range(width):
            right[j] += w0 * y0[j] + w1 * y1[j] + w2 * y2[j] + w3 * y3[j]
        w0, w1, w2, w3 = w0 - unobserved, w1 - unobserved, w2 - unobserved, w3 - unobserved
        for i in range(width):
            s0, s1, s2, s3 = w0 * y0[i], w1 * y1[i], w2 * y2[i], w3 * y3[i]
            line = system[i]
            for j in range(min(width, (i // _BLOCK + 1) * _BLOCK)):
                line[j] += s0 * y0[j] + s1 * y1[j] + s2 * y2[j] + s3 * y3[j]


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _cholesky(system: Floats) -> bool:
    """Replaces the lower triangle by L with L L' = system; False where it is singular as far as float32 can tell."""
    for i in range(len(system)):
        line, diagonal = system[i], system[i, i]
        for j in range(i):
            line[j] = (line[j] - _dot(line[:j], system[j, :j])) / system[j, j]
        rest = diagonal - _dot(line[:i], line[:i])
        if not rest > _SINGULAR * diagonal:
            return False
        line[i] = np.sqrt(rest)
    return True


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _substitute(lower: Floats, right: Floats) -> None:
    """Replaces the right-hand side of L L' x = right by x."""
    width = len(right)
    for i in range(width):
        rest = right[i]
        for k in range(i):
            rest -= lower[i, k] * right[k]
        right[i] = rest / lower[i, i]
    for i in range(width - 1, -1, -1):
        right[i] /= lower[i, i]
        for k in range(i):
            right[k] -= lower[i, k] * right[i]


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _descend(
    begin: int, end: int, side: Pairs, fixed: Floats, gram: Floats, unobserved: np.float32, penalty: Floats,
    rows: Floats, steps: int,
) -> int:  # fmt: skip
    """Takes rows[begin:end] some conjugate gradient steps towards their solutions; -1, for it never fails."""
    width = fixed.shape[1]
    rest, way, bent = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.float32)
    for row in range(begin, end):
        x, first, last = rows[row], side.offsets[row], side.offsets[row + 1]
        other, weight = side.other[first:last], side.weight[first:last]
        _shared_part(gram, penalty[row], x, rest)
        for j in range(width):
            rest[j] = -rest[j]
        _add_own(other, weight, fixed, unobserved, x, np.float32(1), np.float32(-1), rest)
        way[:] = rest
        size = _dot(rest, rest)
        for _ in range(steps):
            if size < _SOLVED:
                break
            _shared_part(gram, penalty[row], way, bent)
            _add_own(other, weight, fixed, unobserved, way, np.float32(0), np.float32(1), bent)
            step = size / _dot(way, bent)
            for j in range(width):
                x[j] += step * way[j]
                rest[j] -= step * bent[j]
            before, size = size, _dot(rest, rest)
            for j in range(width):
                way[j] = rest[j] + size / before * way[j]
    return -1


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _add_own(
    other: npt.NDArray[np.int32], weight: Floats, fixed: Floats, unobserved: np.float32, x: Floats,
    right: np.float32, left: np.float32, out: Floats,
) -> None:  # fmt: skip
    """Adds right w y + left (w - w0) y y'x of every own row y to `out`, four rows at a time."""
    width, count = fixed.shape[1], len(other)
    whole = count - count % 4
    for at in range(0, whole, 4):
        y0, y1, y2, y3 = fixed[other[at]], fixed[other[at + 1]], fixed[other[at + 2]], fixed[other[at + 3]]
        s0, s1, s2, s3 = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
        for j in range(width):
            s0 += y0[j] * x[j]
            s1 += y1[j] * x[j]
            s2 += y2[j] * x[j]
            s3 += y3[j] * x[j]
        s0 = right * weight[at] + left * (weight[at] - unobserved) * s0
        s1 = right * weight[at + 1] + left * (weight[at + 1] - unobserved) * s1
        s2 = right * weight[at + 2] + left * (weight[at + 2] - unobserved) * s2
        s3 = right * weight[at + 3] + left * (weight[at + 3] - unobserved) * s3
        for j in range(width):
            out[j] += s0 * y0[j] + s1 * y1[j] + s2 * y2[j] + s3 * y3[j]
    for at in range(whole, count):
        y0 = fixed[other[at]]
        s0 = right * weight[at] + left * (weight[at] - unobserved) * _dot(y0, x)
        for j in range(width):
            out[j] += s0 * y0[j]


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _shared_part(gram: Floats, penalty: np.float32, x: Floats, out: Floats) -> None:
    """Fills `out` with what everybody's system has in common, times x."""
    for i in range(len(x)):
        out[i] = _dot(gram[i], x) + penalty * x[i]


@nb.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})
def _dot(left: Floats, right: Floats) -> np.float32:
    total = np.float32(0)
    for j in range(len(left)):
        total += left[j] * right[j]
    return total


@nb.njit(cache=True, nogil=True, fastmath={"contract", "reassoc"})
def products(users: Floats, items: Floats, people: PersonIndex, chosen: npt.NDArray[np.int32]) -> Scores:
    """The product of each person's vector with those of the items chosen for that person."""  # [people, chosen]
    scores = np.empty(chosen.shape, np.float32)
    for p in range(len(people)):
        for c in range(chosen.shape[1]):
            scores[p, c] = _dot(users[people[p]], items[chosen[p, c]])
    return scores
