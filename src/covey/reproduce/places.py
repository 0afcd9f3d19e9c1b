"""Where experiments lie, and where their results are kept."""

import os
from pathlib import Path

import covey
from covey.errors import unknown
from covey.reproduce.experiment import Experiment, read_experiment

RESULTS = "results"


def experiments_root() -> Path:
    """The folder of the experiments: inside an installed package, or at the top of a checkout."""
    package = Path(covey.__file__).parent
    return (
        package / "experiments" if (package / "experiments").is_dir() else package.parents[1] / "experiments"
    )


def all_experiments(root: Path | None = None) -> list[str]:
    """The names of all experiments, such as fedncf/table-5."""
    root = root or experiments_root()
    found = (path.relative_to(root).with_suffix("") for path in root.rglob("*.toml"))
    # A file beside the folders, such as papers.toml, says something of several.
    return sorted(path.as_posix() for path in found if len(path.parts) > 1 and path.parts[0] != RESULTS)


def experiment_named(name: str, root: Path | None = None) -> Experiment:
    """The experiment of that name; ConfigError with the nearest one where there is none."""
    root = root or experiments_root()
    if name not in (known := all_experiments(root)):
        raise unknown("experiment", name, known)
    return read_experiment(root, name)


def stored_path(name: str) -> Path | None:
    """The stored result of that name: one's own where there is one, else the one that came along; None without."""
    for folder in (results_folder(), experiments_root() / RESULTS):
        if (folder / f"{name}.json").exists():
            return folder / f"{name}.json"
    return None


def results_folder() -> Path:
    """Where results are written: with the experiments of a checkout, else below the folder one is in."""
    root = experiments_root()
    installed = root.parent == Path(covey.__file__).parent  # its files are not one's own to change
    return Path("experiments") / RESULTS if installed or not os.access(root, os.W_OK) else root / RESULTS
