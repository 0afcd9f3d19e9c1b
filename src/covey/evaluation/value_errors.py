"""How far predicted values are from the held-out ones, for models that predict values."""

import numpy as np
import numpy.typing as npt

from covey.evaluation.candidates import Candidates, pack
from covey.evaluation.ranking import checked, diverged
from covey.evaluation.scorer import ValueScorer
from covey.types import Ints

PerPerson = npt.NDArray[np.float64]  # [evaluated]


def value_errors(
    scorer: ValueScorer, candidates: Candidates
) -> tuple[dict[str, float], dict[str, PerPerson]]:
    """RMSE, MSE and MAE over all held-out rows together, each row counting once; and each person's own.

    The mean of the people's values is therefore not the first: people with more held-out rows weigh more.
    """
    residual = _residuals(scorer, candidates)
    starts, counts = candidates.held_out.offsets[:-1], candidates.held_out.counts
    squared, absolute = residual**2, np.abs(residual)
    own_mse = np.add.reduceat(squared, starts) / counts
    own_mae = np.add.reduceat(absolute, starts) / counts
    mse = float(squared.mean())
    return (
        {"rmse": float(np.sqrt(mse)), "mse": mse, "mae": float(absolute.mean())},
        {"rmse": np.sqrt(own_mse), "mse": own_mse, "mae": own_mae},
    )


def _residuals(scorer: ValueScorer, candidates: Candidates) -> npt.NDArray[np.float64]:
    """Predicted minus held-out value."""  # [held-out rows]
    held_out = candidates.held_out
    predicted = np.empty(len(held_out), np.float64)
    no_rivals = np.zeros(len(candidates), np.int64)
    for block in pack(held_out, no_rivals, np.zeros(0, np.int32)):
        people = candidates.people[block.places]
        values = checked(scorer.values(people, block.items), block.items.shape, "values")
        real = np.arange(block.items.shape[1]) < held_out.counts[block.places, None]
        if np.isnan(values[real]).any():
            bad = int(np.argmax((np.isnan(values) & real).any(axis=1)))
            raise diverged(int(people[bad]), "values")
        predicted[_held_out_rows(held_out.offsets, block.places, real)] = values[real]
    return predicted - held_out.value


def _held_out_rows(offsets: Ints, places: Ints, real: npt.NDArray[np.bool_]) -> Ints:
    """The held-out row that each real cell of a block stands for."""
    return (offsets[places, None] + np.arange(real.shape[1]))[real]
