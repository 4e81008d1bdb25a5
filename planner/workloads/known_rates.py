"""What was measured of a workload, and known at each of its steps."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from planner.workloads.line_forecasts import HISTORY
from planner.workloads.series import Measurement, Workload


class KnownRates:
    """A workload's measurements as they were known at any of its steps."""

    def __init__(self, workload: Workload) -> None:
        self.rates = workload.rates
        self.step_seconds = workload.step_seconds
        self.measured = np.ones(len(workload.rates), dtype=bool)
        self.measured[list(workload.filled_steps)] = False
        self._steps = np.flatnonzero(self.measured).tolist()
        self._measurements = [
            Measurement(workload.start_seconds + workload.step_seconds * step, self.rates[step])
            for step in self._steps
        ]

    def known_at(self, origin: int) -> Sequence[Measurement]:
        """The newest measurements before this step."""
        end = bisect_left(self._steps, origin)
        return self._measurements[max(end - HISTORY, 0) : end]

    def is_measured(self, first: int, end: int) -> bool:
        """Whether all of these steps were measured."""
        return end <= len(self.rates) and bool(self.measured[first:end].all())
