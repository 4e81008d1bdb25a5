"""The replay of a workload under a policy, step by step, with its score (Imai et al., section V-A).

The same seed gives the same replay. A policy sees only what had been observed when it decides.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.arrays import Floats
from planner.vms.timing import Observed, Timing, VmPolicy, check_timing
from planner.vms.true_capacity import Capacity
from planner.workloads.window import Window


@dataclass(frozen=True, slots=True)
class Score:
    """Equations 22 to 24, and the largest backlog, in rate × seconds."""

    qos_percent: float
    cost_to_truth: float
    cost_to_static: float
    max_backlog: float


@dataclass(frozen=True, slots=True)
class ReplayedRun:
    """Every step of a replayed schedule, and its score."""

    vms: Floats
    throughputs: Floats
    backlogs: Floats
    score: Score


class Replay:
    """The steps of one run as they are filled in; each interval has one standard normal deviate of its own."""

    def __init__(self, rates: Floats, capacity: Capacity, timing: Timing, seed: int) -> None:
        check_timing(timing)
        self.rates, self.capacity, self.timing = np.array(rates, dtype=float), capacity, timing
        intervals = -(-len(rates) // timing.interval_steps)
        self.deviates = np.random.default_rng(seed).standard_normal(intervals)
        self.vms, self.throughputs, self.backlogs, self.served, self.saturated = np.zeros((5, len(rates)))

    def observed_until(self, steps: int, served_steps: int) -> Observed:
        """What the first steps have shown; read-only, so that no policy changes it."""
        served = (self.vms, self.served, self.saturated)
        columns = [self.rates[:steps], *(column[:served_steps] for column in served)]
        for column in columns:
            column.flags.writeable = False
        return Observed(*columns)

    def serve(self, start: int, end: int, vms: int) -> None:
        """Run steps start..end − 1 of one interval; what a step cannot serve waits for the next step."""
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
        """The run with its score."""
        truth = self.capacity.covering_vms(self.rates)
        score = Score(
            qos_percent=100.0 * float(np.mean(self.throughputs > self.rates)),
            cost_to_truth=float(self.vms.sum() / truth.sum()),
            cost_to_static=float(self.vms.sum() / (len(self.rates) * truth.max())),
            max_backlog=float(self.backlogs.max()),
        )
        return ReplayedRun(self.vms, self.throughputs, self.backlogs, score)


def _ignore_interval(_: int) -> None:
    """The default of `on_interval`: do nothing."""


def replay_policy(
    policy: VmPolicy,
    rates: Floats,
    capacity: Capacity,
    timing: Timing,
    seed: int,
    *,
    on_interval: Callable[[int], None] = _ignore_interval,
) -> ReplayedRun:
    """Schedule the whole workload by a policy; `on_interval` is called after each interval, and may raise to stop.

    The first interval is decided on its own first step, since nothing was seen or ran before it.
    """
    replay = Replay(rates, capacity, timing, seed)
    interval, startup = timing.interval_steps, timing.startup_steps
    running = 0
    for start in range(0, len(rates), interval):
        end = min(start + interval, len(rates))
        lead = 0 if policy.reactive or start == 0 else startup
        observed = replay.observed_until(start - lead + 1, min(start - lead + 1, start))
        wanted = policy.decide_vms(observed, Window(max(lead, 1), lead + interval - 1))
        vms = min(max(wanted, 1), capacity.max_vms)
        ready = min(start + startup, end) if policy.reactive and 0 < running < vms else start
        if ready > start:
            replay.serve(start, ready, running)
        if end > ready:
            replay.serve(ready, end, vms)
        running = vms
        on_interval(start // interval)
    return replay.finish()


def replay_schedule(vms: Floats, rates: Floats, capacity: Capacity, timing: Timing, seed: int) -> ReplayedRun:
    """The replay of VMs that are given for every step, as the two baselines are."""
    replay = Replay(rates, capacity, timing, seed)
    for step, count in enumerate(vms):
        replay.serve(step, step + 1, int(count))
    return replay.finish()
