"""Our own policy: the number of VMs that is cheapest when every unserved step has a price.

The distribution of the workload comes from `outlook`, that of the throughput from `belief`; nothing else is estimated.
"""

from collections.abc import Callable, Sequence

import numpy as np

from planner.arrays import Floats
from planner.vms.throughput import MstSample, check_samples
from planner.vms.throughput_belief import CapacityBelief
from planner.vms.timing import Observed, check_qos_target
from planner.workloads.window import Window

RatesAhead = Callable[[Floats, Window], Floats]

DEFAULT_QOS_TARGET = 0.9875
# The price of an interval that is not served at all, in mean intervals of VMs: where one unserved step in eighty
# is right for most workloads; how the record moves it is PRICE_GAIN.
USUAL_PRICE = 7.0
# By how much one whole unserved interval too many raises the logarithm of the price.
PRICE_GAIN = 0.15
LOWEST_LOG_FACTOR, HIGHEST_LOG_FACTOR = -2.0, 4.0
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


class HeadgatePolicy:
    """min over m of m + price · E[share of the interval's steps with λ ≥ τ(m)], the price steered to the target."""

    reactive = False

    def __init__(
        self,
        samples: Sequence[MstSample],
        rates_ahead: RatesAhead,
        max_vms: int,
        qos_target: float = DEFAULT_QOS_TARGET,
    ) -> None:
        check_samples(samples)
        check_qos_target(qos_target)
        self.belief = CapacityBelief(samples, max_vms)
        self.qos_target = qos_target
        self.rates_ahead = rates_ahead
        self._vms = np.arange(1.0, max_vms + 1.0)
        self._learned_intervals = 0
        self._learned_early = False

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """Learn what the last steps taught of τ, look ahead, and choose."""
        interval = window.last - window.first + 1
        self._learn_capacity(observed, interval)
        unserved = self.unserved_shares(self.rates_ahead(observed.rates, window))
        return int(np.argmin(self._vms + self.price(observed, interval) * unserved)) + 1

    def unserved_shares(self, rates: Floats) -> Floats:
        """For every m, the expected share of equally likely (sorted) rates that τ(m) does not exceed."""
        throughputs = np.exp(self.belief.means[:, None] + self.belief.deviations[:, None] * NODES)
        served = np.searchsorted(rates, throughputs, side="left") / len(rates)
        return np.asarray(1.0 - served @ NODE_WEIGHTS, dtype=float)

    def price(self, observed: Observed, interval: int) -> float:
        """VMs worth paying to save a whole interval: usual · mean VMs · exp(gain · intervals unserved too many).

        The subgradient step of the dual of "fewest VMs such that the mean QoS meets its target".
        """
        if len(observed.vms) == 0:
            mean_vms = 1.0 + float(
                np.searchsorted(self.belief.means, np.log(max(observed.rates[-1], 1e-300)))
            )
            return USUAL_PRICE * mean_vms
        missed, steps = float(observed.saturated.sum()), len(observed.saturated)
        too_many = (missed - (1.0 - self.qos_target) * steps) / interval
        factor = min(max(PRICE_GAIN * too_many, LOWEST_LOG_FACTOR), HIGHEST_LOG_FACTOR)
        return USUAL_PRICE * float(observed.vms.mean()) * float(np.exp(factor))

    def _learn_capacity(self, observed: Observed, interval: int) -> None:
        """One observation per interval: its throughput as soon as it saturates, else a bound at its end."""
        steps = len(observed.vms)
        while self._learned_intervals * interval < steps:
            start = self._learned_intervals * interval
            end = min(start + interval, steps)
            if not self._learned_early:
                self._learn_interval(observed, start, end, complete=end == start + interval)
            if end < start + interval:
                return
            self._learned_intervals += 1
            self._learned_early = False

    def _learn_interval(self, observed: Observed, start: int, end: int, *, complete: bool) -> None:
        vms = int(observed.vms[start])
        saturated = np.flatnonzero(observed.saturated[start:end])
        if len(saturated):
            self._learned_early = True
            throughput = float(observed.served_rates[start + saturated[0]])
            if throughput > 0:
                self.belief.learn_throughput(vms, throughput)
        elif complete:
            self.belief.learn_bound(vms, float(observed.served_rates[start:end].max()))
