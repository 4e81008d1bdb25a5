"""The fewest processors that hold a target in simulation.

Modelled waits err by some percent to either side, in a way that hardly changes from one processor to the next. So the
draw says which allocations are worth a look: the fewest processors for each time of a ladder,

    services + e^(STEP·j) seconds,   j = …, −1, 0, 1, …

and the simulation says down to which step the ladder is climbed. That is found by bisection. The ladder and the order
of bisection depend neither on the target nor on what the simulations say, and so a stricter target never takes fewer
processors, whatever the scatter of simulations. In the end processors are given back one by one while the target holds.
"""

from math import exp

from planner.plans.quantile_search import (
    Counts,
    DrawnTrial,
    Fewest,
    OutOfWork,
    give_one_back,
    search_fewest,
)
from planner.plans.simulated_runs import Simulator

STEP = 0.01
TALLEST = 2**13
"""The ladder goes over 71 powers of ten."""
STEP_WORK = 15_000_000
"""Visits timed in the search of one step, for about a sixth of a second."""
LEAST_PART = 0.2
"""Of the time that the target leaves for waits: what needs no more of it on the draw is not doubted."""
MOST_PART = 2.5
"""What needs more of it is not looked at."""


class SimulatedTrial:
    """Allocations of one situation, searched on a draw, and simulated."""

    def __init__(self, ladder: DrawnTrial, simulator: Simulator) -> None:
        self.ladder, self.simulator = ladder, simulator
        self.seconds = ladder.target.seconds
        self.services = ladder.find_services()
        self.found: dict[int, Fewest] = {}

    def is_met(self, counts: Counts) -> bool:
        """Whether the target holds in simulation."""
        return self.simulator.run(counts).bound_seconds <= self.seconds

    def climb(self, step: int) -> Fewest:
        """The allocation of a step of the ladder."""
        if step not in self.found:
            self.ladder.restart(self.services + exp(STEP * step), STEP_WORK)
            self.found[step] = search_fewest(self.ladder)
        return self.found[step]

    def is_step_met(self, step: int) -> bool:
        """Whether the allocation of a step holds the target; where the times are far apart, without a look."""
        part = exp(STEP * step) / max(self.seconds - self.services, 1e-300)
        if part > MOST_PART:
            return False
        return part < LEAST_PART or self.is_met(tuple(self.climb(step).counts))


def search_simulated(trial: SimulatedTrial) -> Fewest:
    """The fewest processors that the search finds; where the whole ladder is too loose, those of its last step."""
    strict, loose = -TALLEST, TALLEST
    while loose - strict > 1:
        middle = (strict + loose) // 2
        if trial.is_step_met(middle):
            strict = middle
        else:
            loose = middle
    found = trial.climb(strict)
    least = sum(trial.climb(loose).counts)
    counts = give_rest_back(trial, tuple(found.counts), least)
    return found if list(counts) == found.counts else Fewest(list(counts), is_tight=False, is_fewest=False)


def give_rest_back(trial: SimulatedTrial, counts: Counts, least: int) -> Counts:
    """The allocation with one processor after the other given back, down to `least` of them, while the target holds."""
    try:
        while sum(counts) > least:
            fewer = give_one_back(trial.ladder, counts)
            if fewer is None or not trial.is_met(fewer):
                break
            counts = fewer
    except OutOfWork:
        pass
    return counts
