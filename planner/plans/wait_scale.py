"""By how much the waits of a draw are to be multiplied, so that it shows the time that simulations of it show.

Modelled waits err by some percent; the factor changes little from one processor or one rate to the next.
"""

from collections.abc import Sequence
from dataclasses import replace

from planner.plans.drawn_waits import find_waits
from planner.plans.estimation import Situation
from planner.plans.simulated_runs import Simulator
from planner.plans.time_target import TimeTarget
from planner.quantiles.root_times import time_roots
from planner.quantiles.tuple_draw import Draw
from planner.quantiles.waits import AnyWait, Wait

SMALLEST, LARGEST = 0.25, 4.0
HALVINGS = 12


def scale_waits(waits: Sequence[AnyWait], factor: float) -> Sequence[AnyWait]:
    """The waits multiplied by the factor; as many tuples wait."""
    if factor == 1.0:
        return waits
    return [
        wait._replace(mean_seconds=wait.mean_seconds * factor)
        if isinstance(wait, Wait)
        else replace(wait, delays=wait.delays * factor)
        for wait in waits
    ]


def find_wait_scale(
    situation: Situation, draw: Draw, target: TimeTarget, counts: Sequence[int], simulator: Simulator
) -> float:
    """The largest factor at which the draw shows no more than the mean of the simulations, by bisection.

    1 where they differ by no more than a plan allows for: what holds in simulation then holds on the draw too.
    """
    waits = find_waits(situation, counts)
    assert waits is not None  # what cannot keep up has no time to compare
    runs = simulator.run(counts)
    seconds = runs.mean_seconds
    if abs(target.measure(time_roots(draw, waits)) - seconds) <= runs.bound_seconds - seconds:
        return 1.0
    low, high = SMALLEST, LARGEST
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        is_below = target.measure(time_roots(draw, scale_waits(waits, middle))) <= seconds
        low, high = (middle, high) if is_below else (low, middle)
    return low
