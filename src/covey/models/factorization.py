"""One person's visit in FCF: the own factors in closed form, and what the shared table should change by.

implicit   a value of 1 with confidence c = 1 + alpha r for what the person has, 0 with confidence 1 for the rest
explicit   the ratings themselves; the last column of the table is the item's bias, and of a person's row their own

With z_i = the row of item i (its bias column read as 1), t_i the target and p_i = x'z_i:

    f(u, i) = c_i (t_i - p_i) x        of every item                      dense, equation 11 of the paper
            = c_i t_i - (c_i - w0) p_i of the items that the person has   sparse: what is the same for every item,
                                                                          -w0 p_i x = -w0 (x x') z_i, is left to x x'
"""

from typing import Any, NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from covey.models.ridge import Reals, add_outer, cache_aligned, gram, solve_in_place
from covey.types import ItemIndex

FEEDBACK = ("implicit", "explicit")
WEIGHINGS = ("same", "value", "log")  # what r is: 1, the value, or the logarithm of one plus the value


class Recipe(NamedTuple):
    """How to work at home, as numbers."""

    alpha: float  # how much more counts what a person has
    unobserved: float  # w0: how much counts what a person does not have; 0: ratings alone are learned
    regularization: float
    scaling: float  # regularization times (a person's summed weight) to this power
    weighing: int  # place in WEIGHINGS
    solve: bool  # whether this round begins with new factors of one's own

    @property
    def explicit(self) -> bool:
        """Whether values themselves are learned, with biases."""
        return self.unobserved == 0


def recipe_of(config: Any, solve: bool = True) -> Recipe:
    """The recipe of a configuration with feedback, alpha, regularization, scaling and weighing."""
    explicit = config.feedback == "explicit"
    return Recipe(
        1.0 if explicit else config.alpha, 0.0 if explicit else 1.0, config.regularization, config.scaling,
        WEIGHINGS.index(config.weighing), solve,
    )  # fmt: skip


class Desk(NamedTuple):
    """Room for one visit after another."""

    rows: Reals  # [rows, width] of the person's items
    weights: Reals  # [rows]
    extra: Reals  # [rows] weights beyond what everything has
    targets: Reals  # [rows]
    square: Reals  # [width, width]
    slopes: Reals  # [rows or items] what to multiply the bearing by
    bearing: Reals  # [width] the person's vector as the items see it: their own bias reads as 1
    products: Reals  # [width // 4] room for an inner product


