"""Who would guess a group's ratings: from its message and a part of the ratings, or from that part alone.

An attacker is a function of what they may see: what the message says of the items, how many people the group has, and
the ratings that they know. It returns a guess for every person and item. A baseline gets the same call with a message
that is blank, or with the model that comes back to everybody: what that tells, the group's own message did not.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from covey.audit.estimates import Reals
from covey.audit.exposed import Exposed, Ratings, Shared
from covey.audit.regression import pooled_and_apart
from covey.models import cnmf

Guess = Callable[[Shared, int, Ratings, np.random.Generator], Reals]  # -> [people, items]

# Holds a bias back as so many zeros would: of 0.5 to 25 the best for this attacker, on MovieLens's small set.
_SHRINKAGE = 5.0
# With three times as many, the paper's attack gains .003 at most, and the baseline stays behind the others.
_ITERATIONS, _OWN_ITERATIONS = 100, 50
_BIAS_PASSES = 15


class Attacker(NamedTuple):
    """One way to guess."""

    name: str
    reads: Literal["message", "model", "nothing"]  # the group's message; what everybody gets back; or neither
    guess: Guess

    @property
    def reads_message(self) -> bool:
        return self.reads == "message"

    def try_on(self, group: Exposed, known: Ratings, generator: np.random.Generator) -> Reals:
        """The guesses; who does not read the message does not get it."""
        seen = {"message": group.shared, "model": group.common, "nothing": group.shared.blank()}[self.reads]
        return self.guess(seen, group.people, known, generator)


def attackers(penalties: cnmf.Penalties, signed: bool) -> tuple[Attacker, ...]:
    """Everybody who tries: those with the message first. Multiplicative updates need patterns without a sign."""

    def as_published(shared: Shared, people: int, known: Ratings, generator: np.random.Generator) -> Reals:
        return multiplicative(shared, people, known, generator, penalties, _ITERATIONS)

    def own(shared: Shared, people: int, known: Ratings, generator: np.random.Generator) -> Reals:
        return own_patterns(shared, people, known, generator, penalties, _OWN_ITERATIONS)

    published = () if signed else (Attacker("the paper's attack", "message", as_published),)
    return (
        *published,
        Attacker("regression on the patterns", "message", regression),
        Attacker("regression on everybody's model", "model", regression),
        Attacker("means of what is known", "nothing", means),
        Attacker("patterns of their own", "nothing", own),
    )


def multiplicative(
    shared: Shared, people: int, known: Ratings, generator: np.random.Generator,
    penalties: cnmf.Penalties, iterations: int,
) -> Reals:  # fmt: skip
    """The paper's attack (section 4.4): W by equation 12 and b_W by equation 10, for H and b_H as they were sent.

    A person of whom nothing is known keeps a bias of zero, and equation 12 makes their row of W zero.
    """
    width = shared.patterns.shape[1]
    model = cnmf.Factorization(
        generator.random((people, width)), shared.patterns, np.zeros(people), shared.item_bias
    )
    cnmf.complete(penalties, shared.centre, *known, model, iterations, False)
    return shared.centre + model.user_bias[:, None] + model.item_bias + model.users @ model.items.T


def regression(shared: Shared, people: int, known: Ratings, generator: np.random.Generator) -> Reals:
    """Ridge regression of what is known on the patterns; stronger than the paper's attack, and right for any sign.

    Everybody begins at what fits all that is known, so something is said too of people of whom nothing is.
    """
    # One size for all patterns, so that the strengths mean the same whatever a group's are.
    size = float(np.sqrt((shared.patterns**2).mean())) or 1.0
    features = np.column_stack([shared.patterns / size, np.ones(len(shared.patterns))])
    offset = shared.centre + shared.item_bias
    weights = pooled_and_apart(features[known.item], known.value - offset[known.item], known.person, people)
    return _in_range(offset + weights @ features.T, known)


def means(shared: Shared, people: int, known: Ratings, generator: np.random.Generator) -> Reals:
    """Without the message: the mean of what is known and a shrunken bias for each person and item."""
    centre = float(known.value.mean())
    user_bias, item_bias = np.zeros(people), np.zeros(len(shared.item_bias))
    cnmf.biases(centre, *known, _SHRINKAGE, _SHRINKAGE, user_bias, item_bias, _BIAS_PASSES)
    return _in_range(centre + user_bias[:, None] + item_bias, known)


def own_patterns(
    shared: Shared, people: int, known: Ratings, generator: np.random.Generator,
    penalties: cnmf.Penalties, iterations: int,
) -> Reals:  # fmt: skip
    """Without the message: the group's own kind of factorization, as wide as its own, of what is known alone."""
    centre = float(known.value.mean())
    items, width = shared.patterns.shape
    model = cnmf.start(people, items, width, generator)
    cnmf.complete(penalties, centre, *known, model, iterations, True)
    guess = centre + model.user_bias[:, None] + model.item_bias + model.users @ model.items.T
    return _in_range(guess, known)


def _in_range(guess: Reals, known: Ratings) -> Reals:
    """No guess outside of what ratings are known to be."""
    return np.clip(guess, known.value.min(), known.value.max())
