"""A second start finds compiled code instead of compiling again."""

import subprocess
import sys

_ROUND = """
import covey
from covey.algorithms import ncf_population
from covey.algorithms.fedncf import FedNCF, FedNCFConfig
from covey.engines.inprocess import FederatedSession

train = covey.split(covey.load("synthetic:village")).train
FederatedSession(FedNCF(FedNCFConfig(), train.item_count, 0), train, workers=1).advance()
stats = ncf_population._train_people.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def _hits_and_misses() -> tuple[int, int]:
    done = subprocess.run([sys.executable, "-c", _ROUND], capture_output=True, text=True, check=True)
    hits, misses = done.stdout.split()
    return int(hits), int(misses)


def test_a_second_start_compiles_nothing_again() -> None:
    _hits_and_misses()
    assert _hits_and_misses() == (1, 0)
