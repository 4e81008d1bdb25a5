"""How many VMs does Headgate's own policy choose? The number that is cheapest if unserved steps have a price.

m is a number of VMs, τ(m) the throughput of m VMs, and λ the rate of a step. planner.workloads.rate_distribution says
how likely each rate is; the belief in planner.vms.throughput says how likely each throughput is. A backtest calls the
policy with the record of its VMs so far; a schedule has no such record.
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
"""From the rates so far and a window: equally likely rates of the window's steps, sorted."""

DEFAULT_QOS_TARGET = 0.9875
# An interval in which nothing is served costs as much as this many times the mean VMs. At this price most workloads
# have about one unserved step in eighty. The record of unserved steps moves the price by PRICE_GAIN.
USUAL_PRICE = 7.0
# The logarithm of the price rises by this for each unserved interval more than the target allows.
PRICE_GAIN = 0.15
LOWEST_LOG_FACTOR, HIGHEST_LOG_FACTOR = -2.0, 4.0
LEAST_PRICE, MOST_PRICE, HALVINGS = 1e-3, 1e9, 80
# With fewer rates the forecast distribution is only its prior, so no target can be judged.
FEWEST_RATES = 20
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class PricedIntervals:
    """The numbers of VMs chosen for several intervals (`counts`), and the values behind this choice.

    `likely_rates` has equally likely rates of each interval, `unserved` the expected unserved share of each interval's
    steps for every number of VMs.
    """

    likely_rates: Sequence[Floats]
    unserved: Floats
    counts: Counts

    @property
    def mean_unserved(self) -> float:
        """The expected share of unserved steps with the chosen VMs, as the mean over the intervals."""
        return find_mean_share(self.unserved, self.counts)


class HeadgatePolicy:
    """Chooses the number m of VMs with the smallest m + price · (expected share of unserved steps).

    A step is unserved if its rate is not below the throughput of the VMs. The price rises while fewer steps are served
    than the target, and falls while more are. `bounds` are throughputs that VMs served with room left.
    """

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
        """Returns the number of VMs for one coming interval (`window`), after what was observed until now."""
        return int(self.decide_intervals(observed, [window]).counts[0])

    def decide_intervals(self, observed: Observed, windows: Sequence[Window]) -> PricedIntervals:
        """Returns the VMs of all coming intervals (`windows`) at one price, after learning throughputs from the last
        steps.

        With a record of VMs the price follows that record. Without a record it is the lowest price at which the
        intervals together are expected to meet the target.
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
        """Returns for every number of VMs the expected share of steps that these VMs do not serve.

        The rates are sorted and equally likely.
        """
        throughputs = np.exp(self.belief.means[:, None] + self.belief.deviations[:, None] * NODES)
        served = np.searchsorted(rates, throughputs, side="left") / len(rates)
        return np.asarray(1.0 - served @ NODE_WEIGHTS, dtype=float)

    def price(self, observed: Observed, interval: int) -> float:
        """Returns the price of an unserved interval, as a number of VMs; it rises with each unserved interval beyond
        the target.

        The price is usual · mean VMs · exp(gain · unserved intervals beyond the target). This is a subgradient step of
        the dual of "the fewest VMs whose mean service meets the target".
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
        """Returns the reason for each interval's VMs; `meets_target` in a reason is about all intervals together."""
        meets = chosen.mean_unserved <= 1.0 - self.qos_target
        rows = zip(chosen.likely_rates, chosen.unserved, chosen.counts, strict=True)
        return [
            self._explain_interval(rates, shares, int(vms), meets_target=meets) for rates, shares, vms in rows
        ]

    def _explain_interval(
        self, likely_rates: Floats, shares: Floats, vms: int, *, meets_target: bool
    ) -> VmReason:
        """Returns the reason for the VMs of one interval, whose steps have the expected unserved `shares` for every
        number.

        The reason splits the VMs in three: for the median rate and throughput, for uncertain throughput, and the rest.
        """
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
        """Learns once from each past interval of `interval` steps.

        An interval shows its throughput as soon as a step was too much for its VMs. Any other interval shows at its end
        that the throughput is above the served rate.
        """
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
    """Returns for each interval the number m of VMs with the smallest m + price · unserved share.

    `unserved` has a row for each interval, with the unserved share for every number of VMs.
    """
    vms = np.arange(1.0, unserved.shape[1] + 1.0)
    return np.asarray(np.argmin(vms + price * unserved, axis=1) + 1, dtype=np.intp)


def choose_for_target(unserved: Floats, allowed: float) -> Counts:
    """Returns the VMs of each interval at the lowest common price at which the mean unserved share is at most
    `allowed`.

    `unserved` has a row for each interval, with the unserved share for every number of VMs. The choice is the dual of
    "the fewest VMs over all intervals with that mean share". If the lowest price serves more than needed, single
    intervals get fewer VMs again, as long as the mean stays allowed. If no price is high enough, each interval gets the
    VMs that serve most.
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
    """Returns the unserved share with the chosen VMs (`counts`), as the mean over the intervals."""
    return float(unserved[np.arange(len(counts)), counts - 1].mean())
