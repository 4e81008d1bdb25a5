"""A schedule as it is stored: the stretches of steps that have the same number of VMs."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from planner.arrays import Floats


def shorten_schedule(vms: Floats) -> list[list[int]]:
    """[steps, VMs] for every stretch on the same VMs."""
    return [[len(list(stretch)), int(count)] for count, stretch in groupby(vms.tolist())]


def lengthen_schedule(stretches: Sequence[Sequence[int]]) -> Floats:
    """The VMs of every step."""
    steps, vms = zip(*stretches, strict=True)
    return np.repeat(np.array(vms, dtype=float), steps)
