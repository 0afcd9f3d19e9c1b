"""Evaluation: a scorer, what it ranks, and what comes out.

    candidates = prepare(split, Sampled(100), part="valid", seed=7)   # once a run
    evaluation = evaluate(scorer, candidates, ks=(5, 10))              # after as many rounds as you like
    evaluation["ndcg@10"], evaluation.per_person["ndcg@10"], evaluation.people

Scores are asked for in chunks of people, so memory does not grow with the population.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import overload

from covey.errors import ConfigError
from covey.evaluation import metrics
from covey.evaluation.candidates import Candidates
from covey.evaluation.group_errors import GroupedScorer, group_errors
from covey.evaluation.metrics import PerPerson
from covey.evaluation.protocol import Part, RankingProtocol, Sampled, prepare
from covey.evaluation.ranking import rank
from covey.evaluation.scorer import Scorer, ValueScorer
from covey.evaluation.value_errors import value_errors
from covey.splits import Split
from covey.types import PersonIndex

USUAL = Sampled()


@dataclass(frozen=True, eq=False)
class Evaluation(Mapping[str, float]):
    """Metric names ("hr@10", "auc", "rmse") to values, with each person's own value beside them."""

    of_population: Mapping[str, float]
    per_person: Mapping[str, PerPerson]  # name -> [evaluated], in the order of `people`
    people: PersonIndex  # [evaluated] ascending; those who hold nothing out are absent
    protocol: str
    part: str
    without_rivals: int = 0  # held something out, but had nothing to rank it against; not evaluated

    def __getitem__(self, name: str) -> float:
        return self.of_population[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.of_population)

    def __len__(self) -> int:
        return len(self.of_population)

    @property
    def people_count(self) -> int:
        """How many people were evaluated."""
        return len(self.people)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {value:.4f}" for name, value in self.items())
        return f"Evaluation({self.part}, {self.protocol}, {self.people_count:,} people: {shown})"


@overload
def evaluate(scorer: Scorer, on: Candidates, *, ks: tuple[int, ...] = (10,)) -> Evaluation: ...
@overload
def evaluate(
    scorer: Scorer,
    on: Split,
    protocol: RankingProtocol = USUAL,
    *,
    part: Part = "test",
    ks: tuple[int, ...] = (10,),
    seed: int = 0,
    people: PersonIndex | None = None,
) -> Evaluation: ...
def evaluate(
    scorer: Scorer,
    on: Candidates | Split,
    protocol: RankingProtocol = USUAL,
    *,
    part: Part = "test",
    ks: tuple[int, ...] = (10,),
    seed: int = 0,
    people: PersonIndex | None = None,
) -> Evaluation:
    """Every metric of a scorer, on prepared candidates or on a split that is prepared here."""
    if not ks or min(ks) < 1:
        raise ConfigError(f"ks is {ks}; expected list lengths of 1 or more, such as (5, 10)")
    if isinstance(on, Split):
        on = prepare(on, protocol, part, seed, people)
    if scorer.item_count != on.item_count:
        raise ConfigError(
            f"the model knows {scorer.item_count:,} items and the split has {on.item_count:,}; "
            "evaluate a model on the data that it was trained on"
        )
    ranking = rank(scorer, on, longest=max(ks))
    own = metrics.per_person(ranking, ks)
    values = {name: float(each.mean()) for name, each in own.items()} | metrics.of_all_lists(ranking, ks)
    if isinstance(scorer, ValueScorer):
        errors, own_errors = value_errors(scorer, on)
        values, own = values | errors, own | own_errors
        if isinstance(scorer, GroupedScorer):
            values |= group_errors(scorer, on, own_errors["mse"])
    return Evaluation(values, own, on.people, on.protocol, on.part, on.without_rivals)
