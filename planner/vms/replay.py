"""How would a policy have served a past workload, step by step? (Imai et al., section V-A)

The same seed gives the same replay. A policy sees only the values that were known at the time of its decision. The true
capacity judges every schedule, and no policy sees it: it is Normal, and interpolated between the measured numbers of
VMs (section V-A3).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.vms.paid_vms import PaidVms, keep_paid
from planner.vms.throughput import MstSample
from planner.vms.timing import (
    Belief,
    InvalidMstSamples,
    Observed,
    SteeredPrice,
    Timing,
    VmPolicy,
    check_timing,
)
from planner.workloads.series import Window


@dataclass(frozen=True, slots=True)
class Capacity:
    """The true throughput of every number m of VMs: Normal with mean means[m − 1] and standard deviation deviations[m −
    1].
    """

    means: Floats
    deviations: Floats

    @property
    def max_vms(self) -> int:
        """The largest number of VMs whose throughput is known."""
        return len(self.means)

    def throughput_of(self, vms: int, deviate: float) -> float:
        """Returns the throughput of `vms` VMs in an interval for which the standard normal number `deviate` was drawn.

        The throughput is at least 0.
        """
        return max(float(self.means[vms - 1] + deviate * self.deviations[vms - 1]), 0.0)

    def covering_vms(self, rates: Floats) -> Floats:
        """Returns for each rate the fewest VMs with a mean throughput above it.

        If no VMs have such a throughput, the answer is the number of VMs with the highest mean.
        """
        # τ(m) need not rise with m: the running maximum shows the fewest VMs that reach a rate.
        reached = np.maximum.accumulate(self.means)
        best = int(np.argmax(self.means))
        return np.minimum(np.searchsorted(reached, rates, side="right"), best) + 1.0


def interpolate_capacity(samples: Sequence[MstSample], max_vms: int) -> Capacity:
    """The throughputs of up to `max_vms` VMs: means and variances (n − 1) of samples, interpolated between them."""
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
            "No number of VMs has two samples, so the variance of throughput is unknown: measure one number twice."
        )
    variances = np.array([np.var(by_vms[int(vms)], ddof=1) for vms in repeated])
    vms = np.arange(1.0, min(max_vms, int(measured[-1])) + 1.0)
    return Capacity(np.interp(vms, measured, means), np.sqrt(np.interp(vms, repeated, variances)))


class Score(NamedTuple):
    """The score of a replayed schedule.

    `qos_percent` is the percentage of served steps, the costs compare its VMs with the least VMs that would have done
    at each step (`cost_to_truth`) and with the most of these at all steps (`cost_to_static`): eqs. 22 to 24 of Imai et
    al. `max_backlog` is the largest backlog in rate × seconds.
    """

    qos_percent: float
    cost_to_truth: float
    cost_to_static: float
    max_backlog: float


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """The VMs, throughput and backlog at every step of a replayed schedule, and the score of the schedule.

    `believed` is the mean throughput that the policy believed its VMs have, `expected_missed` the share of missed steps
    that it expected, both NaN where it said nothing; `last_price` is the price of its last decision, `hourly_price`
    what the VMs cost in the mean, where their sizes have prices.
    """

    vms: Floats
    throughputs: Floats
    backlogs: Floats
    score: Score
    believed: Floats
    expected_missed: Floats
    last_price: SteeredPrice | None = None
    hourly_price: float | None = None


class Replay:
    """A replay of one workload, filled in step by step; each interval draws one throughput at random."""

    def __init__(self, rates: Floats, capacity: Capacity, timing: Timing, seed: int) -> None:
        check_timing(timing)
        self.rates, self.capacity, self.timing = np.array(rates, dtype=float), capacity, timing
        intervals = -(-len(rates) // timing.interval_steps)
        self.deviates = np.random.default_rng(seed).standard_normal(intervals)
        self.vms, self.throughputs, self.backlogs, self.served, self.saturated = np.zeros((5, len(rates)))
        self.prices = np.zeros(len(rates))
        self.believed, self.expected_missed = np.full((2, len(rates)), np.nan)
        self.last_price: SteeredPrice | None = None
        self.paid = PaidVms(timing.billing_steps, timing.prices)

    def observed_until(self, steps: int, served_steps: int) -> Observed:
        """The first `steps` rates and the first `served_steps` served steps of the replay, which cannot be changed."""
        known = self.rates[:steps]
        vms, served, saturated = (column[:served_steps] for column in (self.vms, self.served, self.saturated))
        for column in (known, vms, served, saturated):
            column.flags.writeable = False
        return Observed(known, vms, served, saturated, self.paid.remaining(steps))

    def keep(self, start: int, end: int, vms: int) -> None:
        """Serves with `vms` VMs from `start` to `end` − 1, and with those more that are still paid for."""
        for begin, until, running, price in self.paid.follow(start, end, vms):
            self.serve(begin, until, min(running, self.capacity.max_vms))
            self.prices[begin:until] = price

    def note(self, start: int, end: int, belief: Belief) -> None:
        """Keeps what the policy believed of the steps from `start` to `end` − 1."""
        self.believed[start:end] = belief.throughput
        self.expected_missed[start:end] = np.nan if belief.missed is None else belief.missed
        self.last_price = belief.price

    def serve(self, start: int, end: int, vms: int) -> None:
        """Serves the steps from `start` to `end` − 1 of one interval with `vms` VMs; unserved work waits for the next
        step.
        """
        seconds = self.timing.step_seconds
        deviate = float(self.deviates[start // self.timing.interval_steps])
        throughput = self.capacity.throughput_of(vms, deviate)
        backlog = float(self.backlogs[start - 1]) if start else 0.0
        for step in range(start, end):
            offered = float(self.rates[step])
            left = backlog + (offered - throughput) * seconds
            self.served[step] = throughput if left > 0 else offered + backlog / seconds
            self.saturated[step] = offered >= throughput
            backlog = max(left, 0.0)
            self.backlogs[step] = backlog
        self.vms[start:end] = vms
        self.throughputs[start:end] = throughput

    def finish(self) -> ReplayedRun:
        """Returns every step of the replay with the score of its schedule."""
        needed, terms = (
            self.capacity.covering_vms(self.rates),
            (self.timing.billing_steps, self.timing.prices),
        )
        _, truth = keep_paid(needed, *terms)
        _, static = keep_paid(np.full(1, needed.max()), *terms)
        score = Score(
            qos_percent=100.0 * float(np.mean(self.throughputs > self.rates)),
            cost_to_truth=_divide(self.prices.sum(), truth.sum()),
            cost_to_static=_divide(self.prices.mean(), static[0]),
            max_backlog=float(self.backlogs.max()),
        )
        return ReplayedRun(
            self.vms,
            self.throughputs,
            self.backlogs,
            score,
            self.believed,
            self.expected_missed,
            self.last_price,
            None if self.timing.prices is None else float(self.prices.mean()),
        )


def _divide(paid: float, other: float) -> float:
    """How many times the `other` cost is paid; 1 where both are nothing."""
    return float(paid / other) if other > 0.0 else 1.0


def _ignore_interval(_: int) -> None:
    """Does nothing after an interval; this is the default of `on_interval`."""


def replay_policy(
    policy: VmPolicy,
    rates: Floats,
    capacity: Capacity,
    timing: Timing,
    seed: int,
    *,
    on_interval: Callable[[int], None] = _ignore_interval,
) -> ReplayedRun:
    """Returns the replay of a workload whose VMs a policy chooses.

    `on_interval` is called after each interval, and may raise an error to end the replay. The first interval is decided
    on the rate of its own first step, because there is no observation before it; so are the intervals that begin before
    a VM can have started.
    """
    replay = Replay(rates, capacity, timing, seed)
    interval, fleet = timing.interval_steps, StartingVms(timing.startup_steps)
    for start in range(0, len(rates), interval):
        end = min(start + interval, len(rates))
        lead = 0 if policy.reactive else min(timing.lead_steps, start)
        observed = replay.observed_until(start - lead + 1, min(start - lead + 1, start))
        wanted = policy.decide_vms(observed, Window(max(lead, 1), max(lead + interval - 1, 1)))
        vms = min(max(wanted, 1), capacity.max_vms)
        if policy.reactive:
            for begin, until, running in fleet.follow(start, end, vms, len(replay.paid.remaining(start))):
                replay.keep(begin, until, running)
        else:
            replay.keep(start, end, vms)
        replay.note(start, end, policy.believe(vms))
        on_interval(start // interval)
    return replay.finish()


class StartingVms:
    """The VMs of a policy that asks for them only when it needs them, so that they start late."""

    def __init__(self, startup_steps: int) -> None:
        self.startup_steps = startup_steps
        self._ready: list[int] = []
        self._wanted = 0

    def follow(self, start: int, end: int, wanted: int, paid: int) -> list[tuple[int, int, int]]:
        """Asks for `wanted` VMs at the step `start`, and returns how many run until `end`: first step, end and VMs.

        VMs that are no longer wanted go at once, those that are still starting first, unless they are `paid` for. The
        very first are there already.
        """
        asked = start + self.startup_steps if self._ready else start
        there = self._ready[: max(self._wanted, paid)]
        self._ready, self._wanted = (there + [asked] * (wanted - len(there)))[: max(wanted, paid)], wanted
        changes = sorted({start, end, *(at for at in self._ready if start < at < end)})
        return [
            (begin, until, min(sum(at <= begin for at in self._ready), wanted))
            for begin, until in pairwise(changes)
        ]


def replay_schedule(vms: Floats, rates: Floats, capacity: Capacity, timing: Timing, seed: int) -> ReplayedRun:
    """Returns the replay of a workload with given VMs at every step, such as the VMs of one of the two baselines.

    VMs that are still paid for stay.
    """
    replay = Replay(rates, capacity, timing, seed)
    for step, count in enumerate(vms):
        replay.keep(step, step + 1, int(count))
    return replay.finish()
