"""The types of the planner's arrays, named by their contents, and the mathematical functions for arrays in formulas."""

from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]

ARRAYS = SimpleNamespace(
    sqrt=np.sqrt,
    exp=np.exp,
    expm1=np.expm1,
    log1p=np.log1p,
    minimum=np.minimum,
    maximum=np.maximum,
    where=np.where,
)
"""As planner.queueing.waiting_models.FLOATS: a formula takes one of the two as `at`, so that it is written once."""
