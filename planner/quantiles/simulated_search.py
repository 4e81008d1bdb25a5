"""The fewest processors that hold a target in simulation.

Modelled waits err by some percent to either side. So drawn tuples only show where the search begins: at the fewest
processors for a time out of a ladder of times,

    services + e^(STEP·j) seconds,   j = …, −1, 0, 1, …

Simulations show down to which step of the ladder the target holds, by bisection. Where no step holds, processors are
added where they shorten the simulated time most. From there simulations alone decide: processors are saved one by one,
until none can be removed, and none can be moved to another operator so that a processor is saved
(planner.quantiles.savings). Targets between two neighbouring steps begin at the same allocation.
"""

from math import exp

from planner.quantiles.savings import Counts, OutOfWork, change, save_processors
from planner.quantiles.search import DrawnTrial, Fewest, search_fewest
from planner.quantiles.simulator import RUNS, Simulator

STEP = 0.04
TALLEST = 2**11
"""The ladder goes over 71 powers of ten."""
STEP_WORK = 15_000_000
"""Visits timed in the search of one step, for about a sixth of a second."""
LEAST_PART = 0.2
"""Of the time that the target leaves for waits: what needs no more of it on the draw is not doubted."""
MOST_PART = 2.5
"""What needs more of it is not looked at."""
LOOKS = ((2, 0.25), (4, 0.125))
"""Runs of a look before all of them, and the part of the error by which the look may be wrong."""
MOST_RUNS = 160
"""Of savings: a few seconds."""
MOST_GROWTH = 60
GROWTH = 20
"""A step of growth adds one processor of so many."""


class SimulatedTrial:
    """Tries allocations of one situation in a search: first on drawn tuples, then in simulation."""

    def __init__(self, ladder: DrawnTrial, simulator: Simulator) -> None:
        self.ladder, self.simulator = ladder, simulator
        self.floors, self.ceilings = ladder.floors, ladder.ceilings
        self.seconds = ladder.target.seconds
        self.services = ladder.time(ladder.services)
        self.found: dict[int, Counts] = {}
        self.held: Counts | None = None
        """What held last: neighbours differ from it as much in all runs as in the first of them, nearly."""
        self.runs_left = MOST_RUNS

    def rank(self, counts: Counts) -> float:
        """The time of these processors in the first, short simulations; raises OutOfWork."""
        counts = self.ladder.settle(counts)
        if self.simulator.count_runs(counts) == 0:
            if self.runs_left <= 0:
                raise OutOfWork
            self.runs_left -= LOOKS[0][0]
        return self.simulator.look(counts, LOOKS[0][0])

    def may_hold(self, counts: Counts) -> bool:
        """Whether the first simulations of these processors leave it possible that the target holds."""
        self.rank(counts)
        return self.is_likely(counts, *LOOKS[0])

    def is_likely(self, counts: Counts, runs: int, part: float) -> bool:
        """Whether the first `runs` simulations of these processors leave it possible that the target holds."""
        counts = self.ladder.settle(counts)
        seconds, allowed = self.simulator.look(counts, runs), self.seconds
        if self.held:
            held = self.simulator.run(self.held)
            allowed += self.simulator.look(self.held, runs) - held.bound_seconds + part * held.error_seconds
        return seconds <= allowed

    def holds(self, counts: Counts) -> bool:
        """Whether these processors hold the target in all simulations."""
        counts = self.ladder.settle(counts)
        if not all(self.is_likely(counts, *look) for look in LOOKS):
            return False
        self.runs_left -= RUNS - self.simulator.count_runs(counts)
        if self.simulator.run(counts).bound_seconds > self.seconds:
            return False
        self.held = counts
        return True

    def climb(self, step: int) -> Counts:
        """The fewest processors, on drawn tuples, for the time of step number `step` of the ladder of times."""
        if step not in self.found:
            self.ladder.restart(self.services + exp(STEP * step), STEP_WORK)
            self.found[step] = tuple(search_fewest(self.ladder).counts)
        return self.found[step]

    def holds_at(self, step: int) -> bool:
        """Whether the processors of a step of the ladder hold the target; where the times are far apart, without
        simulation.
        """
        part = exp(STEP * step) / max(self.seconds - self.services, 1e-300)
        if part > MOST_PART:
            return False
        self.held = None
        return part < LEAST_PART or self.holds(self.climb(step))


def search_simulated(trial: SimulatedTrial) -> Fewest:
    """The fewest processors found that hold the target in simulation, or those with the shortest time if none hold."""
    strict, loose = -TALLEST, TALLEST
    while loose - strict > 1:
        middle = (strict + loose) // 2
        if trial.holds_at(middle):
            strict = middle
        else:
            loose = middle
    try:
        counts = grow(trial, trial.climb(strict))
    except OutOfWork:
        counts = trial.climb(strict)
    if not trial.holds(counts):
        return Fewest(list(counts), is_tight=False, is_fewest=False)
    trial.runs_left = MOST_RUNS
    counts, is_tight = save_processors(trial, counts)
    counts = trial.ladder.settle(counts)
    is_fewest = counts == trial.floors or (is_tight and len(counts) == 1)
    return Fewest(list(counts), is_tight, is_fewest)


def grow(trial: SimulatedTrial, counts: Counts) -> Counts:
    """The allocation with processors added, each where it shortens the simulated time most, until the target holds."""
    trial.held, trial.runs_left = None, MOST_RUNS
    for _ in range(MOST_GROWTH):
        if trial.holds(counts):
            break
        step = max(sum(counts) // GROWTH, 1)
        more = [
            change(counts, i, min(step, ceiling - counts[i]))
            for i, ceiling in enumerate(trial.ceilings)
            if counts[i] < ceiling
        ]
        best = min(more, key=trial.rank, default=counts)
        if trial.rank(best) >= trial.rank(counts):
            break
        counts = best
    return counts
