"""FedSPLIT: groups learn once, together (Eren et al., 2022), and ways past it.

    server   say on what scale ratings are                                               invitation
      group  send the mean rating (eq. 6)                                                mean_message
    server   the mean of the means (eq. 14)                                              centre_of
      group  factorize the own ratings, biases and all (eq. 9 to 13)                     fit_group
             send the items' patterns and biases; keep everything about people           pattern_message, bias_message
    server   factorize all patterns side by side (eq. 15), average biases (eq. 16)       JointServer.fuse
      group  bring the joint patterns to the own people (eq. 18), recommend (eq. 19)     people_vectors

As published: local = "cnmf", joint = "nmf", biases = "groups", refit = "distil", evidence = 0, components = 4. What brings it past
the paper in the same one round: each person's vector is solved for anew against the joint patterns (refit), an item's
bias counts by what it rests on (biases), and the joint patterns may be of either sign (joint).

`engines/groups.py` runs it: round 1 is the exchange of means, round 2 that of patterns.
"""

from typing import ClassVar

import msgspec
import numpy as np

from covey.algorithms.checks import at_least, between, one_of, positive
from covey.algorithms.fedsplit_local import HIDE, LOCAL, distilled
from covey.device.groups import GroupModel
from covey.errors import ConfigError
from covey.messages.fixed import from_fixed
from covey.messages.updates import ModelUpdate
from covey.models import factorization as fz
from covey.models.patterns import nonnegative_people
from covey.server.joint import BIASES, JOINT, Joint
from covey.splits.histories import Histories
from covey.types import Floats

REFIT = ("ridge", "nonnegative", "distil")
PENALTY = ("rating", "once")
_LEAST_HELD = (
    1e-3  # ratings of zero difference: with none at all, the bias of who has no rating is not determined
)


class FedSPLITConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How FedSPLIT learns. People are grouped by the data's group column, or at random where it has none."""

    local: str = "cnmf"  # a group's own model: cnmf (as published) or spectrum (singular vectors)
    patterns: int = 8  # k: patterns that a group finds; fewer than it has people
    joint: str = "svd"  # of all patterns: svd (either sign) or nmf (as published)
    components: int = 24  # K: patterns that all have in common
    biases: str = "evidence"  # of items: by how many rated it, or groups (each alike, as published)
    refit: str = "ridge"  # people's vectors: ridge or nonnegative regression, or distil (as published)
    ridge: float = 5.0  # what holds people's vectors back in a regression
    shrinkage: float = 5.0  # ratings of zero difference that a bias is averaged with
    evidence: float = 1.0  # c: the pattern of an item that n rated counts n / (n + c)
    user_regularization: float = 0.06  # alpha: holds a group's people back; cnmf
    item_regularization: float = 0.06  # beta: holds a group's items back; cnmf
    user_bias_regularization: float = 0.02  # gamma; cnmf
    item_bias_regularization: float = 0.02  # delta; cnmf
    user_bias_rate: float = 0.005  # eta_W: how fast people's biases learn; cnmf
    item_bias_rate: float = 0.005  # eta_H: how fast items' biases learn; cnmf
    penalty: str = "rating"  # alpha and beta count once a rating, or once (equation 12 as printed)
    iterations: int = 300  # of a group's own factorization
    trials: int = 0  # settings that each group tries at home (five folds, Optuna); 0: none
    hide: str = "none"  # made-up rows for items that nobody rated: none, like rare ones, or decoys (any)
    smallest_group: int = 3  # people; a smaller group takes no part
    largest_group: int = 30  # people, of groups drawn at random
    lowest_rating: float = 0.0  # of the scale that all share, where highest_rating is set
    highest_rating: float = 0.0  # of the scale that all share; 0: both ends are what most groups have
    alone: float = 0.0  # share of people in no group, where groups are drawn; they get vectors too
    late: float = 0.0  # share of groups that come after the joint factorization
    weakest: float = 0.0  # share of groups left out of it because their patterns say least
    forgotten: float = 0.0  # share of groups that ask to be forgotten; a third round does without them

    def __post_init__(self) -> None:
        one_of("local", self.local, LOCAL)
        one_of("joint", self.joint, JOINT)
        one_of("biases", self.biases, BIASES)
        one_of("refit", self.refit, REFIT)
        one_of("penalty", self.penalty, PENALTY)
        one_of("hide", self.hide, HIDE)
        between("patterns", self.patterns, 1, 1000)
        between("components", self.components, 1, 1000)
        positive("ridge", self.ridge)
        between("user_bias_rate", self.user_bias_rate, 0, 1)
        between("item_bias_rate", self.item_bias_rate, 0, 1)
        for name in (
            "shrinkage", "evidence", "user_regularization", "item_regularization", "user_bias_regularization",
            "item_bias_regularization", "trials",
        ):  # fmt: skip
            at_least(name, getattr(self, name), 0)
        at_least("iterations", self.iterations, 1)
        at_least("smallest_group", self.smallest_group, 2)
        at_least("largest_group", self.largest_group, self.smallest_group)
        for name in ("alone", "late", "weakest", "forgotten"):
            between(name, getattr(self, name), 0, 0.9)
        self._check_together()

    def _check_together(self) -> None:
        """Raises ConfigError where two keys do not go together."""
        if self.highest_rating and not self.lowest_rating < self.highest_rating:
            raise ConfigError(
                f"lowest_rating is {self.lowest_rating:g} and highest_rating {self.highest_rating:g}; "
                "expected the lower first"
            )
        if self.joint == "nmf" and self.local == "spectrum":
            raise ConfigError(
                "joint = 'nmf' takes no negative patterns, which local = 'spectrum' makes; set joint=svd"
            )
        if self.refit == "nonnegative" and self.joint != "nmf":
            raise ConfigError(
                "refit = 'nonnegative' is meant for non-negative patterns; set joint=nmf, or refit=ridge"
            )
        if self.refit == "distil" and self.biases != "groups":
            raise ConfigError(
                "refit = 'distil' keeps people's biases as their group's model has them, beside which items' biases "
                "'by evidence' do not fit; set biases=groups, or refit=ridge"
            )
        if self.refit == "distil" and self.local == "spectrum":
            raise ConfigError(
                "refit = 'distil' needs the published local model; set local=cnmf, or refit=ridge"
            )


