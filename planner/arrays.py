"""The arrays of the planner by what they hold, and the functions that a formula for floats and arrays needs."""

import math
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]

FLOATS = SimpleNamespace(
    sqrt=math.sqrt, exp=math.exp, expm1=math.expm1, log1p=math.log1p, minimum=min, maximum=max
)
ARRAYS = SimpleNamespace(
    sqrt=np.sqrt, exp=np.exp, expm1=np.expm1, log1p=np.log1p, minimum=np.minimum, maximum=np.maximum
)
"""A formula takes one of the two as `at`, so that it is written once."""
