"""Headgate's own policy: the number of VMs that is cheapest when every unserved interval has a price.

The distribution of the workload comes from `rate_distribution`, that of the throughput from `throughput_belief`;
nothing else is estimated. A backtest and a schedule use the same policy with different observations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from planner.arrays import Floats
from planner.vms.sigma_policies import VmReason
from planner.vms.throughput import CapacityBelief, MstSample, check_samples
from planner.vms.timing import Observed, check_qos_target
from planner.workloads.series import Window

Counts = NDArray[np.intp]
LikelyRates = Callable[[Floats, Window], Floats]
"""Equally likely rates of a window's steps, sorted, as seen from the last of the rates so far."""

DEFAULT_QOS_TARGET = 0.9875
# The price of a wholly unserved interval, in mean intervals of VMs. It suits most workloads at about one unserved
# step in eighty. By PRICE_GAIN the record of served and unserved steps changes it.
USUAL_PRICE = 7.0
# The rise of the logarithm of the price for each whole unserved interval above the target.
PRICE_GAIN = 0.15
LOWEST_LOG_FACTOR, HIGHEST_LOG_FACTOR = -2.0, 4.0
LEAST_PRICE, MOST_PRICE, HALVINGS = 1e-3, 1e9, 80
# With fewer rates the forecast distribution is only its prior, so no target can be judged.
FEWEST_RATES = 20
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class PricedIntervals:
    """Equally likely rates of each interval, the unserved share at every m, and the VMs that the price chose."""

    likely_rates: Sequence[Floats]
    unserved: Floats
    counts: Counts

    @property
    def mean_unserved(self) -> float:
        """The mean expected unserved share of the intervals."""
        return find_mean_share(self.unserved, self.counts)


class HeadgatePolicy:
    """min over m of m + price · E[share of the interval's steps with λ ≥ τ(m)], the price steered to the target."""

    reactive = False

    def __init__(
        self,
        samples: Sequence[MstSample],
        likely_rates: LikelyRates,
        max_vms: int,
        qos_target: float = DEFAULT_QOS_TARGET,
        bounds: Sequence[MstSample] = (),
    ) -> None:
        check_samples(samples)
        check_qos_target(qos_target)
        self.belief = CapacityBelief(samples, max_vms)
        for bound in bounds:
            if bound.vms <= max_vms:
                self.belief.learn_bound(bound.vms, bound.throughput)
        self.qos_target = qos_target
        self.likely_rates = likely_rates
        self._learned_intervals = 0
        self._learned_early = False

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """The VMs of one interval."""
        return int(self.decide_intervals(observed, [window]).counts[0])

    def decide_intervals(self, observed: Observed, windows: Sequence[Window]) -> PricedIntervals:
        """Learn τ from the last steps, look ahead, and choose for all intervals at one price.

        With a record of VMs the price follows the record; without one it is the lowest at which the intervals meet the
        target together, as forecast.
        """
        interval = windows[0].steps
        self._learn_capacity(observed, interval)
        likely = [self.likely_rates(observed.rates, window) for window in windows]
        unserved = np.array([self.unserved_shares(rates) for rates in likely])
        if len(observed.vms) == 0 and len(observed.rates) >= FEWEST_RATES:
            counts = choose_for_target(unserved, 1.0 - self.qos_target)
        else:
            counts = choose_at_price(unserved, self.price(observed, interval))
        return PricedIntervals(likely, unserved, counts)

    def unserved_shares(self, rates: Floats) -> Floats:
        """For every m, the expected share of equally likely (sorted) rates that τ(m) does not exceed."""
        throughputs = np.exp(self.belief.means[:, None] + self.belief.deviations[:, None] * NODES)
        served = np.searchsorted(rates, throughputs, side="left") / len(rates)
        return np.asarray(1.0 - served @ NODE_WEIGHTS, dtype=float)

    def price(self, observed: Observed, interval: int) -> float:
        """The VMs worth paying for one served interval: usual · mean VMs · exp(gain · unserved intervals above target).

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

    def explain(self, chosen: PricedIntervals) -> list[VmReason]:
        """Each interval's choice in parts, and whether the intervals meet the target together."""
        meets = chosen.mean_unserved <= 1.0 - self.qos_target
        rows = zip(chosen.likely_rates, chosen.unserved, chosen.counts, strict=True)
        return [
            self._explain_interval(rates, shares, int(vms), meets_target=meets) for rates, shares, vms in rows
        ]

    def _explain_interval(
        self, likely_rates: Floats, shares: Floats, vms: int, *, meets_target: bool
    ) -> VmReason:
        """First the VMs for the median rate and throughput, then for an uncertain throughput, then the rest."""
        z = float(ndtri(self.qos_target))
        median = np.array([float(np.median(likely_rates))])
        reached = np.maximum.accumulate(np.exp(self.belief.means))
        for_mean = min(int(np.searchsorted(reached, median[0], side="right")) + 1, vms)
        enough = np.flatnonzero(self.unserved_shares(median) <= 1.0 - self.qos_target)
        with_model = min(int(enough[0]) + 1 if len(enough) else vms, vms)
        with_model = max(with_model, for_mean)
        spread = float(self.belief.deviations[vms - 1])
        return VmReason(
            vms,
            float(np.exp(self.belief.means[vms - 1] - z * spread)),
            float(1.0 - shares[vms - 1]),
            meets_target,
            for_mean,
            with_model - for_mean,
            vms - with_model,
        )

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


def choose_at_price(unserved: Floats, price: float) -> Counts:
    """For every interval the m with the least m + price · unserved share."""
    vms = np.arange(1.0, unserved.shape[1] + 1.0)
    return np.asarray(np.argmin(vms + price * unserved, axis=1) + 1, dtype=np.intp)


def choose_for_target(unserved: Floats, allowed: float) -> Counts:
    """The choice at the lowest common price with a mean unserved share of at most `allowed`.

    The dual of "fewest VMs over all intervals with that mean share". Where the price alone steps over the target,
    single intervals step back one choice at a time: one interval alone has the least m that meets the target. Where no
    price meets the target, each interval has the m that serves most.
    """
    low, high = LEAST_PRICE, MOST_PRICE
    for _ in range(HALVINGS):
        price = np.sqrt(low * high)
        if find_mean_share(unserved, choose_at_price(unserved, price)) <= allowed:
            high = price
        else:
            low = price
    dear, cheap = choose_at_price(unserved, high), choose_at_price(unserved, low)
    if find_mean_share(unserved, dear) > allowed:
        return np.asarray(np.argmin(unserved, axis=1) + 1, dtype=np.intp)
    for interval in range(len(dear)):
        for fewer in range(int(cheap[interval]), int(dear[interval])):
            trial = dear.copy()
            trial[interval] = fewer
            if find_mean_share(unserved, trial) <= allowed:
                dear = trial
                break
    return dear


def find_mean_share(unserved: Floats, counts: Counts) -> float:
    """The mean over the intervals of the unserved share at the chosen m."""
    return float(unserved[np.arange(len(counts)), counts - 1].mean())
