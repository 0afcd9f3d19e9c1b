"""Files -> Interactions and Catalog: named sources, anybody's CSV, TSV or Parquet, and synthetic towns."""

from covey.datasets.interactions import Catalog, GivenTest, Interactions
from covey.datasets.named import Info, get, info, listing, load
from covey.datasets.tables import read

__all__ = ["Catalog", "GivenTest", "Info", "Interactions", "get", "info", "listing", "load", "read"]
