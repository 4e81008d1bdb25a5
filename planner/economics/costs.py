"""What processors cost over the rates that may come: processor-minutes, and a price for each minute over the target."""

from math import erfc, exp, inf, sqrt

import numpy as np

from planner.arrays import Floats
from planner.compiled import compiled

SPREAD = 0.04
"""The scatter of the logarithm of the highest rate that processors carry."""
OVERLOAD = 0.1133
ROOM = 1.15
"""A further change goes to processors for so many times the rate."""
FAR = 4.0


@compiled
def roll(  # noqa: PLR0917 - compiled code takes arrays by place
    paths: Floats,
    weights: Floats,
    step: float,
    totals: Floats,
    capacities: Floats,
    saturations: Floats,
    price: float,
    late_minutes: float,
    out_cost: Floats,
) -> None:
    """The mean cost of each allocation over the paths; `paths`, `capacities` and `saturations` are logarithms.

    A minute costs the processors, and the price times the probability that it is late. Where two steps in a row, or one
    by far, are above the capacity, a further change comes: it costs its late minutes, and more processors from then on.
    """
    root = sqrt(2.0) * SPREAD
    for k in range(len(totals)):
        mean = 0.0
        for i in range(len(paths)):
            total, capacity, saturation = totals[k], capacities[k], saturations[k]
            over, cost = 0, 0.0
            for h in range(paths.shape[1]):
                beyond = paths[i, h] - capacity
                late = 0.0
                if beyond > FAR * SPREAD:
                    late = 1.0
                elif beyond > -FAR * SPREAD:
                    late = 0.5 * erfc(-beyond / root)
                cost += step * (total + price * late)
                over = over + 1 if beyond > 0.0 else 0
                if over > 1 or beyond > OVERLOAD:
                    full = 1.0 if paths[i, h] > saturation else 0.0
                    cost += price * (late_minutes + step + full)
                    total *= ROOM * exp(beyond)
                    saturation += beyond + np.log(ROOM)
                    capacity = paths[i, h] + np.log(ROOM)
                    over = 0
            mean += weights[i] * cost
        out_cost[k] = mean


def find_drain_seconds(
    gathered: Floats, pause_seconds: float, full: Floats, external_rate: float, target_seconds: float
) -> float:
    """The seconds until a pause is over and what waits is worked off; inf if it grows.

    `gathered` are external tuples in front of each operator and those before it, `full` the rate at which it is full.
    A queue that is worked off in less than half the target is none, unless it grows.
    """
    waiting = gathered + external_rate * pause_seconds
    able = 0.93 * full
    longest = 0.0
    for queue, rate in zip(waiting.tolist(), able.tolist(), strict=True):
        if rate <= 0.93 * external_rate:
            return inf
        if queue <= 0.5 * target_seconds * rate:
            continue
        if rate <= external_rate:
            return inf
        longest = max(longest, queue / (rate - external_rate))
    return pause_seconds + longest
