"""How many VMs does Headgate's own policy choose? The number that is cheapest if unserved steps have a price.

m is a number of VMs, τ(m) the throughput of m VMs, and λ the rate of a step. planner.workloads.likely_mixtures says
how likely each rate is; the belief in planner.vms.throughput says how likely each throughput is;
planner.vms.virtual_records says which price keeps the target. With a record of VMs the price is steered by what was
missed. A schedule may have no such record: it is then a forecast, and no promise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from planner.arrays import Floats
from planner.vms.paid_vms import count_costs
from planner.vms.price_choices import Counts, choose_at_price, choose_for_target, find_mean_share
from planner.vms.sigma_policies import VmReason
from planner.vms.throughput import CapacityBelief, MstSample, check_samples
from planner.vms.timing import Belief, Observed, SteeredPrice, Timing, check_qos_target
from planner.vms.virtual_records import StepsMissed, VirtualRecords, allow_usually
from planner.workloads.likely_mixtures import MIXTURES, Components
from planner.workloads.series import Window

LikelyRates = Callable[[Floats, Window], Components]
"""From the rates so far and a window: the components of the window's rates."""

DEFAULT_QOS_TARGET = 0.9875
DEFAULT_TIMING = Timing()
# With fewer rates the forecast distribution is only its prior, so no target can be judged.
FEWEST_RATES = 20
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
NODE_WEIGHTS = NODE_WEIGHTS / NODE_WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class PricedIntervals:
    """The numbers of VMs chosen for several intervals (`counts`), and the values behind this choice.

    `median_rates` has the median rate of each interval, `unserved` the expected unserved share of each interval's
    steps for every number of VMs. `price` is the steered price; without a record it is not what chose the VMs.
    """

    median_rates: Sequence[float]
    unserved: Floats
    counts: Counts
    price: SteeredPrice

    @property
    def mean_unserved(self) -> float:
        """The expected share of unserved steps with the chosen VMs, as the mean over the intervals."""
        return find_mean_share(self.unserved, self.counts)


