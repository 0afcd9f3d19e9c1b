"""What is ranked against what: the three protocols, and how a split becomes candidates under each."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from covey.errors import ConfigError, SplitError, unknown
from covey.evaluation.candidates import Candidates, nobody, pack, take, usable
from covey.evaluation.unseen import draw_unseen
from covey.splits import Histories, Split
from covey.types import ItemIndex, PersonIndex

Part: TypeAlias = Literal["valid", "test"]


@dataclass(frozen=True)
class Sampled:
    """Held-out items against `negatives` items that the person has in no part, drawn by seed and person."""

    negatives: int = 100

    def __post_init__(self) -> None:
        if self.negatives < 1:
            raise ConfigError(f"negatives is {self.negatives}; expected 1 or more sampled negatives a person")

    @property
    def name(self) -> str:
        return f"sampled-{self.negatives}"

    @property
    def sentence(self) -> str:
        """What a figure under this protocol says of itself."""
        return f"each held-out item against {self.negatives} sampled items that the person does not have"


@dataclass(frozen=True)
class Given:
    """Held-out items against the negatives that came with the files, less those held out themselves."""

    name: str = field(default="given", init=False)
    sentence: str = field(
        default="each held-out item against the negatives that came with the files", init=False
    )


@dataclass(frozen=True)
class AllItems:
    """Held-out items against all that the person has not in training nor, for the test, in validation.

    While validating, test items are rivals like any other: nobody knows yet that they will be chosen.
    """

    name: str = field(default="all-items", init=False)
    sentence: str = field(
        default="each held-out item against all items that the person did not train on", init=False
    )


RankingProtocol: TypeAlias = Sampled | Given | AllItems


def prepare(
    split: Split,
    protocol: RankingProtocol,
    part: Part = "test",
    seed: int = 0,
    people: PersonIndex | None = None,
) -> Candidates:
    """What to rank for whom, ready for any number of evaluations; `people` narrows it to some of them."""
    held_out_of_all = _part(split, part)
    holding = _holding(held_out_of_all, people, part)
    known, rivals = None, np.zeros(0, np.int32)
    if isinstance(protocol, AllItems):
        before = split.valid if part == "test" else nobody(split.people_count, split.item_count)
        known = (split.train, before)
        left_out = sum((each.counts[holding] for each in known), start=held_out_of_all.counts[holding])
        rival_counts = split.item_count - left_out
    elif isinstance(protocol, Sampled):
        rival_counts, rivals = draw_unseen(split, holding, protocol.negatives, seed)
    else:
        rival_counts, rivals = usable(_given(split)[holding], take(held_out_of_all, holding))
    ranked = rival_counts > 0
    if not ranked.any():
        raise SplitError(
            f"nobody has an item to rank {part!r} items against under {protocol.name!r}; use another protocol"
        )
    held_out = take(held_out_of_all, holding[ranked])
    return Candidates(
        protocol=protocol.name,
        part=part,
        item_count=split.item_count,
        people=holding[ranked],
        held_out=held_out,
        rival_counts=rival_counts[ranked],
        blocks=() if known else tuple(pack(held_out, rival_counts[ranked], rivals)),
        known=known,
        without_rivals=int(np.count_nonzero(~ranked)),
    )


def _part(split: Split, part: str) -> Histories:
    """The part that is held out."""
    parts = {"valid": split.valid, "test": split.test}
    if part not in parts:
        raise unknown("part", part, parts)
    return parts[part]


def _holding(held_out: Histories, people: PersonIndex | None, part: str) -> PersonIndex:
    """Those of `people` who hold something out, ascending."""
    counts = held_out.counts
    if people is None:
        people = np.arange(held_out.people_count, dtype=np.int32)
    people = np.unique(people).astype(np.int32)
    if len(people) and not 0 <= people[0] <= people[-1] < held_out.people_count:
        wrong = people[0] if people[0] < 0 else people[-1]
        raise ConfigError(
            f"person {wrong} is not one of the {held_out.people_count:,} people, numbered from 0"
        )
    holding = people[counts[people] > 0]
    if not len(holding):
        raise SplitError(
            f"nobody asked for has an item in the {part!r} part; split the data so that it has rows"
        )
    return holding


def _given(split: Split) -> ItemIndex:
    """The negatives that came with the files."""  # [people, negatives]
    if split.negatives is None:
        raise ConfigError(
            "this split came without given negatives; use Sampled or AllItems, or a source with them"
        )
    largest = int(split.negatives.max(initial=-1))
    if largest >= split.item_count:
        raise SplitError(
            f"a given negative is item {largest}; expected one below {split.item_count}, the number of items"
        )
    return split.negatives
