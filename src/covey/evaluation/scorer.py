"""The one thing that evaluation asks of a model."""

from typing import Protocol

from covey.types import ItemIndex, PersonIndex, Scores


class Scorer(Protocol):
    """Scores items for people; a higher score is a better guess."""

    item_count: int

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        """Scores of items[p, c] for people[p]."""  # [people, candidates]
        ...

    def everything(self, people: PersonIndex) -> Scores:
        """Scores of every item for people[p]."""  # [people, items]
        ...
