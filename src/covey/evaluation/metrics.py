"""Every metric, read off the ranks. In each formula, for one person:

    relevant   held-out items                     rank_j   place of the j-th best placed held-out item, from 1
    hits       held-out items with rank <= k      rivals   candidates that are not held out

A metric of a population is the mean over its people, each counting once, except coverage and Gini, which
belong to the lists of all people together, and the errors of predicted values, which belong to the ratings.
"""

import numpy as np
import numpy.typing as npt

from covey.evaluation.ranking import Ranking
from covey.types import Ints

PerPerson = npt.NDArray[np.float64]  # [evaluated]


def hit_rate(ranking: Ranking, k: int) -> PerPerson:
    """HR@k: 1 if hits > 0, else 0."""
    return (_hits(ranking, k) > 0).astype(np.float64)


def recall(ranking: Ranking, k: int) -> PerPerson:
    """Recall@k: hits / relevant. Someone with more than k held-out items cannot reach 1."""
    return _hits(ranking, k) / ranking.held_out_counts


def precision(ranking: Ranking, k: int) -> PerPerson:
    """Precision@k: hits / k, also where there are fewer than k candidates."""
    return _hits(ranking, k) / k


def f1(ranking: Ranking, k: int) -> PerPerson:
    """F1@k: the harmonic mean of the person's own precision and recall: 2 hits / (k + relevant).

    The population's F1 is the mean of these, not the harmonic mean of its mean precision and mean recall.
    """
    return 2 * _hits(ranking, k) / (k + ranking.held_out_counts)


def ndcg(ranking: Ranking, k: int) -> PerPerson:
    """NDCG@k: the sum over hits of 1 / log2(rank + 1), over the same sum for ranks 1 ... min(k, relevant)."""
    gain = np.where(ranking.rank <= k, 1 / np.log2(ranking.rank + 1), 0.0)
    ideal = np.cumsum(1 / np.log2(np.arange(1, k + 1) + 1))
    return _sum(ranking, gain) / ideal[np.minimum(k, ranking.held_out_counts) - 1]


def mean_average_precision(ranking: Ranking, k: int) -> PerPerson:
    """MAP@k: the sum over hits of j / rank_j, which is the precision at that hit, over min(k, relevant)."""
    precision_there = np.where(ranking.rank <= k, _order(ranking) / ranking.rank, 0.0)
    return _sum(ranking, precision_there) / np.minimum(k, ranking.held_out_counts)


def reciprocal_rank(ranking: Ranking) -> PerPerson:
    """MRR: 1 / rank_1, however far down; no cut."""
    return 1 / ranking.rank[ranking.offsets[:-1]]


def auc(ranking: Ranking) -> PerPerson:
    """AUC: the share of pairs (held-out item, rival) with the held-out item ahead; a tie is not a win.

    rank_j - j rivals are ahead of the j-th held-out item, so it is 1 - sum(rank_j - j) / (relevant * rivals).
    """
    lost = _sum(ranking, ranking.rank - _order(ranking))
    return 1 - lost / (ranking.held_out_counts * ranking.rival_counts)


def coverage(ranking: Ranking, k: int) -> float:
    """Coverage@k: the share of the catalogue in somebody's top k; FPL's IC@k when all items are ranked."""
    return float(np.count_nonzero(_shown(ranking, k)) / ranking.item_count)


def gini(ranking: Ranking, k: int) -> float:
    """Gini@k as FPL's paper reports it: one minus the Gini index of how often each item is in a top k.

    1 - sum_j (2j - n - 1) p_j / (n - 1), over all n items of the catalogue, p_j their shares of all places,
    ascending. Higher is more even: 1 when every item is shown equally often, 0 when one item has every place.
    (The paper gives the direction; the formula is that of its authors' evaluation library.) A catalogue of
    one item is even.
    """
    shares = np.sort(_shown(ranking, k)) / np.count_nonzero(ranking.top[:, :k] >= 0)
    n = ranking.item_count
    weights = 2 * np.arange(1, n + 1) - n - 1
    return float(1 - weights @ shares / max(1, n - 1))


AT_K = {
    "hr": hit_rate,
    "ndcg": ndcg,
    "recall": recall,
    "precision": precision,
    "f1": f1,
    "map": mean_average_precision,
}
WITHOUT_CUT = {"mrr": reciprocal_rank, "auc": auc}
OF_ALL_LISTS = {"coverage": coverage, "gini": gini}


def per_person(ranking: Ranking, ks: tuple[int, ...]) -> dict[str, PerPerson]:
    """Each person's value of every metric that a person has, by name: "hr@10", ..., "mrr", "auc"."""
    cut = {f"{name}@{k}": metric(ranking, k) for k in ks for name, metric in AT_K.items()}
    return cut | {name: metric(ranking) for name, metric in WITHOUT_CUT.items()}


def of_all_lists(ranking: Ranking, ks: tuple[int, ...]) -> dict[str, float]:
    """The metrics that belong to all top lists together, by name: "coverage@10", "gini@10"."""
    return {f"{name}@{k}": metric(ranking, k) for k in ks for name, metric in OF_ALL_LISTS.items()}


def _sum(ranking: Ranking, of_held_out: npt.NDArray[np.float64] | Ints) -> PerPerson:
    """Sums over each person's held-out items; everybody evaluated has one, which reduceat needs."""
    return np.add.reduceat(of_held_out, ranking.offsets[:-1]).astype(np.float64)


def _hits(ranking: Ranking, k: int) -> PerPerson:
    return _sum(ranking, (ranking.rank <= k).astype(np.int64))


def _order(ranking: Ranking) -> Ints:
    """j for each rank: 1 for its person's best placed held-out item, 2 for the next."""  # [held-out rows]
    return np.arange(1, len(ranking.rank) + 1) - np.repeat(ranking.offsets[:-1], ranking.held_out_counts)


def _shown(ranking: Ranking, k: int) -> Ints:
    """How many top k lists hold each item."""  # [items]
    top = ranking.top[:, :k]
    return np.bincount(top[top >= 0], minlength=ranking.item_count)
