"""The true capacity of m VMs by measurements: Normal, interpolated between the measured m (Imai et al., V-A3).

It judges every schedule in a backtest; no policy sees it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.arrays import Floats
from planner.vms.errors import InvalidMstSamples
from planner.vms.throughput import MstSample


@dataclass(frozen=True, slots=True)
class Capacity:
    """MST(m) ~ Normal(means[m − 1], deviations[m − 1]²)."""

    means: Floats
    deviations: Floats

    @property
    def max_vms(self) -> int:
        """The largest m with a known capacity."""
        return len(self.means)

    def throughput_of(self, vms: int, deviate: float) -> float:
        """The throughput of one interval, for its one standard normal deviate."""
        return max(float(self.means[vms - 1] + deviate * self.deviations[vms - 1]), 0.0)

    def covering_vms(self, rates: Floats) -> Floats:
        """The fewest VMs whose mean lies above each rate; the VMs of the highest mean where none does."""
        # τ(m) need not rise with m: the running maximum shows the fewest VMs that reach a rate.
        reached = np.maximum.accumulate(self.means)
        best = int(np.argmax(self.means))
        return np.minimum(np.searchsorted(reached, rates, side="right"), best) + 1.0


def interpolate_capacity(samples: Sequence[MstSample], max_vms: int) -> Capacity:
    """The capacity with means and sample variances (n − 1) interpolated between measured m, up to the largest."""
    by_vms: dict[int, list[float]] = {}
    for sample in samples:
        by_vms.setdefault(sample.vms, []).append(sample.throughput)
    if not by_vms:
        raise InvalidMstSamples("No samples to judge by: give measured throughputs for some numbers of VMs.")
    measured = np.array(sorted(by_vms), dtype=float)
    means = np.array([np.mean(by_vms[int(vms)]) for vms in measured])
    # An m with a single sample has no variance: it is interpolated between its neighbours.
    repeated = np.array([vms for vms in measured if len(by_vms[int(vms)]) > 1])
    if len(repeated) == 0:
        raise InvalidMstSamples(
            "No number of VMs has two samples, so there is no variance to judge by: measure more."
        )
    variances = np.array([np.var(by_vms[int(vms)], ddof=1) for vms in repeated])
    vms = np.arange(1.0, min(max_vms, int(measured[-1])) + 1.0)
    return Capacity(np.interp(vms, measured, means), np.sqrt(np.interp(vms, repeated, variances)))
