"""How often does Headgate's own policy keep its target, and at what cost?

    make bench BENCH=promise                                        four targets on generated workloads
    python -m benchmarks.promise gen02,taxi sol,wc 99.5 17          some workloads, applications, targets; a seed

Runs of a week on generated workloads and on those of the folder that HEADGATE_WORKLOADS names, with four applications.
A run keeps its target if it serves at most 0.1 points less. The cost is compared with the cheapest constant price,
found by hindsight, that serves as much. Policy 7 of Imai et al. has the same workloads; Headgate is then told to serve
what policy 7 served, and their costs are compared at equal service: each in proportion to the cheapest constant price
that serves what it served.
"""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: our matrices are small

import numpy as np

from benchmarks.promise_workloads import list_workloads, make_apps
from planner.arrays import Floats
from planner.vms.price_policy import HeadgatePolicy
from planner.vms.replay import Capacity, interpolate_capacity, replay_policy
from planner.vms.sigma_policies import SigmaPolicy
from planner.vms.throughput import MstSample, fit_mst
from planner.vms.timing import Belief, Observed, Timing, VmPolicy
from planner.workloads.arma.fit import fit_arma_by_statsmodels
from planner.workloads.arma.models import ZERO_MEAN_ORDERS
from planner.workloads.likely_mixtures import MIXTURES, LikelyMixtures
from planner.workloads.series import Window
from planner.workloads.workload_forecast import ARMA_WINDOW, ArmaPeaks, choose_order
from tests.planner.imai import TRAIN_VMS

TARGETS = (0.95, 0.98, 0.9875, 0.995)
TOLERANCE, ORDERED = 0.1, 0.05
HINDSIGHT_PRICES = np.exp(np.linspace(np.log(6.0), np.log(3e4), 17))
HINDSIGHT_MIXTURES = (0, 2)
NEEDED_AT_PEAK, MOST_VMS = 48, 128
HIGHEST_TARGET = 0.9999


class ConstantPrice(HeadgatePolicy):
    """The same policy at one price, and by one mixture, for ever."""

    def __init__(
        self, samples: Sequence[MstSample], likely: LikelyMixtures, price: float, mixture: int
    ) -> None:
        super().__init__(samples, likely, MOST_VMS)
        self.constant, self.weights = price, MIXTURES[mixture]

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """Returns the VMs of the coming interval."""
        self._learn_capacity(observed, window.steps)
        used = self.weights > 0.0
        components = [
            one for one, use in zip(self.likely_rates(observed.rates, window), used, strict=True) if use
        ]
        shares = self.weights[used] @ self.unserved_shares(tuple(components))
        return int(np.argmin(np.arange(1.0, MOST_VMS + 1.0) + self.constant * shares)) + 1

    def believe(self, vms: int) -> Belief:
        """Nothing: its misses have no causes."""
        return Belief(float(vms))


@dataclass(frozen=True, slots=True)
class Run:
    """The percentage that a replay served, and the VMs of all steps."""

    served: float
    vms: float


@dataclass(frozen=True)
class Case:
    """A workload with an application, and the forecasts that all replays share."""

    rates: Floats
    capacity: Capacity
    training: tuple[MstSample, ...]
    likely: LikelyMixtures
    peaks: ArmaPeaks
    timing: Timing

    def replay(self, policy: VmPolicy) -> Run:
        """The replay of a policy."""
        run = replay_policy(policy, self.rates, self.capacity, self.timing, 0)
        return Run(run.score.qos_percent, float(run.vms.sum()))

    def run(self, target: float) -> Run:
        """The replay of Headgate's own policy with this target."""
        return self.replay(HeadgatePolicy(self.training, self.likely, MOST_VMS, target, timing=self.timing))

    def run_policy_7(self) -> Run:
        """The replay of the policy of Imai et al. with all three of its techniques."""
        terms = {"uncertain_model": True, "learning": True}
        model = fit_mst(self.training)
        policy = SigmaPolicy(model, self.training, self.peaks, max_vms=MOST_VMS, qos_target=0.95, **terms)
        return self.replay(policy)

    def find_hindsight(self) -> list[list[Run]]:
        """The replays of constant prices, a list for each mixture."""
        return [
            [
                self.replay(ConstantPrice(self.training, self.likely, float(price), mixture))
                for price in HINDSIGHT_PRICES
            ]
            for mixture in HINDSIGHT_MIXTURES
        ]


def least_cost(hindsight: list[list[Run]], served: float) -> float:
    """The VMs of the cheapest constant price that serves so much, between two prices on a line; inf: none does."""
    found = [np.inf]
    for runs in hindsight:
        shares, vms = np.array(sorted((one.served, one.vms) for one in runs)).T
        cheapest = np.minimum.accumulate(vms[::-1])[::-1]
        if served <= shares[-1]:
            found.append(float(np.interp(served, shares, cheapest)))
    return min(found)


