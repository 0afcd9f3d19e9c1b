"""Where NCF models start: small uniform factors, Xavier weights, zero biases. Portable bits: no normal draws."""

import numpy as np

from covey.models.ncf import Shape
from covey.random import stream
from covey.types import Arrays, Floats

TABLES = ("users", "items", "network")  # what an NCF model consists of


def first_items(item_count: int, width: int, spread: float, seed: int) -> Floats:
    """Item rows of standard deviation `spread`."""  # [items, width]
    draws = stream(seed, "items").uniform(-1, 1, (item_count, width))
    return (draws * spread * np.sqrt(3)).astype(np.float32)


def first_network(shape: Shape, product_start: float, seed: int) -> Floats:
    """Xavier-uniform weights (Glorot and Bengio, 2010) and zero biases, in the network array's order.

    The product's output weights are all `product_start`, unless that is 0: then they are Xavier-uniform too.
    """  # [weights]
    generator = stream(seed, "network")
    inputs = shape.gmf_factors + shape.last
    parts = [_xavier(generator, inputs, 1), np.zeros(1)]
    if shape.mlp_factors:
        for width_in, width_out in zip(shape.layers[:-1], shape.layers[1:], strict=True):
            parts += [_xavier(generator, int(width_in), int(width_out)), np.zeros(int(width_out))]
    network = np.concatenate(parts).astype(np.float32)
    if product_start:
        # Near zero a product learns at the speed of its weight: small random weights make it wait for many rounds.
        network[: shape.gmf_factors] = product_start
    return network


def joined(gmf: Arrays, mlp: Arrays, factors: int, last: int, mix: float) -> Arrays:
    """NeuMF of a trained GMF and a trained MLP: what it scores is mix times GMF's logit and 1 - mix times MLP's.

    He et al. (2017, eq. 13) weigh the output weights so; here the two output biases are weighed alike and added up.
    """
    first, second = gmf["network"] * np.float32(mix), mlp["network"] * np.float32(1 - mix)
    output = [first[:factors], second[:last], first[factors : factors + 1] + second[last : last + 1]]
    return {
        "users": np.concatenate([gmf["users"], mlp["users"]], axis=1),
        "items": np.concatenate([gmf["items"], mlp["items"]], axis=1),
        "network": np.concatenate([*output, mlp["network"][last + 1 :]]),
    }


def _xavier(generator: np.random.Generator, width_in: int, width_out: int) -> np.ndarray:
    bound = np.sqrt(6 / (width_in + width_out))
    return generator.uniform(-bound, bound, width_in * width_out)
