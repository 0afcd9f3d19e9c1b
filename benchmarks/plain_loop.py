"""The plain way to simulate FedNCF: one PyTorch model a person, one person after another.

Written as one would write it first, without tricks: a copy of the global model, a fresh Adam, batches, backward.
"""

import copy
import itertools

import numpy as np
import torch
from torch import nn

from covey.random import stream


class PlainNCF(nn.Module):
    """GMF, MLP or NeuMF for one person over the whole catalogue."""

    def __init__(self, items: int, gmf: int, mlp: int, hidden: tuple[int, ...]) -> None:
        super().__init__()
        self.gmf, self.mlp = gmf, mlp
        if gmf:
            self.user_gmf, self.item_gmf = nn.Embedding(1, gmf), nn.Embedding(items, gmf)
        last = 0
        if mlp:
            self.user_mlp, self.item_mlp = nn.Embedding(1, mlp), nn.Embedding(items, mlp)
            widths, layers = (2 * mlp, *hidden), []
            for width_in, width_out in itertools.pairwise(widths):
                layers += [nn.Linear(width_in, width_out), nn.ReLU()]
            self.tower, last = nn.Sequential(*layers), hidden[-1]
        self.output = nn.Linear(gmf + last, 1)

    def forward(self, item: torch.Tensor) -> torch.Tensor:
        """Logits of the items."""
        user, parts = torch.zeros_like(item), []
        if self.gmf:
            parts.append(self.user_gmf(user) * self.item_gmf(item))
        if self.mlp:
            parts.append(self.tower(torch.cat([self.user_mlp(user), self.item_mlp(item)], 1)))
        return self.output(torch.cat(parts, 1))[:, 0]


def load(model: PlainNCF, user: torch.Tensor, items: torch.Tensor, network: torch.Tensor) -> None:
    """Fills the model from Covey's arrays."""
    gmf, at = model.gmf, 0

    def take(count: int) -> torch.Tensor:
        nonlocal at
        at += count
        return network[at - count : at]

    with torch.no_grad():
        model.output.weight.copy_(take(model.output.in_features)[None])
        model.output.bias.copy_(take(1))
        if gmf:
            model.user_gmf.weight.copy_(user[:, :gmf])
            model.item_gmf.weight.copy_(items[:, :gmf])
        if model.mlp:
            model.user_mlp.weight.copy_(user[:, gmf:])
            model.item_mlp.weight.copy_(items[:, gmf:])
            for layer in model.tower:
                if isinstance(layer, nn.Linear):
                    layer.weight.copy_(take(layer.weight.numel()).view_as(layer.weight))
                    layer.bias.copy_(take(layer.out_features))


def draw(positives, item_count: int, negatives: int, epochs: int, batch_size: int, seed: int) -> list:
    """A person's batches as one would make them with numpy: negatives by rejection, an order an epoch."""
    generator = stream(seed, "plain loop")
    drawn = generator.integers(0, item_count, negatives * len(positives))
    while len(owned := np.flatnonzero(np.isin(drawn, positives))) and len(positives) < item_count:
        drawn[owned] = generator.integers(0, item_count, len(owned))
    item = torch.from_numpy(np.concatenate([positives, drawn])).long()
    label = torch.cat([torch.ones(len(positives)), torch.zeros(len(drawn))])
    return [
        (item[batch], label[batch])
        for _ in range(epochs)
        for batch in torch.from_numpy(generator.permutation(len(item))).split(batch_size)
    ]


def visit(start: PlainNCF, batches: list[tuple[torch.Tensor, torch.Tensor]], rate: float) -> PlainNCF:
    """One person's visit: a copy of the global model, trained on the batches in their order."""
    model = copy.deepcopy(start)
    optimizer, loss = torch.optim.Adam(model.parameters(), lr=rate), nn.BCEWithLogitsLoss()
    for item, label in batches:
        optimizer.zero_grad()
        loss(model(item), label).backward()
        optimizer.step()
    return model
