"""The one thing that evaluation asks of a model."""

from typing import Protocol, runtime_checkable

from covey.types import ItemIndex, PersonIndex, Scores


class Scorer(Protocol):
    """Scores items for people; a higher score is a better guess."""

    @property
    def item_count(self) -> int:
        """Items that it can score."""
        ...

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        """Scores of items[p, c] for people[p]."""  # [people, candidates]
        ...

    def everything(self, people: PersonIndex) -> Scores:
        """Scores of every item for people[p]."""  # [people, items]
        ...


@runtime_checkable
class ValueScorer(Scorer, Protocol):
    """A Scorer that also predicts the value itself, such as a rating: it gets RMSE, MSE and MAE too."""

    def values(self, people: PersonIndex, items: ItemIndex) -> Scores:
        """The value that people[p] would give to items[p, c]."""  # [people, candidates]
        ...
