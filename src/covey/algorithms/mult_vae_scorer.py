"""Scores of a Mult-VAE, by numpy: recommending needs no PyTorch."""

from dataclasses import dataclass

import numpy as np

from covey.models import neighbours
from covey.splits.histories import Histories
from covey.types import Arrays, Floats, ItemIndex, PersonIndex, Scores

_CELLS = 1 << 22  # scores at a time where only some are asked for


@dataclass(frozen=True, eq=False)
class AutoencoderScorer:
    """Logits of the mean code of each person's whole history."""

    train: Histories
    arrays: Arrays

    @property
    def item_count(self) -> int:
        return self.train.item_count

    def candidates(self, people: PersonIndex, items: ItemIndex) -> Scores:
        # The layers are so wide that a gathered row an item would take more than all logits of a few people.
        step = max(1, _CELLS // self.item_count)
        parts = [
            np.take_along_axis(
                self.everything(people[begin : begin + step]), items[begin : begin + step], axis=1
            )
            for begin in range(0, len(people), step)
        ]
        return np.concatenate(parts) if parts else np.empty(items.shape, np.float32)

    def everything(self, people: PersonIndex) -> Scores:
        arrays = self.arrays
        latent = arrays["decoder/code"].shape[1]
        inner = np.tanh(self._read(people) + arrays["encoder/items_bias"])
        code = inner @ arrays["encoder/code"][:latent].T + arrays["encoder/code_bias"][:latent]
        outer = np.tanh(code @ arrays["decoder/code"].T + arrays["decoder/code_bias"])
        return outer @ arrays["decoder/items"].T + arrays["decoder/items_bias"]

    def _read(self, people: PersonIndex) -> Floats:
        """The first layer's input: the history's rows at unit length."""  # [people, hidden]
        summed = neighbours.whole_row_sums(
            self.train.offsets, self.train.item, self.arrays["encoder/items"], people
        )
        return summed / np.sqrt(np.maximum(self.train.counts[people], 1)).astype(np.float32)[:, None]
