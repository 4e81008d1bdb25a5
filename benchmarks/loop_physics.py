"""The physics of the loop's platform in compiled code: tuples, queues of single instances, and services that vary.

Written without the planner's formulas: a tuple waits in the queue of one instance, in order of arrival, and a service
takes a lognormal time. Tuples are followed one by one.
"""

import math

import numpy as np

from planner.arrays import Counts, Floats
from planner.compiled import compiled

DEALT, KEYED = 0, 1
COUNTED = 7
"""The sums that `serve` adds to: completions, sojourns, services, squares of services, arrivals, gaps and squares."""


@compiled
def serve(  # noqa: PLR0917 - compiled code takes arrays by place
    arrived: Floats,
    keys: Floats,
    kind: int,
    group_ends: Floats,
    free: Floats,
    turn: Counts,
    until: float,
    mean: float,
    sigma: float,
    services: Floats,
    out_left: Floats,
    out_waiting: Counts,
    sums: Floats,
    loads: Floats,
) -> tuple[int, int]:
    """Serves tuples in order of arrival up to `until`; returns how many started and how many still wait.

    `group_ends` sums the shares of key groups, dealt to the instances in order. `services` are standard normal.
    """
    size, groups = len(free), len(group_ends)
    started = waiting = 0
    for i in range(len(arrived)):
        one = turn[0]
        if kind == DEALT:
            turn[0] = (one + 1) % size
        else:
            one = min(np.searchsorted(group_ends, keys[i], side="right"), groups - 1) * size // groups
        begin = max(arrived[i], free[one])
        if begin >= until:
            out_waiting[waiting] = i
            waiting += 1
            continue
        service = mean * math.exp(sigma * services[i] - 0.5 * sigma * sigma)
        free[one] = out_left[started] = begin + service
        started += 1
        loads[one] += 1.0
        sums[0], sums[1] = sums[0] + 1.0, sums[1] + begin + service - arrived[i]
        sums[2], sums[3] = sums[2] + service, sums[3] + service * service
    return started, waiting


@compiled
def count_gaps(times: Floats, last: float, sums: Floats) -> float:
    """Adds arrivals, gaps and squares of gaps to the sums; returns the time of the last arrival."""
    for i in range(len(times)):
        gap = times[i] - last
        last = times[i]
        sums[4] += 1.0
        sums[5] += gap
        sums[6] += gap * gap
    return last