def desk(largest: int, width: int, answers: int, dtype: Any = np.float32) -> Desk:
    """Room for people of up to so many rows, and for answers of so many."""
    return Desk(
        cache_aligned((largest, width), dtype), np.empty(largest, dtype), np.empty(largest, dtype),
        np.empty(largest, dtype), cache_aligned((width, width), dtype), np.empty(answers, dtype),
        cache_aligned((width,), dtype), cache_aligned((width // 4,), dtype),
    )  # fmt: skip


@nb.njit(cache=True, nogil=True, error_model="numpy")
def ridge_of(recipe: Recipe, total_weight: float) -> float:
    """The regularization of somebody whose items weigh so much in sum."""
    # Who has nothing is regularized as who has one: nothing to the power of one would leave nothing.
    total_weight = max(total_weight, 1.0)
    return recipe.regularization * total_weight**recipe.scaling


@nb.njit(cache=True, nogil=True, error_model="numpy")
def lay_out(
    recipe: Recipe, items: ItemIndex, values: npt.NDArray[np.float32], table: Reals, centre: float, desk: Desk
) -> float:
    """Copies the person's rows to the desk, with targets and weights; the summed weight of all that they can have."""
    explicit = recipe.unobserved == 0
    width = table.shape[1]
    total = recipe.unobserved * len(table)
    for n in range(len(items)):
        row = table[items[n]]
        line = desk.rows[n]
        for j in range(width):
            line[j] = row[j]
        if explicit:
            desk.targets[n] = values[n] - centre - row[width - 1]
            desk.rows[n, width - 1] = 1
            desk.extra[n] = 1
        else:
            desk.targets[n] = 1
            r = np.float64(values[n])
            desk.extra[n] = recipe.alpha * (
                1.0 if recipe.weighing == 0 else r if recipe.weighing == 1 else np.log1p(r)
            )
        desk.weights[n] = recipe.unobserved + desk.extra[n]
        total += desk.extra[n]
    return total


@nb.njit(cache=True, nogil=True, error_model="numpy")
def solve(recipe: Recipe, count: int, ridge: float, base: Reals, desk: Desk, vector: Reals) -> bool:
    """Puts the person's best factors in vector (equation 7); False where they are not determined."""
    width = len(vector)
    desk.square[:] = base
    for j in range(width):
        desk.square[j, j] += ridge
        vector[j] = 0
    add_outer(desk.rows, desk.extra, count, desk.square)
    for n in range(count):
        pull, row = desk.weights[n] * desk.targets[n], desk.rows[n]
        for j in range(width):
            vector[j] += pull * row[j]
    return solve_in_place(desk.square, vector)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def product(row: Reals, vector: Reals, room: Reals) -> Any:
    """The inner product; room is of a quarter of the width."""
    # Each quarter beside the others: a sum that runs along the row could not fill the vector registers.
    quarter, width = len(room), len(vector)
    row_0, row_1, row_2 = row[:quarter], row[quarter : 2 * quarter], row[2 * quarter : 3 * quarter]
    vector_0, vector_1 = vector[:quarter], vector[quarter : 2 * quarter]
    vector_2, vector_3 = vector[2 * quarter : 3 * quarter], vector[3 * quarter : 4 * quarter]
    row_3 = row[3 * quarter : 4 * quarter]
    for j in range(quarter):
        room[j] = (row_0[j] * vector_0[j] + row_1[j] * vector_1[j]) + (
            row_2[j] * vector_2[j] + row_3[j] * vector_3[j]
        )
    a = b = c = d = vector[0] * 0
    whole = quarter - quarter % 4
    for j in range(0, whole, 4):
        a += room[j]
        b += room[j + 1]
        c += room[j + 2]
        d += room[j + 3]
    for j in range(whole, quarter):
        a += room[j]
    for j in range(4 * quarter, width):
        b += row[j] * vector[j]
    return (a + b) + (c + d)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def visit(
    recipe: Recipe, items: ItemIndex, values: npt.NDArray[np.float32], table: Reals, centre: float, base: Reals,
    dense: bool, vector: Reals, desk: Desk,
) -> tuple[bool, float]:  # fmt: skip
    """One person's round: moves vector where the round asks for it; fills desk.slopes and desk.bearing.

    An item of theirs should change by its slope times the bearing; every item of the table has a slope where `dense`.
    Returns whether the factors could be solved for, and the mean of what the centre and the items' biases leave of the
    ratings (0 where values are not learned).
    """
    explicit, width, count = recipe.unobserved == 0, table.shape[1], len(items)
    total_weight = lay_out(recipe, items, values, table, centre, desk)
    solved = True
    # Who takes part for the first time in the middle of an epoch has no factors yet.
    if recipe.solve or not vector.any():
        solved = solve(recipe, count, ridge_of(recipe, total_weight), base, desk, vector)
    left = 0.0
    for n in range(count):
        left += desk.targets[n]
    left = left / count if explicit and count else 0.0
    for j in range(width):
        desk.bearing[j] = vector[j]
    if explicit:
        desk.bearing[width - 1] = 1
    if dense:
        for i in range(len(table)):
            desk.slopes[i] = -recipe.unobserved * product(table[i], vector, desk.products)
    # What x x' does not say of the person's items; all of it where every item has a slope.
    shared = 0.0 if dense else recipe.unobserved
    for n in range(count):
        said = product(desk.rows[n], vector, desk.products)
        desk.slopes[items[n] if dense else n] = desk.weights[n] * (desk.targets[n] - said) + shared * said
    return solved, left


@nb.njit(cache=True, nogil=True, error_model="numpy")
def fill_outer(bearing: Reals, packed: Reals) -> None:
    """Fills the upper triangle of x x', line after line."""
    width, at = len(bearing), 0
    for i in range(width):
        a, right = bearing[i], bearing[i:]
        line = packed[at : at + width - i]
        for j in range(len(line)):
            line[j] = a * right[j]
        at += width - i


def shared_size(width: int, explicit: bool = True) -> int:
    """Numbers in an answer that belong to no item: the triangle of x x', and a mean where values are learned."""
    return width * (width + 1) // 2 + explicit


def centre_of(network: Reals) -> float:
    """What ratings are measured from: the plan's only weight; 0 where it has none."""
    return float(network[0]) if len(network) else 0.0


def release_weight(recipe: Recipe) -> float:
    """What a gradient is multiplied by to stay in its field's range whatever alpha is."""
    return 1 / (recipe.unobserved + recipe.alpha)


def unpacked(packed: Reals, width: int) -> Reals:
    """The symmetric matrix of a packed upper triangle."""  # [width, width]
    square = np.zeros((width, width), packed.dtype)
    square[np.triu_indices(width)] = packed[: width * (width + 1) // 2]
    return square + np.triu(square, 1).T


def base_of(recipe: Recipe, table: Reals) -> Reals:
    """What every person's system of equations has in common: w0 Y'Y."""  # [width, width]
    if recipe.explicit:
        return np.zeros((table.shape[1], table.shape[1]), table.dtype)
    return (recipe.unobserved * gram(table)).astype(table.dtype)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def _solve_people(
    recipe: Recipe, offsets: npt.NDArray[np.int64], items: ItemIndex, values: npt.NDArray[np.float32],
    table: Reals, centre: float, base: Reals, desk: Desk, vectors: Reals,
) -> int:  # fmt: skip
    """Fills everybody's factors; the first person whose factors are not determined, or -1."""
    for p in range(len(vectors)):
        begin, end = offsets[p], offsets[p + 1]
        weight = lay_out(recipe, items[begin:end], values[begin:end], table, centre, desk)
        if not solve(recipe, end - begin, ridge_of(recipe, weight), base, desk, vectors[p]):
            return p
    return -1


def solve_everybody(
    recipe: Recipe, offsets: npt.NDArray[np.int64], items: ItemIndex, values: npt.NDArray[np.float32],
    table: Reals, centre: float,
) -> tuple[Reals, int]:  # fmt: skip
    """Everybody's best factors for that table, and the first person whose factors are not determined, or -1."""
    largest, width = int(np.diff(offsets).max(initial=0)), table.shape[1]
    vectors = np.zeros((len(offsets) - 1, width), table.dtype)
    room = desk(largest, width, 0, table.dtype)
    stuck = _solve_people(
        recipe, offsets, items, values, table, centre, base_of(recipe, table), room, vectors
    )
    return vectors, int(stuck)
