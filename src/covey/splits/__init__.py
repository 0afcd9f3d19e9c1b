"""Interactions divided into what each person trains on, validates on and is tested on."""

from covey.splits.histories import Histories, History, Split
from covey.splits.parts import without_test
from covey.splits.rules import RULES, split

__all__ = ["RULES", "Histories", "History", "Split", "split", "without_test"]
