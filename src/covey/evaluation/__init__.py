"""Candidates, ranks, metrics: how good a scorer's lists are for the items that people held out."""

from covey.evaluation.candidates import Candidates
from covey.evaluation.outcome import Evaluation, evaluate
from covey.evaluation.protocol import AllItems, Given, Part, RankingProtocol, Sampled, prepare
from covey.evaluation.scorer import Scorer, ValueScorer

__all__ = [
    "AllItems",
    "Candidates",
    "Evaluation",
    "Given",
    "Part",
    "RankingProtocol",
    "Sampled",
    "Scorer",
    "ValueScorer",
    "evaluate",
    "prepare",
]
