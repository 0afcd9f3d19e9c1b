"""Published tables and figures, built again: one TOML each, our numbers stored beside the published ones."""

from covey.reproduce.experiment import Experiment, Row, read_experiment
from covey.reproduce.papers import Item, Paper, papers, standing
from covey.reproduce.places import all_experiments, experiment_named, stored_path
from covey.reproduce.rebuild import rebuild
from covey.reproduce.rendering import rendered
from covey.reproduce.results import State, read_stored, state_of

__all__ = [
    "Experiment",
    "Item",
    "Paper",
    "Row",
    "State",
    "all_experiments",
    "experiment_named",
    "papers",
    "read_experiment",
    "read_stored",
    "rebuild",
    "rendered",
    "standing",
    "state_of",
    "stored_path",
]
