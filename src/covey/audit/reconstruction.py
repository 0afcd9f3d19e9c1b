"""How well attackers guess a group's ratings as they know more of them: fedsplit.txt, section 4.4 and figure 4."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from covey.audit.attackers import Attacker
from covey.audit.estimates import Reals, estimate
from covey.audit.exposed import Exposed, Ratings
from covey.audit.knowledge import SHARES, known_by_share, turns
from covey.random import stream
from covey.reports import units
from covey.runs.audited import Chart, Curve, Estimate, Finding, Headline

PRINTED, ROOT, KNOWN, UNKNOWN = range(4)
# Key, title and axis of each measure, and whether the page draws it.
_MEASURES = (
    ("printed", "All ratings, the measure as printed", "relative error, squared", True),
    ("root", "All ratings, the root of it", "relative error", False),
    ("known", "Ratings that they knew", "relative error", False),
    ("unknown", "Ratings that they did not know", "relative error", True),
)
_HALF = SHARES.index(0.5)
_KNOWING = {
    "people": ("whole histories of people in the group", "people known"),
    "items": ("all that the group rated of some items", "items known"),
    "ratings": ("single ratings of the group", "ratings known"),
}

Errors = npt.NDArray[
    np.float64
]  # [attackers, shares, measures] or [groups, ...]; NaN where nothing is to guess


def errors(truth: Ratings, guess: Reals, known: npt.NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Relative error as printed (eq. 4: a ratio of squared lengths), its root, and the roots of known and unknown."""
    squared = (truth.value - guess[truth.person, truth.item]) ** 2
    printed = float(squared.sum() / (truth.value**2).sum())
    return printed, printed**0.5, _root(squared, truth.value, known), _root(squared, truth.value, ~known)


def _root(squared: Reals, value: Reals, chosen: npt.NDArray[np.bool_]) -> float:
    """The length of the chosen errors over that of the chosen ratings; NaN where none is chosen."""
    size = float((value[chosen] ** 2).sum())
    return float(squared[chosen].sum() / size) ** 0.5 if size > 0 else float("nan")


def attack(group: Exposed, way: str, trying: Sequence[Attacker], seed: int) -> Errors:
    """Every attacker's errors on one group, at every share of what they know."""
    number = int(group.message.group)
    turn = turns(way, group.ratings, stream(seed, "audit", "turns", way, number))
    found = np.zeros((len(trying), len(SHARES), len(_MEASURES)))
    for at, known in enumerate(known_by_share(turn)):
        seen = group.ratings.only(known)
        for which, attacker in enumerate(trying):
            generator = stream(seed, "audit", attacker.name, way, number, at)
            guess = attacker.try_on(group, seen, generator)
            found[which, at] = errors(group.ratings, guess, known)
    return found


def attack_all(
    groups: Sequence[Exposed], way: str, trying: Sequence[Attacker], seed: int, on_group: Callable[[], None]
) -> Errors:
    """The errors on every group: [groups, attackers, shares, measures]."""
    found = np.zeros((len(groups), len(trying), len(SHARES), len(_MEASURES)))
    for at, group in enumerate(groups):
        found[at] = attack(group, way, trying, seed)
        on_group()
    return found


def finding(way: str, trying: Sequence[Attacker], found: Errors) -> Finding | None:
    """What guessing from this kind of knowledge came to; None where too few groups leave anything to guess."""
    knowing, axis = _KNOWING[way]
    at_half = found[:, :, _HALF, UNKNOWN]
    means = {n: mean for n in range(len(trying)) if (mean := estimate(at_half[:, n])) is not None}
    if not means:
        return None
    with_message = _best([n for n in means if trying[n].reads_message], means)
    without = _best([n for n in means if not trying[n].reads_message], means)
    reached, chance = means[with_message], means[without].mean
    return Finding(
        key=way,
        title=f"Guessing ratings, knowing {knowing}",
        attacker_has=f"a group's patterns, item biases (its own, or the common ones where it sends none), the mean rating, "
        f"how many people it has, and {knowing}",
        found=_sentence(way, trying[with_message], trying[without], at_half[:, [with_message, without]]),
        headline=Headline(
            f"error on ratings not known, half of the {way} known",
            reached,
            chance,
            f"without it: {trying[without].name}",
        ),
        charts=tuple(_chart(measure, axis, trying, found[..., measure]) for measure in range(len(_MEASURES))),
    )


def _best(candidates: Sequence[int], means: Mapping[int, Estimate]) -> int:
    """The attacker with the least mean error."""
    return min(candidates, key=lambda which: means[which].mean)


def _sentence(way: str, reader: Attacker, blind: Attacker, pair: Reals) -> str:
    """The two best attackers beside each other, and whether the message made a difference."""
    missed, without = (f"{100 * each:.1f}%" for each in np.nanmean(pair, axis=0))
    gain = estimate(100 * (pair[:, 1] - pair[:, 0]))
    begun = (
        f"Who knows half of the {way} and reads the message misses the other ratings by {missed} of their size "
        f"({reader.name}); without the message by {without} ({blind.name})."
    )
    if gain is None:
        return begun
    interval = f"95%: {units.interval(gain.low, gain.high, 1)}"
    if gain.low > 0:
        return f"{begun} So the message is worth {gain.mean:.1f} points ({interval})."
    verdict = "less than the baseline does" if gain.high < 0 else "nothing that could be told from luck"
    return f"{begun} So the message tells this attacker {verdict} ({interval})."


def _chart(measure: int, axis: str, trying: Sequence[Attacker], found: Errors) -> Chart:
    key, title, y_label, drawn = _MEASURES[measure]
    curves = tuple(_curve(each, found[:, which]) for which, each in enumerate(trying))
    return Chart(key, title, axis, y_label, curves, drawn=drawn)


def _curve(attacker: Attacker, found: Errors) -> Curve:
    """Means over groups; shares at which too few groups have anything to guess are left out."""
    points = [(share, estimate(found[:, at])) for at, share in enumerate(SHARES)]
    kept = [(share, mean) for share, mean in points if mean is not None]
    return Curve(
        attacker.name,
        attacker.reads_message,
        tuple(share for share, _ in kept),
        tuple(mean for _, mean in kept),
    )
