"""How likely is each rate in a coming interval, as forecasts with a short and with a long memory say?

A forecast is as wrong as its past errors were, but which past? There are four answers, the components:

    A  the errors of seven days        B  those of the last day
    C  those of the same hours (± half an hour) of seven days        D  those of the last hour

A mixture weighs components. The expected unserved share under a mixture is the weighted mean of the shares under its
components. planner.vms.virtual_records finds which mixture has served best.
"""

import numpy as np

from planner.arrays import Floats
from planner.workloads.rate_distribution import RateDistribution
from planner.workloads.series import Steps, Window

Components = tuple[Floats, ...]
"""Equally likely rates of a window, sorted: an array for each component."""

MIXTURES: Floats = np.array([[1.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.5, 0.0], [0.4, 0.2, 0.2, 0.2]])
"""The weights of the components, a row for each mixture."""
DAYS = 7
HOURS_PER_DAY = 24
# So many past forecasts of a component are enough; more cost time, for neighbours differ little.
MOST_ROWS = 60


class LikelyMixture:
    """The components of the rates in one coming window, learned from the rates seen so far.

    Each call must send the rates of the call before, and may add newer rates.
    """

    def __init__(self, window: Window, day_steps: int = 1440) -> None:
        self.day_steps = day_steps
        self.distribution = RateDistribution(window, day_steps)

    def likely_rates(self, rates: Floats) -> Components:
        """Returns the components of the window after the last of `rates`; a component without errors is A."""
        self.distribution.observe(rates)
        usual = self.distribution.spread_out(self.distribution.usual_shape)
        errors = self.distribution.past_errors
        return (usual, *(self._follow(errors[rows], usual) for rows in self._choose_rows(len(rates))))

    def _choose_rows(self, known: int) -> list[Steps]:
        """Returns the past forecasts of the components B, C and D, as places in the past errors."""
        judged, day = len(self.distribution.past_errors), self.day_steps
        hour = max(day // HOURS_PER_DAY, 1)
        half = hour // 2
        same = [
            np.arange(max(known - 1 - days * day - half, 0), min(known - days * day + half, judged))
            for days in range(1, DAYS + 1)
        ]
        lasts = [np.arange(max(judged - span, 0), judged) for span in (day, hour)]
        return [_thin(rows) for rows in (lasts[0], np.concatenate(same), lasts[1])]

    def _follow(self, errors: Floats, usual: Floats) -> Floats:
        return self.distribution.spread_out(errors.T) if len(errors) else usual


def _thin(rows: Steps) -> Steps:
    return rows[:: -(-len(rows) // MOST_ROWS) or 1]


class LikelyMixtures:
    """The components of the rates in any windows of one workload.

    The object keeps its answers, because each seed of a backtest asks for the same components.
    """

    def __init__(self, day_steps: int = 1440) -> None:
        self.day_steps = day_steps
        self._mixtures: dict[Window, LikelyMixture] = {}
        self._known: dict[tuple[int, Window], Components] = {}

    def __call__(self, rates: Floats, window: Window) -> Components:
        """Returns the components of the window after the last of `rates`."""
        key = (len(rates), window)
        if key not in self._known:
            mixture = self._mixtures.setdefault(window, LikelyMixture(window, self.day_steps))
            self._known[key] = mixture.likely_rates(rates)
        return self._known[key]
