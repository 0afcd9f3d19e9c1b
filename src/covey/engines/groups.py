"""The engine of groups: each trains by itself, in threads, and talks to the server twice, a number and then patterns.

round 1   the groups' means go up, the mean of the means comes down; every group trains its own model
round 2   patterns and biases go up once, the joint ones come down, people's vectors are solved for at home
round 3   only where somebody asked to be forgotten: the joint patterns anew without them
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.algorithms.fedsplit import FedSPLIT
from covey.algorithms.fedsplit_groups import ALONE, Groups, drawn_groups, rows_of_groups
from covey.algorithms.fedsplit_local import bias_message, fit_group, mean_message, pattern_message
from covey.algorithms.fedsplit_scorer import GroupScorer
from covey.algorithms.fedsplit_tuning import tuned
from covey.device.groups import GroupModel, GroupStates, load_groups, save_groups
from covey.engines.group_ledger import GroupLedger
from covey.engines.invitation import Invited, invite
from covey.engines.sums import IN_THE_CLEAR, SumSettings, added_under_masks
from covey.errors import ConfigError, MessageError
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
        self.groups = (
            given
            if given is not None
            else drawn_groups(
                train.people_count,
                config.smallest_group,
                config.largest_group,
                config.alone,
                algorithm.seed,
            )
        )
        self.rows = rows_of_groups(train, self.groups)
        self.invited: Invited = invite(config, self.rows, algorithm.seed)
        if not self.invited.early:
            raise ConfigError(
                f"no group of {len(self.rows)} can take part ({self.invited.reasons()}); "
                "lower smallest_group or late, or mend the groups' data"
            )
        self.ledger = Ledger()
        self.states = GroupStates(np.zeros((train.people_count, config.components + 1), np.float32), {})
        self.server = JointServer(config, train.item_count)
        self.model = GlobalModel(0, self._arrays(None, sum(self.invited.scale) / 2))

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
        GroupLedger(self.ledger).means(means, len(takes_part), self.invited.settings)

    def _patterns(self) -> None:
        """Round 2."""
        server = JointServer(self.algorithm.config, self.train.item_count)
        said = dict(self._messages(self.invited.early))
        for ticket, update in said.items():
            self._admit(server, ticket, update)
        server.leave_out_weakest(self.algorithm.config.weakest)
        biases = self._bias_messages([*server.held])
        joint = server.fuse(self._summed(biases))
        slices = dict(joint.slices)
        for ticket, update in self._messages(self.invited.late):
            said[ticket] = update
            if self._admit(server, ticket, update):
                slices[ticket] = server.project(joint, ticket)
        for entry in server.record:
            if entry["what"] == "left out":
                slices[entry["ticket"]] = server.project(joint, entry["ticket"])
        joint = Joint(joint.patterns, joint.item_bias, slices)
        self._distribute(server, joint, 2)
        ledger = GroupLedger(self.ledger)
        ledger.updates(said.values())
        if not self.sums.secure:
            ledger.updates(biases)
        ledger.joint(joint, self._slices_sent(joint), self._alone())

    def _without_the_forgotten(self) -> None:
        """Round 3."""
        server = self._server_again()
        self._forget(server)
        # What was summed cannot be taken back out: who stays sends it again.
        biases = self._bias_messages([ticket for ticket in self.invited.early if ticket in server.held])
        joint = server.fuse(self._summed(biases))
        slices = {**joint.slices}
        for ticket in server.held:
            if ticket not in slices:
                slices[ticket] = server.project(joint, ticket)
        joint = Joint(joint.patterns, joint.item_bias, slices)
        self._distribute(server, joint, 3)
        ledger = GroupLedger(self.ledger)
        if not self.sums.secure:
            ledger.updates(biases)
        ledger.joint(joint, self._slices_sent(joint), self._alone())

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

    def _summed(self, updates: list[ModelUpdate]) -> UpdateSum | None:
        """The sum of bias messages, all that the server needs of them."""
        if not updates:
            return None
        if self.sums.secure:
            return added_under_masks(updates, self.train.item_count, self.round, self.sums, self.ledger)
        total = no_biases(self.train.item_count)
        for update in updates:
            total.add(update)
        return total

    def _admit(self, server: JointServer, ticket: int, update: ModelUpdate) -> bool:
        """Whether the server took the message; where not, the record says why and the others go on."""
        try:
            server.admit(ticket, update)
        except MessageError as error:
            server.record.append({"ticket": ticket, "what": "refused", "why": str(error)})
            return False
        return True

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
                    rows = self.rows[ticket]
                    vectors[rows.people] = self.algorithm.group_vectors(joint, rows, model, ticket)
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
        """What the server got of each group: the audit's material."""
        tickets = [*self.invited.early, *self.invited.late]
        return [
            (ticket, disclosed(update, self.train.item_count)) for ticket, update in self._messages(tickets)
        ]

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
        """What the summary says of the groups."""
        told = [{"ticket": ticket, "why": why} for ticket, why in sorted(self.invited.refused.items())]
        count = max(1, len(self.invited.early) + len(self.invited.late))
        return {
            "groups": len(self.rows),
            "groups_taking_part": len(self.invited.early),
            "groups_refused": told,
            "record": self.server.record,
            "upload_bytes_per_group": self.ledger.bytes("up") / count,
            "download_bytes_per_group": self.ledger.bytes("down") / count,
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
            self.server = self._server_again()
        if self.round == 3:
            self._forget(self.server)

    def costs(self) -> dict[str, dict[str, float]]:
        return {}

    def close(self) -> None:
        pass

    # --- small parts ---

    def _server_again(self) -> JointServer:
        """The server as round 2 left it: in a simulation the messages are made again, to the same bits."""
        server = JointServer(self.algorithm.config, self.train.item_count)
        for tickets in (self.invited.early, self.invited.late):
            for ticket, update in self._messages(tickets):
                self._admit(server, ticket, update)
            if tickets is self.invited.early:
                server.leave_out_weakest(self.algorithm.config.weakest)
        return server

    def _forget(self, server: JointServer) -> None:
        """Forgets the groups that asked for it."""
        for ticket in self.invited.leaving:
            if ticket in server.held:
                server.forget(ticket)

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

    def _alone(self) -> int:
        """People who get the joint patterns by themselves."""
        return int(np.count_nonzero(~np.isin(self.groups, list(self.states.models))))

    def _slices_sent(self, joint: Joint) -> bool:
        """Whether a group is sent its slice; only distillation needs it."""
        return self.algorithm.config.refit == "distil" and bool(joint.slices)

    def _in_threads(self, work: Callable[[int], Result], tickets: list[int]) -> list[Result]:
        if self.workers < 2:
            return [work(ticket) for ticket in tickets]
        with ThreadPoolExecutor(self.workers) as threads:
            return list(threads.map(work, tickets))
