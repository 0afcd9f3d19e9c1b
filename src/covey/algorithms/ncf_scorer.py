"""Scores of a GMF, MLP or NeuMF model, for evaluation and for recommendation at home."""

from dataclasses import dataclass

import numpy as np

from covey.models.ncf import Shape
from covey.types import Floats, ItemIndex, PersonIndex, Scores

# Of a model that has left the finite numbers the evaluation says so in a sentence; numpy need not say it before.
_QUIET = np.errstate(over="ignore", invalid="ignore")
_ITEMS_A_PASS = 4096  # keeps a tower's activations in cache


@dataclass(frozen=True, eq=False)
class NcfScorer:
    """Logits, which rank like probabilities and have no ties where the sigmoid saturates."""

    shape: Shape
    users: Floats  # [people, width]
    items: Floats  # [items, width]
    network: Floats  # [weights]

    @property
    def item_count(self) -> int:
        return len(self.items)

    @_QUIET
    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        gmf = self.shape.gmf_factors
        rows, users = self.items[items], self.users[people]
        logits = np.full(items.shape, self._bias(), np.float32)
        if gmf:
            logits += np.einsum("pcf,pf->pc", rows[:, :, :gmf], users[:, :gmf] * self.network[:gmf])
        if self.shape.mlp_factors:
            width = self.shape.mlp_factors
            user_part = np.broadcast_to(users[:, None, gmf:], (*items.shape, width))
            inputs = np.concatenate([user_part, rows[:, :, gmf:]], axis=2).reshape(-1, 2 * width)
            logits += self._tower(inputs).reshape(items.shape)
        return logits

    @_QUIET
    def everything(self, people: PersonIndex) -> Scores:
        gmf = self.shape.gmf_factors
        users = self.users[people]
        logits = np.full((len(people), len(self.items)), self._bias(), np.float32)
        if gmf:
            logits += (users[:, :gmf] * self.network[:gmf]) @ self.items[:, :gmf].T
        if self.shape.mlp_factors:
            for p, user in enumerate(users):
                for begin in range(0, len(self.items), _ITEMS_A_PASS):
                    rows = self.items[begin : begin + _ITEMS_A_PASS, gmf:]
                    inputs = np.concatenate([np.broadcast_to(user[gmf:], rows.shape), rows], axis=1)
                    logits[p, begin : begin + len(rows)] += self._tower(inputs)
        return logits

    def _bias(self) -> np.float32:
        return self.network[self.shape.gmf_factors + self.shape.last]

    def _tower(self, inputs: Floats) -> Floats:
        """The tower's part of the logit for each row of inputs."""  # [rows]
        gmf, last = self.shape.gmf_factors, self.shape.last
        at = gmf + last + 1
        units = inputs
        for width_in, width_out in zip(self.shape.layers[:-1], self.shape.layers[1:], strict=True):
            weights = self.network[at : at + width_in * width_out].reshape(width_out, width_in)
            at += int(width_in * width_out)
            units = np.maximum(units @ weights.T + self.network[at : at + width_out], 0)
            at += int(width_out)
        return units @ self.network[gmf : gmf + last]
