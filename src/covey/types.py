"""Array aliases that carry their axes in the name; numpy checks the dtype, the reader the axes."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float32]

PersonIndex: TypeAlias = npt.NDArray[np.int32]  # [anything] contiguous person numbers
ItemIndex: TypeAlias = npt.NDArray[np.int32]  # [anything] contiguous item numbers
ItemFactors: TypeAlias = Floats  # [items, factors]
UserVectors: TypeAlias = Floats  # [people, factors]
Scores: TypeAlias = Floats  # [people, candidates]
Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]  # name -> array
