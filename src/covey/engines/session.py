"""What a run needs of whoever does the work: rounds one after another, and a state to come back to."""

from pathlib import Path
from typing import Any, Protocol

from covey.evaluation.scorer import Scorer
from covey.messages.ledger import Ledger
from covey.types import Arrays


class Session(Protocol):
    """One training in progress."""

    ledger: Ledger

    @property
    def title(self) -> str:
        """What a table calls it."""
        ...

    @property
    def federated(self) -> bool:
        """Whether the histories stayed at home."""
        ...

    @property
    def round(self) -> int:
        """Rounds done."""
        ...

    @property
    def rounds(self) -> int:
        """Rounds to do."""
        ...

    @property
    def rounds_a_pass(self) -> int:
        """Rounds in which everybody takes part once."""
        ...

    def advance(self) -> None:
        """Does one round, or changes nothing where it fails."""
        ...

    def advance_by(self, at_most: int) -> None:
        """Does one round, or up to `at_most` where they are quicker in one go; changes nothing where it fails."""
        ...

    def scorer(self) -> Scorer:
        """Scores of the model as it is."""
        ...

    def shared(self) -> Arrays:
        """The arrays of the shared model."""
        ...

    def save(self, folder: Path) -> None:
        """Writes the state after this round to files in a folder, over those of an earlier round."""
        ...

    def restore(self, folder: Path) -> None:
        """Goes back to the state that was written there."""
        ...

    def costs(self) -> dict[str, dict[str, float]]:
        """Operations of a person's visit: name -> mean, min, max; empty where nobody visits."""
        ...

    def facts(self) -> dict[str, Any]:
        """What a summary says of the training beside its metrics; empty where there is nothing to say."""
        ...

    def close(self) -> None:
        """Lets go of threads."""
        ...