def make_case(
    rates: Floats, samples: Sequence[MstSample], likely: LikelyMixtures, peaks: ArmaPeaks, timing: Timing
) -> Case:
    """The application, scaled so that it needs 48 VMs at the peak of the rates."""
    peak = float(interpolate_capacity(samples, MOST_VMS).means[NEEDED_AT_PEAK - 1])
    own = [MstSample(sample.vms, sample.throughput / peak) for sample in samples]
    training = tuple(sample for sample in own if sample.vms in TRAIN_VMS)
    return Case(rates, interpolate_capacity(own, MOST_VMS), training, likely, peaks, timing)


@dataclass(frozen=True, slots=True)
class Judged:
    """How one case went: by target what was served and the cost to the best constant price (nan: none serves so much),
    and the cost beside policy 7 (nan likewise).
    """

    served: dict[float, float]
    costs: dict[float, float]
    beside: float
    seconds: float


def judge_case(case: Case, targets: Sequence[float]) -> Judged:
    """Replays a case."""
    hindsight = case.find_hindsight()

    def cost(run: Run) -> float:
        best = least_cost(hindsight, run.served)
        return run.vms / best if best < np.inf else np.nan

    case.run(targets[0])  # the forecasts are then known to every replay
    began = time.process_time()
    runs = {target: case.run(target) for target in targets}
    seconds = (time.process_time() - began) / len(targets)
    other = case.run_policy_7()
    same = case.run(min(other.served / 100.0, HIGHEST_TARGET))
    return Judged(
        {target: run.served for target, run in runs.items()},
        {target: cost(run) for target, run in runs.items()},
        cost(same) / cost(other),
        seconds,
    )


def print_case(name: str, app: str, judged: Judged) -> None:
    """Prints one line: what was served and its cost for each target, and the cost beside policy 7."""
    cells = [
        f"{judged.served[target]:7.2f}{'' if is_kept(judged, target) else '!':1}{judged.costs[target]:6.3f}"
        for target in judged.served
    ]
    print(f"{name:36} {app:6}{' '.join(cells)}  beside 7 {judged.beside:6.3f}", flush=True)


def is_kept(judged: Judged, target: float) -> bool:
    return judged.served[target] >= 100.0 * target - TOLERANCE


def print_table(cases: Sequence[Judged], targets: Sequence[float]) -> None:
    """Prints for each target the share of runs kept and the cost, and the cost beside policy 7."""
    print(f"\n{'target':>8}{'runs':>6}{'kept':>8}{'cost to the best constant price':>34}{'worst':>8}")
    for target in targets:
        known = np.array([one.costs[target] for one in cases])
        kept = np.mean([is_kept(one, target) for one in cases])
        mean, worst = np.exp(np.nanmean(np.log(known))), np.nanmax(known)
        print(f"{100 * target:8g}{len(cases):6}{kept:8.1%}{mean:34.3f}{worst:8.2f}")
    kept = np.mean([is_kept(one, target) for one in cases for target in targets])
    beside = np.array([one.beside for one in cases])
    drops = [
        a - b for one in cases for a, b in zip(one.served.values(), [*one.served.values()][1:], strict=False)
    ]
    seconds = np.mean([one.seconds for one in cases])
    print(f"kept of all: {kept:.1%}; {seconds:.2f} s a replay, without its forecasts")
    print(
        f"a higher target serves less by more than {ORDERED} points: "
        f"{np.sum(np.array(drops) > ORDERED)} of {len(drops)}"
    )
    known = beside[np.isfinite(beside)]
    print(
        f"cost beside policy 7 at equal service: {np.exp(np.log(known).mean()):.3f} in the mean, at most "
        f"{known.max():.3f}, above 1.08 in {np.mean(known > 1.08):.0%} of {len(known)}"
    )


def main(
    names: Sequence[str] = (),
    apps: Sequence[str] = (),
    targets: Sequence[float] = TARGETS,
    seeds: Sequence[int] = (0,),
) -> None:
    """Replays the workloads whose names contain one of `names`, and prints a line for each case and a table."""
    cases = []
    for name, rates, step in list_workloads(seeds):
        if names and not any(part in name for part in names):
            continue
        timing = Timing(step_seconds=step)
        scaled = rates / rates.max()
        order = choose_order(scaled[:ARMA_WINDOW], ZERO_MEAN_ORDERS, fit_arma_by_statsmodels)
        peaks, likely = ArmaPeaks(order, day_steps=timing.day_steps), LikelyMixtures(timing.day_steps)
        for app, samples in make_apps().items():
            if not apps or app in apps:
                cases.append(judge_case(make_case(scaled, samples, likely, peaks, timing), targets))
                print_case(name, app, cases[-1])
    print_table(cases, targets)


if __name__ == "__main__":
    sent = [one.split(",") if one else [] for one in sys.argv[1:]] + [[], [], [], []]
    main(
        sent[0],
        sent[1],
        [float(one) / 100.0 for one in sent[2]] or TARGETS,
        [int(one) for one in sent[3]] or (0,),
    )
