"""Every algorithm by its name. Adding one touches this line and its own file."""

from typing import Any

from covey.algorithms.biased_mf import BiasedMF
from covey.algorithms.biases import Biases
from covey.algorithms.bpr_mf import BprMF
from covey.algorithms.central_cnmf import CentralCNMF
from covey.algorithms.central_fcf import CentralFCF
from covey.algorithms.central_ncf import CentralNCF
from covey.algorithms.ease import EASE
from covey.algorithms.fcf import FCF
from covey.algorithms.fedncf import FedNCF
from covey.algorithms.fedsplit import FedSPLIT
from covey.algorithms.fpl import FPL
from covey.algorithms.ials import IALS
from covey.algorithms.item_knn import ItemKNN
from covey.algorithms.most_popular import MostPopular
from covey.algorithms.mult_vae import MultVAE
from covey.algorithms.random_scores import RandomScores
from covey.algorithms.rating_knn import RatingKNN
from covey.errors import unknown

FEDERATED: dict[str, Any] = {FedNCF.name: FedNCF, FCF.name: FCF, FPL.name: FPL, FedSPLIT.name: FedSPLIT}
# Those whose participants are groups of people: engines/groups.py runs them.
GROUPED = frozenset({FedSPLIT.name})
CENTRAL: dict[str, Any] = {
    CentralNCF.name: CentralNCF,
    CentralFCF.name: CentralFCF,
    RandomScores.name: RandomScores,
    MostPopular.name: MostPopular,
    ItemKNN.name: ItemKNN,
    EASE.name: EASE,
    IALS.name: IALS,
    BprMF.name: BprMF,
    MultVAE.name: MultVAE,
    Biases.name: Biases,
    BiasedMF.name: BiasedMF,
    RatingKNN.name: RatingKNN,
    CentralCNMF.name: CentralCNMF,
}
ALGORITHMS: dict[str, Any] = {**FEDERATED, **CENTRAL}


def algorithm_class(name: str) -> Any:
    """The class of that name; ConfigError with the nearest name where there is none."""
    if name not in ALGORITHMS:
        raise unknown("algorithm", name, ALGORITHMS)
    return ALGORITHMS[name]
