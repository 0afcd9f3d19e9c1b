"""Published tables and figures, built again: one TOML each, our numbers stored beside the published ones."""

from covey.reproduce.experiment import Experiment, Row, read_experiment
from covey.reproduce.places import all_experiments, experiment_named, stored_path
from covey.reproduce.rebuild import rebuild
from covey.reproduce.rendering import rendered
from covey.reproduce.results import State, read_stored, state_of

__all__ = [
    "Experiment",
    "Row",
    "State",
    "all_experiments",
    "experiment_named",
    "read_experiment",
    "read_stored",
    "rebuild",
    "rendered",
    "state_of",
    "stored_path",
]
