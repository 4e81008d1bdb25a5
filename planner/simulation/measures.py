"""The measures of a simulation: means with the half widths of their intervals, and quantiles.

Roots of the warm-up are left out. The others are split into consecutive batches of about equal size, whose means are
nearly independent (batch means: Law and Kelton, Simulation Modeling and Analysis, section 9.5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from planner.arrays import Counts, Floats
from planner.simulation.results import MeasuredTime, ServedVisits
from planner.simulation.runs.station_kernels import tally
from planner.values import QuantileSeconds

BATCHES = 30
FEWEST_BATCHES = 10  # fewer batches do not show their own scatter
FEWEST_ROOTS = 10  # in a batch
COVERED = 0.95
WAIT, SOJOURN, VISITS = range(3)
"""The columns of sums by batch."""
BUSY, ARRIVED = range(2)
"""The columns of sums within the window of time, from the end of the warm-up to the last arrival from outside."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Running sums over the visits of a simulation, by station and batch of roots; the last row is the warm-up."""

    arrivals: Floats
    warm_up_roots: int
    batches: int
    window: Floats
    batch: Counts
    totals: Floats
    last: Floats
    sums: Floats
    busy: Floats

    @classmethod
    def start(cls, arrivals: Floats, warm_up_roots: int, stations: int) -> "Tally":
        """A tally without visits, for roots that arrive at `arrivals`."""
        size, kept = len(arrivals), len(arrivals) - warm_up_roots
        batches = max(1, min(BATCHES, kept // FEWEST_ROOTS))
        batch = np.full(size, batches, np.int64)
        batch[warm_up_roots:] = np.arange(kept) * batches // kept
        begin = arrivals[warm_up_roots - 1] if warm_up_roots else 0.0
        window = np.array([begin, arrivals[-1]])
        sums = np.zeros((stations, batches + 1, 3))
        return cls(
            arrivals,
            warm_up_roots,
            batches,
            window,
            batch,
            np.zeros(size),
            arrivals.copy(),
            sums,
            np.zeros((stations, 2)),
        )

    def record(self, visits: ServedVisits) -> None:
        """Adds the visits of one station."""
        station, _, root, arrived, started, finished = visits
        tally(
            root,
            arrived,
            started,
            finished,
            self.batch,
            self.window,
            self.totals,
            self.last,
            self.sums[station],
            self.busy[station],
        )

    def measure_totals(self, levels: Sequence[float]) -> MeasuredTime:
        """Measures the total of a root: the time in stations of all its tuples."""
        return self.measure(self.totals[self.warm_up_roots :], levels)

    def measure_completions(self, levels: Sequence[float]) -> MeasuredTime:
        """Measures the completion of a root: from its arrival to the finish of its last tuple."""
        return self.measure((self.last - self.arrivals)[self.warm_up_roots :], levels)

    def measure(self, times: Floats, levels: Sequence[float]) -> MeasuredTime:
        """The mean of a time over roots, the half width of its 95% interval, and its quantiles."""
        rows = self.batch[self.warm_up_roots :]
        sizes = np.bincount(rows, minlength=self.batches).astype(np.float64)
        half_width = find_half_width(np.bincount(rows, times, self.batches).astype(np.float64), sizes)
        seconds = np.quantile(times, np.asarray(levels, np.float64)).tolist() if levels else []
        quantiles = tuple(QuantileSeconds(level, one) for level, one in zip(levels, seconds, strict=True))
        return MeasuredTime(float(np.mean(times)), half_width, quantiles)

    def mean_by_visit(self, station: int, column: int) -> float:
        """The mean wait or sojourn over the visits of roots after the warm-up; 0 without visits."""
        sums = self.sums[station, : self.batches]
        visits = float(np.sum(sums[:, VISITS]))
        return float(np.sum(sums[:, column])) / visits if visits else 0.0

    def half_width_by_visit(self, station: int, column: int) -> float | None:
        """The half width of the 95% interval of a station's mean wait or sojourn over its visits."""
        sums = self.sums[station, : self.batches]
        return find_half_width(sums[:, column], sums[:, VISITS])

    def visits_by_root(self, station: int) -> float:
        """The mean number of visits of a root to a station."""
        kept = len(self.arrivals) - self.warm_up_roots
        return float(np.sum(self.sums[station, : self.batches, VISITS])) / kept

    def count_events(self) -> int:
        """The number of simulated events: an arrival and a finish for each visit, including the warm-up."""
        return 2 * round(float(np.sum(self.sums[:, :, VISITS])))


def find_half_width(sums: Floats, sizes: Floats) -> float | None:
    """The half width of the 95% interval of a ratio of means Σ xᵦ/Σ nᵦ over batches; None for fewer than
    FEWEST_BATCHES.

    t·√(Σ (xᵦ − r·nᵦ)² / (B(B − 1))) / n̄, with r = Σ xᵦ/Σ nᵦ, B batches of sizes nᵦ and mean size n̄, and t the
    quantile of Student's t (delta method; for batches of equal size the classic formula).
    """
    count, total = len(sums), float(np.sum(sizes))
    if count < FEWEST_BATCHES or not total:
        return None
    residuals = sums - float(np.sum(sums)) / total * sizes
    scatter = float(np.sum(residuals * residuals)) / (count * (count - 1))
    factor = float(stdtrit(count - 1, (1.0 + COVERED) / 2.0))
    return factor * sqrt(scatter) / (total / count)
