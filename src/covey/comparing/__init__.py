"""Algorithms compared on the same splits and seeds: each repeat a run of each, and tests of their differences."""

from covey.comparing.compare import Comparison, compare, open_comparison, start_comparison

__all__ = ["Comparison", "compare", "open_comparison", "start_comparison"]
