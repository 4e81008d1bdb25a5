"""The arrays of the planner, by what they hold."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]
