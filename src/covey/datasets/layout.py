"""How a text file of rows is laid out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import polars as pl

# whole: 64-bit integer. number: finite, not negative. text: not empty. optional: text that may be empty.
Kind: TypeAlias = Literal["whole", "number", "text", "optional"]

DTYPES: Mapping[Kind, type[pl.DataType]] = {
    "whole": pl.Int64,
    "number": pl.Float32,
    "text": pl.String,
    "optional": pl.String,
}


@dataclass(frozen=True)
class Layout:
    """The columns of a text file in their order, and what the wanted ones must hold."""

    columns: tuple[str, ...]
    kinds: Mapping[str, Kind]  # wanted column -> kind; other columns are not read
    separator: str = "\t"
    header: bool = False
    quoted: bool = False
    encoding: str = "utf-8-sig"  # takes UTF-8 with and without a byte-order mark