class HeadgatePolicy:
    """Chooses the number m of VMs with the smallest m + price · (expected share of unserved steps).

    A step is unserved if its rate is not below the throughput of the VMs. `bounds` are throughputs that VMs served with
    room left. Each decision must know the rates of the decision before.
    """

    reactive = False

    def __init__(
        self,
        samples: Sequence[MstSample],
        likely_rates: LikelyRates,
        max_vms: int,
        qos_target: float = DEFAULT_QOS_TARGET,
        *,
        bounds: Sequence[MstSample] = (),
        timing: Timing = DEFAULT_TIMING,
    ) -> None:
        check_samples(samples)
        check_qos_target(qos_target)
        self.belief = CapacityBelief(samples, max_vms)
        self.costs = count_costs(timing.prices, max_vms)
        self.mixed = None if timing.prices is None else timing.prices.vms
        for bound in bounds:
            if bound.vms <= max_vms:
                self.belief.learn_bound(bound.vms, bound.throughput)
        self.qos_target = qos_target
        self.likely_rates = likely_rates
        self.day_steps, self.billing_steps = timing.day_steps, timing.billing_steps
        self._learned_intervals = 0
        self._learned_early = False
        self._records: VirtualRecords | None = None
        self._last: PricedIntervals | None = None
        self._believed: Floats | None = None
        self._throughputs: Floats = np.zeros(0)
        self._under_way: list[tuple[int, int, float]] = []
        self._pending: list[tuple[slice, Counts]] = []

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """Returns the number of VMs for one coming interval (`window`), after what was observed until now."""
        self._last = self.decide_intervals(observed, [window])
        begin = len(observed.rates) + window.first - 1
        self._under_way.append((begin, window.steps, self._last.mean_unserved))
        return int(self._last.counts[0])

    def _stand(self, observed: Observed) -> StepsMissed:
        """What was missed until now, and what is expected to be missed in the intervals decided on that have not begun.

        A start longer than an interval decides on several before the first of them shows what it missed.
        """
        steps = len(observed.saturated)
        self._under_way = [one for one in self._under_way if one[0] >= steps]
        ahead = self._under_way if steps else []
        missed = float(observed.saturated.sum()) + sum(count * share for _, count, share in ahead)
        return StepsMissed(steps + sum(count for _, count, _ in ahead), missed)

    def believe(self, vms: int) -> Belief:
        """Returns what the policy believed at its last decision of `vms` VMs."""
        assert self._last is not None
        throughput = float(np.exp(self.belief.means[vms - 1]))
        return Belief(throughput, float(self._last.unserved[0, vms - 1]), self._last.price)

    def decide_intervals(self, observed: Observed, windows: Sequence[Window]) -> PricedIntervals:
        """Returns the VMs of all coming intervals (`windows`) at one price, after learning throughputs from the last
        steps.

        With a record of VMs the price is steered by that record. Without a record it is the lowest price at which the
        intervals together are expected to meet the target.
        """
        interval = windows[0].steps
        self._learn_capacity(observed, interval)
        likely = [self.likely_rates(observed.rates, window) for window in windows]
        by_mixture = [MIXTURES @ self.unserved_shares(components) for components in likely]
        records = self._remember(observed.rates, windows[0], by_mixture[0])
        standing = self._stand(observed)
        price = records.steer(standing, self.qos_target, self.day_steps)
        unserved = np.array([shares[price.mixture] for shares in by_mixture])
        if standing.steps == 0 and len(observed.rates) >= FEWEST_RATES:
            counts = choose_for_target(unserved, 1.0 - self.qos_target, self.costs)
        else:
            counts = self._choose_kept(unserved, price.price, observed.paid, windows)
        if self.mixed is not None:
            counts = np.minimum(np.array(self.mixed)[counts - 1], len(self.costs))
        # What is sorted has its median in its middle.
        medians = [float(np.mean(one[(len(one) - 1) // 2 : len(one) // 2 + 1])) for one, *_ in likely]
        return PricedIntervals(medians, unserved, counts, price)

    def _choose_kept(
        self, unserved: Floats, price: float, remaining: Floats, windows: Sequence[Window]
    ) -> Counts:
        """The VMs at a price, of which those that are paid for until the end of their window cost nothing."""
        if self.billing_steps == 1:
            return choose_at_price(unserved, price, self.costs)
        chosen = []
        for shares, window in zip(unserved, windows, strict=True):
            paid = min(int((remaining >= window.last).sum()), len(shares))
            chosen.append(int(choose_at_price(shares[None], price, self.costs, paid)[0]))
            fresh = max(chosen[-1] - int((remaining >= window.first).sum()), 0)
            remaining = np.append(remaining, np.full(fresh, window.first - 1.0 + self.billing_steps))
        return np.array(chosen, dtype=np.intp)

    def recall(self, rates: Floats, window: Window, intervals: int) -> None:
        """Learns what the prices would have served in the newest `intervals` intervals of `rates`, as if each had been
        decided on as far ahead as `window` is.
        """
        ends = range(len(rates) - intervals * window.steps, len(rates), window.steps)
        for known in (end for end in ends if end > 0):
            shares = MIXTURES @ self.unserved_shares(self.likely_rates(rates[:known], window))
            records = self._remember(rates[:known], window, shares)
            records.settle(allow_usually(self.qos_target, 0.0))

    def unserved_shares(self, components: Components) -> Floats:
        """Returns the expected share of steps that 1, 2, ... VMs do not serve, a row for each component.

        The rates of a component are sorted and equally likely.
        """
        if self._believed is not self.belief.means:
            self._believed = self.belief.means
            self._throughputs = np.exp(self._believed[:, None] + self.belief.deviations[:, None] * NODES)
        found = [np.searchsorted(rates, self._throughputs, side="left") / len(rates) for rates in components]
        return np.asarray(1.0 - np.array(found) @ NODE_WEIGHTS, dtype=float)

    def _remember(self, rates: Floats, window: Window, shares: Floats) -> VirtualRecords:
        """Records what the prices choose for the window, and learns from the windows whose rates are now known."""
        if self._records is None:
            first_vms = 1.0 + float(np.searchsorted(self.belief.means, np.log(max(rates[-1], 1e-300))))
            paid = max(round(self.billing_steps / window.steps), 1)
            self._records = VirtualRecords(
                len(MIXTURES), self.day_steps / window.steps, first_vms, self.costs, paid
            )
        while self._pending and self._pending[0][0].stop <= len(rates):
            steps, choices = self._pending.pop(0)
            self._records.learn(choices, self._judge(rates[steps]))
        start = len(rates) + window.first - 1
        self._pending.append((slice(start, start + window.steps), self._records.choose(shares)))
        return self._records

    def _judge(self, rates: Floats) -> Floats:
        """The share of the steps with these rates that 1, 2, ... VMs do not serve, as far as is known."""
        logs = np.log(np.maximum(rates, 1e-300))
        distances = (logs - self.belief.means[:, None]) / self.belief.deviations[:, None]
        return np.asarray(ndtr(distances).mean(axis=1), dtype=float)

    def explain(self, chosen: PricedIntervals) -> list[VmReason]:
        """Returns the reason for each interval's VMs; `meets_target` in a reason is about all intervals together."""
        meets = chosen.mean_unserved <= 1.0 - self.qos_target
        rows = zip(chosen.median_rates, chosen.unserved, chosen.counts, strict=True)
        return [
            self._explain_interval(median, shares, int(vms), meets_target=meets)
            for median, shares, vms in rows
        ]

    def _explain_interval(
        self, median_rate: float, shares: Floats, vms: int, *, meets_target: bool
    ) -> VmReason:
        """Returns the reason for the VMs of one interval, whose steps have the expected unserved `shares` for every
        number.

        The reason splits the VMs in three: for the median rate and throughput, for uncertain throughput, and the rest.
        """
        z = float(ndtri(self.qos_target))
        reached = np.maximum.accumulate(np.exp(self.belief.means))
        for_mean = min(int(np.searchsorted(reached, median_rate, side="right")) + 1, vms)
        at_median = self.unserved_shares((np.array([median_rate]),))[0]
        enough = np.flatnonzero(at_median <= 1.0 - self.qos_target)
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
        saturated = np.flatnonzero(observed.saturated[start:end])
        most = saturated[0] if len(saturated) else np.argmax(observed.served_rates[start:end])
        vms, rate = int(observed.vms[start + most]), float(observed.served_rates[start + most])
        if len(saturated):
            self._learned_early = True
            if rate > 0:
                self.belief.learn_throughput(vms, rate)
        elif complete:
            self.belief.learn_bound(vms, rate)
