"""Makes the documentation's own package importable: it is a tool of the repository and not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
