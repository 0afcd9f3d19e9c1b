"""The engine of groups: each trains by itself, in threads, and talks to the server twice, a number and then patterns.

round 1   the groups' means go up, the mean of the means comes down; every group trains its own model
round 2   patterns and biases go up once, the joint ones come down, people's vectors are solved for at home
round 3   only where somebody asked to be forgotten: the joint patterns anew without them. Their mean stays in the mean of
          the means, on which everybody's own model rests
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from covey.aggregation.secure import Outcome
from covey.aggregation.sums import UpdateSum
from covey.algorithms.fedsplit import FedSPLIT, FedSPLITConfig
from covey.algorithms.fedsplit_groups import ALONE, Groups, drawn_groups, rows_of_groups
from covey.algorithms.fedsplit_local import (
    bias_message,
    fit_group,
    mean_message,
    pattern_count,
    pattern_message,
)
from covey.algorithms.fedsplit_scorer import GroupScorer
from covey.algorithms.fedsplit_tuning import tuned
from covey.device.groups import GroupModel, GroupStates, load_groups, save_groups
from covey.engines.group_ledger import GroupLedger
from covey.engines.invitation import Invited, invite
from covey.engines.sums import IN_THE_CLEAR, SumSettings, added_under_masks, record_traffic
from covey.errors import ConfigError, MessageError, PrivacyError
from covey.messages.ledger import Ledger
from covey.messages.updates import ModelUpdate
from covey.server.joint import Disclosed, Joint, JointServer, disclosed, no_biases
from covey.server.model import GlobalModel
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, ItemIndex

Result = TypeVar("Result")


class GroupSession:
    """A training of FedSPLIT over one population of groups."""

    federated = True
    rounds_a_pass = 1

    def __init__(
        self,
        algorithm: FedSPLIT,
        train: Histories,
        workers: int,
        given: Groups | None = None,
        sums: SumSettings = IN_THE_CLEAR,
    ) -> None:
        config = algorithm.config
        self.sums = sums
        self.algorithm, self.train, self.workers, self.title = algorithm, train, workers, algorithm.title
        self.rounds = 3 if config.forgotten else 2
        self.groups = _drawn(algorithm, train) if given is None else given
        self.rows = rows_of_groups(train, self.groups)
        self.invited: Invited = invite(config, self.rows, algorithm.seed)
        if not self.invited.early:
            raise ConfigError(
                f"no group of {len(self.rows)} can take part ({self.invited.reasons()}); "
                "lower smallest_group or late, or mend the groups' data"
            )
        self._refuse_too_many_components()
        _refuse_showing_the_forgotten(sums, config, len(self.invited.leaving))
        self.ledger = Ledger()
        self.states = GroupStates(np.zeros((train.people_count, config.components + 1), np.float32), {})
        self.server = JointServer(config, train.item_count)
        self.model = GlobalModel(0, self._arrays(None, sum(self.invited.scale) / 2))

    def _refuse_too_many_components(self) -> None:
        """Raises before anybody trains where even all groups together cannot have so many components."""
        config = self.algorithm.config
        columns = sum(pattern_count(self.rows[ticket], config.patterns) for ticket in self.invited.early)
        most = min(columns, self.train.item_count)
        # Trials choose each group's number of patterns; then the server finds out.
        if config.components > most and not config.trials:
            raise ConfigError(
                f"components is {config.components}, but {len(self.invited.early)} groups have {columns} patterns of "
                f"{self.train.item_count} items together; set components to {most} at most, or raise patterns"
            )

    @property
    def round(self) -> int:
        return self.model.round

    def advance(self) -> None:
        """The next of the rounds; one that fails changes nothing."""
        (self._means, self._patterns, self._without_the_forgotten)[self.round]()

    def advance_by(self, at_most: int) -> None:
        self.advance()

    # --- the rounds ---

    def _means(self) -> None:
        """Round 1."""
        takes_part = [*self.invited.early, *self.invited.late]
        means = [mean_message(self.rows[ticket], 0) for ticket in self.invited.early]
        centre = self.algorithm.centre_of(means)
        models = dict(zip(takes_part, self._in_threads(self._fit(centre), takes_part), strict=True))
        self.states = GroupStates(self.states.vectors, models)
        self.model = GlobalModel(1, self._arrays(None, centre))
        invited = len(self.rows) + int(np.count_nonzero(self.groups == ALONE))
        GroupLedger(self.ledger).means(
            means, invited, len(takes_part) + self._by_themselves(), self.invited.settings
        )

    def _patterns(self) -> None:
        """Round 2."""
        self._learn_together(2)

    def _without_the_forgotten(self) -> None:
        """Round 3: what was sent is still there, but for what the forgotten sent."""
        self._learn_together(3)

    def _learn_together(self, round_number: int) -> None:
        """The joint factorization, whoever comes after it, and what everybody makes of it at home."""
        server, said = self._server_before_fusing(round_number)
        # What was summed cannot be taken back out: who stays after somebody left sends it again.
        biases = self._bias_messages([ticket for ticket in self.invited.early if ticket in server.held])
        summed, under_masks = self._summed(biases)
        joint = server.fuse(summed)
        said += self._hear(server, self.invited.late)
        others = [ticket for ticket in server.held if ticket not in joint.slices]
        projected = {ticket: server.project(joint, ticket) for ticket in others}
        joint = replace(joint, slices={**joint.slices, **projected})
        self._distribute(server, joint, round_number)
        gone = self.invited.leaving if round_number == 3 else []
        receivers = len(self.states.models) - len(gone) + self._by_themselves()
        ledger = GroupLedger(self.ledger)
        ledger.updates(said if round_number == 2 else [])
        if under_masks is None:
            ledger.updates(biases)
        else:
            record_traffic(self.ledger, under_masks)
        ledger.joint(joint, self._slices_sent(), receivers)

    def _server_before_fusing(self, round_number: int) -> tuple[JointServer, list[ModelUpdate]]:
        """The server as that round's joint factorization finds it, and what it was sent.

        In a simulation the messages are made again from the groups' models, to the same bits.
        """
        server = JointServer(self.algorithm.config, self.train.item_count)
        said = self._hear(server, self.invited.early)
        server.leave_out_weakest(self.algorithm.config.weakest)
        for ticket in self.invited.leaving if round_number == 3 else ():
            if ticket in server.held:
                server.forget(ticket)
        return server, said

    def _hear(self, server: JointServer, tickets: list[int]) -> list[ModelUpdate]:
        """Hands the server what these groups send; where it refuses, its record says why and the others go on."""
        said = dict(self._messages(tickets))
        for ticket, update in said.items():
            try:
                server.admit(ticket, update)
            except MessageError as error:
                server.record.append({"ticket": ticket, "what": "refused", "why": str(error)})
        return list(said.values())

    def _fit(self, centre: float) -> Callable[[int], GroupModel]:
        algorithm = self.algorithm

        def fit(ticket: int) -> GroupModel:
            rows = self.rows[ticket]
            config = tuned(algorithm.config, rows, centre, ticket, algorithm.seed)
            return fit_group(config, rows, centre, ticket, algorithm.seed)

        return fit

    def _messages(self, tickets: Iterable[int]) -> Iterator[tuple[int, ModelUpdate]]:
        """What these groups send of their models."""
        algorithm = self.algorithm
        for ticket in tickets:
            yield (
                ticket,
                pattern_message(
                    algorithm.config,
                    self.rows[ticket],
                    self.states.models[ticket],
                    self.train.item_count,
                    1,
                    ticket,
                    algorithm.seed,
                ),
            )

    def _bias_messages(self, tickets: list[int]) -> list[ModelUpdate]:
        """What item biases are made of in these groups; nothing where patterns bring biases along."""
        config = self.algorithm.config
        if config.biases == "groups":
            return []
        return [
            bias_message(config, self.rows[ticket], self.states.models[ticket], self.round)
            for ticket in tickets
        ]

    def _summed(self, updates: list[ModelUpdate]) -> tuple[UpdateSum | None, Outcome | None]:
        """The sum of bias messages, all that the server needs of them, and the round of masks that it took."""
        if not updates:
            return None, None
        if self.sums.secure:
            return added_under_masks(updates, self.train.item_count, self.round, self.sums)
        total = no_biases(self.train.item_count)
        for update in updates:
            total.add(update)
        return total, None

    def _distribute(self, server: JointServer, joint: Joint, round_number: int) -> None:
        """Everybody's vectors for the joint patterns, and the model after that round."""
        vectors = self._vectors(joint)
        centre = float(self.model.arrays["network"][0])
        self.server = server
        self.states = GroupStates(vectors, self.states.models)
        self.model = GlobalModel(round_number, self._arrays(joint, centre))

    def _vectors(self, joint: Joint) -> Floats:
        """Vectors of everybody for these joint patterns, each worked out at home."""
        centre = float(self.model.arrays["network"][0])
        vectors = self.algorithm.people_vectors(joint, centre, self.train)
        if self.algorithm.config.refit == "distil":
            for ticket, model in self.states.models.items():
                if ticket in joint.slices:
                    vectors[self.rows[ticket].people] = self.algorithm.group_vectors(joint, model, ticket)
        return vectors

    # --- what others ask of a session ---

    def scorer(self) -> GroupScorer:
        arrays = self.model.arrays
        own: Iterable[int] = ()
        if self.round == 1:
            own = self.states.models
        elif self.round == 3:
            own = [ticket for ticket in self.invited.leaving if ticket in self.states.models]
        return GroupScorer(
            self.train.item_count, float(arrays["network"][0]), self.invited.scale, self.groups, self.states.vectors,
            arrays["items"], {ticket: (self.rows[ticket], self.states.models[ticket]) for ticket in own}, self._sets(),
        )  # fmt: skip

    def disclosures(self) -> list[tuple[int, Disclosed]]:
        """What the server got of each group whose message it could read."""
        found: list[tuple[int, Disclosed]] = []
        for ticket, update in self._messages([*self.invited.early, *self.invited.late]):
            with suppress(MessageError):
                found.append((ticket, disclosed(update, self.train.item_count)))
        return found

    def bias_rows(self) -> dict[int, ItemIndex]:
        """By ticket, the items that a group's bias message names to the server; nothing where it sees sums alone."""
        if self.sums.secure:
            return {}
        tickets = self.invited.early
        # Where patterns bring biases along there are no such messages at all.
        return {
            ticket: update.rows for ticket, update in zip(tickets, self._bias_messages(tickets), strict=False)
        }

    def facts(self) -> dict[str, Any]:
        """What the summary says of the groups.

        Why a group stayed away tells of its ratings, and no message carries it: the summary is the simulator's own file.
        """
        told = [{"ticket": ticket, "why": why} for ticket, why in sorted(self.invited.refused.items())]
        count = len(self.invited.early) + len(self.invited.late)
        return {
            "groups": len(self.rows),
            "groups_taking_part": len(self.invited.early),
            "groups_refused": told,
            "record": self.server.record,
            "upload_bytes_per_group": self.ledger.bytes("up") / count,
            "download_bytes_per_receiver": self.ledger.bytes("down") / (count + self._by_themselves()),
        }

    def shared(self) -> Arrays:
        return self.model.arrays

    def save(self, folder: Path) -> None:
        self.model.save(folder / "server.safetensors")
        save_groups(self.states, folder / "devices.safetensors")

    def restore(self, folder: Path) -> None:
        model = GlobalModel.load(folder / "server.safetensors")
        states = load_groups(folder / "devices.safetensors")
        if states.vectors.shape != self.states.vectors.shape:
            raise ValueError(
                f"expected vectors of shape {self.states.vectors.shape}, got {states.vectors.shape}"
            )
        self.model, self.states = model, states
        if self.round >= 2:
            self.server, _ = self._server_before_fusing(self.round)
            self._hear(self.server, self.invited.late)

    def costs(self) -> dict[str, dict[str, float]]:
        return {}

    def close(self) -> None:
        pass

    # --- small parts ---

    def _arrays(self, joint: Joint | None, centre: float) -> dict[str, Any]:
        """The shared model: joint patterns with biases, and the centre."""
        table = (
            np.zeros((self.train.item_count, self.algorithm.config.components + 1), np.float32)
            if joint is None
            else joint.table
        )
        return {"items": table, "network": np.array([centre], np.float64)}

    def _sets(self) -> dict[str, Any]:
        """People whose errors are shown apart."""
        kinds = {
            "alone": np.flatnonzero(self.groups == ALONE),
            "late": self._people_of(self.invited.late),
            "forgotten": self._people_of(self.invited.leaving if self.round == 3 else ()),
        }
        return {name: people.astype(np.int32) for name, people in kinds.items() if len(people)}

    def _people_of(self, tickets: Iterable[int]) -> np.ndarray:
        return np.flatnonzero(np.isin(self.groups, list(tickets)))

    def _by_themselves(self) -> int:
        """People who get what comes down by themselves: who is in no group, or in one that does not take part."""
        taking_part = [*self.invited.early, *self.invited.late]
        return int(np.count_nonzero(~np.isin(self.groups, taking_part)))

    def _slices_sent(self) -> bool:
        """Whether a group is sent its slice; only distillation needs it."""
        return self.algorithm.config.refit == "distil"

    def _in_threads(self, work: Callable[[int], Result], tickets: list[int]) -> list[Result]:
        if self.workers < 2:
            return [work(ticket) for ticket in tickets]
        with ThreadPoolExecutor(self.workers) as threads:
            return list(threads.map(work, tickets))


def _drawn(algorithm: FedSPLIT, train: Histories) -> Groups:
    """Groups of the sizes that the configuration asks for."""
    config = algorithm.config
    return drawn_groups(
        train.people_count, config.smallest_group, config.largest_group, config.alone, algorithm.seed
    )


def _refuse_showing_the_forgotten(sums: SumSettings, config: FedSPLITConfig, leaving: int) -> None:
    """Raises PrivacyError where masks hide the groups in each round's sum, but not in the difference of two."""
    if sums.secure and config.biases == "evidence" and 0 < leaving < sums.least_difference:
        raise PrivacyError(
            f"expected at least {sums.least_difference} groups to be forgotten, got {leaving}: the sum with them less the "
            "sum without them would show what they sent; raise forgotten, or lower least_difference"
        )
