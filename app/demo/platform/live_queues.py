"""The queues of the live demo's platform: every tuple is served by one instance, in the order of arrival."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from planner.arrays import Floats


@dataclass(frozen=True, slots=True)
class Served:
    """The tuples whose service began in an interval: when each left, and how long it was served and in the operator."""

    left_at: Floats
    service_seconds: Floats
    sojourn_seconds: Floats


@dataclass
class LiveQueues:
    """The tuples on their way to an operator, by time of arrival, and the time from which each instance is free."""

    free_at: Floats
    deals_in_turn: bool
    coming: Floats = field(default_factory=lambda: np.empty(0))
    waiting: int = 0
    """The tuples that had arrived by the end of the last interval and were not yet served."""

    def rescale(self, count: int, ready_at: float) -> None:
        """Goes on with this number of instances from a time on; tuples that wait are dealt out anew."""
        self.free_at = np.full(count, ready_at)

    def serve(self, arrivals: Floats, until: float, rate: float, scv: float, draw: Generator) -> Served:
        """Serves the arrivals until a time; what has not begun by then waits for the next interval."""
        known = np.sort(np.concatenate([self.coming, arrivals]))
        queue = known[known < until]
        count = len(self.free_at)
        turns = np.arange(len(queue)) % count
        owners = turns if self.deals_in_turn else draw.integers(0, count, len(queue))
        seconds = draw.gamma(1.0 / scv, scv / rate, len(queue))
        left_at = np.empty(len(queue))
        for instance in range(count):
            own = owners == instance
            left_at[own] = find_departures(queue[own], seconds[own], self.free_at[instance])
        has_begun = left_at - seconds < until
        for instance in range(count):
            done = left_at[has_begun & (owners == instance)]
            self.free_at[instance] = done.max(initial=self.free_at[instance])
        self.coming = np.concatenate([queue[~has_begun], known[known >= until]])
        self.waiting = int(np.count_nonzero(~has_begun))
        return Served(left_at[has_begun], seconds[has_begun], (left_at - queue)[has_begun])


def find_departures(arrivals: Floats, seconds: Floats, free_at: float) -> Floats:
    """When each tuple leaves a server that is free from a time on and serves them in this order (Lindley)."""
    worked = np.cumsum(seconds)
    begun: Floats = np.maximum.accumulate(np.maximum(arrivals, free_at) - (worked - seconds))
    return worked + begun
