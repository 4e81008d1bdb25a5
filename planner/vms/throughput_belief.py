"""The belief about τ(m) at every m: a Normal over log τ that learns from saturated and unsaturated intervals.

log τ(m) = a + b log m − k log(1 + m/32) + s·[m = 1] + r(m) has a scale, a power, a levelling off, the gain of a single
VM that sends nothing over the network, and a roughness r that correlates close numbers of VMs. The throughput of one
interval scatters around it, with a deviation of its own at each m. A saturated interval shows that throughput; an
unsaturated one shows only that it lay above the served rate. The priors come from the simple benchmarks wc, sol and
rsort of the paper's authors, the roughness and the usual scatter from the development pairs of
docs/models/vm-forecasts.md. None was chosen on an application that a backtest reports.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import log_ndtr

from planner.arrays import Floats
from planner.vms.throughput import MstSample

SCALE_DEVIATION = 10.0
POWER, POWER_DEVIATION = 0.9, 0.4
LEVELLING, LEVELLING_DEVIATION, LEVELLING_VMS = 0.6, 0.5, 32.0
SINGLE, SINGLE_DEVIATION = 0.4, 0.4
ROUGHNESS_DEVIATION, ROUGHNESS_LENGTH = 0.08, 0.35
SCATTER, SCATTER_WEIGHT = 0.05, 4.0
# The weight, in samples, of the scatter of all m against that of one m.
POOLED_WEIGHT = 2.0


class CapacityBelief:
    """A Gaussian over (log τ(1), ..., log τ(max_vms)), updated by one observation at a time."""

    def __init__(self, samples: Sequence[MstSample], max_vms: int) -> None:
        self.scatter = find_scatter(samples, max_vms)
        middle = float(np.mean(np.log([sample.throughput for sample in samples])))
        self.means, self.covariance = believe_before(middle, max_vms)
        for sample in samples:
            if sample.vms <= max_vms:
                self.learn_throughput(sample.vms, sample.throughput)

    @property
    def deviations(self) -> Floats:
        """The standard deviation of log τ in one interval, at every m."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0) + self.scatter**2)

    def learn_throughput(self, vms: int, throughput: float) -> None:
        """Learn from a saturated interval: Kalman's update of all m by one value at one m."""
        self._condition(vms, np.log(throughput), float(self.scatter[vms - 1]) ** 2)

    def learn_bound(self, vms: int, served_rate: float) -> None:
        """Learn from an unsaturated interval: τ lay above `served_rate` (two moments of the truncated Normal)."""
        if served_rate <= 0:
            return
        variance = float(self.covariance[vms - 1, vms - 1]) + float(self.scatter[vms - 1]) ** 2
        deviation = np.sqrt(variance)
        distance = (self.means[vms - 1] - np.log(served_rate)) / deviation
        # The inverse Mills ratio φ/Φ by logarithms: both vanish far below the bound.
        ratio = float(np.exp(-0.5 * distance**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(distance)))
        shrink = ratio * (ratio + distance)
        if shrink < 1e-6:
            return
        column = self.covariance[:, vms - 1].copy()
        self.means = self.means + column * (ratio / deviation)
        self.covariance = self.covariance - np.outer(column, column) * (min(shrink, 1.0) / variance)

    def _condition(self, vms: int, value: float, noise: float) -> None:
        column = self.covariance[:, vms - 1].copy()
        total = float(column[vms - 1]) + noise
        self.means = self.means + column * ((value - self.means[vms - 1]) / total)
        self.covariance = self.covariance - np.outer(column, column) / total


def believe_before(middle: float, max_vms: int) -> tuple[Floats, Floats]:
    """The mean and covariance of log τ(1..max_vms) before any sample, around a log throughput of `middle`."""
    vms = np.arange(1.0, max_vms + 1.0)
    logs = np.log(vms)
    bases = np.array([np.ones(max_vms), logs, -np.log1p(vms / LEVELLING_VMS), vms == 1.0])
    deviations = np.array([SCALE_DEVIATION, POWER_DEVIATION, LEVELLING_DEVIATION, SINGLE_DEVIATION])
    apart = np.abs(logs[:, None] - logs[None, :])
    roughness = ROUGHNESS_DEVIATION**2 * np.exp(-apart / ROUGHNESS_LENGTH)
    means = middle + np.array([0.0, POWER, LEVELLING, SINGLE]) @ bases
    return means, (bases.T * deviations**2) @ bases + roughness


def find_scatter(samples: Sequence[MstSample], max_vms: int) -> Floats:
    """The deviation of log τ between samples at each m: s²(m) = (SS(m) + w·s²) / (n(m) − 1 + w), s² that of all m.

    It is interpolated between measured numbers of VMs. From two below the fewest and from twice the most on, where
    nothing is known, it is the scatter of all m.
    """
    vms = np.array([sample.vms for sample in samples])
    logs = np.log([sample.throughput for sample in samples])
    measured, counts = np.unique(vms, return_counts=True)
    squares = counts * np.array([logs[vms == m].var() for m in measured])
    freedom = counts - 1
    pooled = (squares.sum() + SCATTER_WEIGHT * SCATTER**2) / (freedom.sum() + SCATTER_WEIGHT)
    own = (squares + POOLED_WEIGHT * pooled) / (freedom + POOLED_WEIGHT)
    places = [max(measured[0] - 2, 0), *measured, 2 * measured[-1]]
    variances = np.interp(np.arange(1, max_vms + 1), places, [pooled, *own, pooled])
    return np.asarray(np.sqrt(variances), dtype=float)
