"""Every algorithm by its name. Adding one touches this line and its own file."""

from typing import Any

from covey.algorithms.central_ncf import CentralNCF
from covey.algorithms.ease import EASE
from covey.algorithms.fedncf import FedNCF
from covey.algorithms.ials import IALS
from covey.algorithms.item_knn import ItemKNN
from covey.algorithms.most_popular import MostPopular
from covey.algorithms.mult_vae import MultVAE
from covey.algorithms.random_scores import RandomScores
from covey.errors import unknown

FEDERATED: dict[str, Any] = {FedNCF.name: FedNCF}
CENTRAL: dict[str, Any] = {
    CentralNCF.name: CentralNCF,
    RandomScores.name: RandomScores,
    MostPopular.name: MostPopular,
    ItemKNN.name: ItemKNN,
    EASE.name: EASE,
    IALS.name: IALS,
    MultVAE.name: MultVAE,
}
ALGORITHMS: dict[str, Any] = {**FEDERATED, **CENTRAL}


def algorithm_class(name: str) -> Any:
    """The class of that name; ConfigError with the nearest name where there is none."""
    if name not in ALGORITHMS:
        raise unknown("algorithm", name, ALGORITHMS)
    return ALGORITHMS[name]
