"""A training and its folder: settings in, rounds with a checkpoint after each, files out."""

from covey.runs.directory import RunFiles, read_run
from covey.runs.run import Recommendation, Run
from covey.runs.source import DataSource, source_of
from covey.runs.train import open_run, resume, start, train

__all__ = [
    "DataSource",
    "Recommendation",
    "Run",
    "RunFiles",
    "open_run",
    "read_run",
    "resume",
    "source_of",
    "start",
    "train",
]