class FedSPLIT:
    """The pure functions of FedSPLIT for one configuration, one catalogue and one seed."""

    name: ClassVar[str] = "fedsplit"
    Config: ClassVar[type[FedSPLITConfig]] = FedSPLITConfig
    space: ClassVar[dict[str, str]] = {
        "patterns": "2..16",
        "components": "2..40",
        "ridge": "0.3..30:log",
        "shrinkage": "1..20:log",
        "user_regularization": "0.02..0.3:log",
        "item_regularization": "0.02..0.3:log",
    }

    def __init__(self, config: FedSPLITConfig, item_count: int, seed: int) -> None:
        self.config, self.item_count, self.seed = config, item_count, seed

    @property
    def title(self) -> str:
        return "FedSPLIT"

    def centre_of(self, means: list[ModelUpdate]) -> float:
        """The mean of the groups' means (equation 14)."""
        field = means[0].schema.shared_field
        assert field is not None
        total = np.array([sum(int(each.shared_values[0]) for each in means)], np.int64)
        return float(from_fixed(total, field)[0]) / len(means)

    def people_vectors(self, joint: Joint, centre: float, histories: Histories) -> Floats:
        """Vectors and biases of these people by regression on the joint patterns; each at home, from its own rows.

        It needs no group: who is alone gets a vector like anybody else.
        """  # [people, components + 1]
        config, width = self.config, joint.patterns.shape[1]
        # One ridge serves the factors and the bias: the patterns are scaled until both are held back as asked.
        held = max(config.shrinkage, _LEAST_HELD)
        scale = np.sqrt(held / config.ridge)
        table = np.column_stack([joint.patterns * scale, joint.item_bias])
        if config.refit == "nonnegative":
            vectors = np.zeros((histories.people_count, width + 1))
            nonnegative_people(
                histories.offsets, histories.item, histories.value, table, centre, held, vectors
            )
        else:
            recipe = fz.Recipe(1.0, 0.0, held, 0.0, 0, True)
            # With a ridge above zero every system can be solved.
            vectors, _ = fz.solve_everybody(
                recipe, histories.offsets, histories.item, histories.value, table, centre
            )
        vectors[:, :-1] *= scale
        return vectors.astype(np.float32)

    def group_vectors(self, joint: Joint, model: GroupModel, ticket: int) -> Floats:
        """Vectors and biases of a group's people by distillation with its own slice (equation 18)."""
        return distilled(model, joint.slices[ticket])
