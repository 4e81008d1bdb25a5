"""How do the policies that choose VMs compare on the same workload, application and seeds?

A backtest has one row per policy and seed, and the means of each policy.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from operator import attrgetter
from statistics import fmean, stdev
from typing import Any

import numpy as np

from planner.arrays import Floats
from planner.vms.misses import RunPromise, judge_run
from planner.vms.price_policy import DEFAULT_QOS_TARGET, HeadgatePolicy
from planner.vms.replay import Capacity, ReplayedRun, interpolate_capacity, replay_policy, replay_schedule
from planner.vms.sigma_policies import (
    ALL_POLICIES,
    BASELINES,
    HEADGATE,
    STATIC_PEAK,
    TRUTH,
    SigmaPolicy,
    check_policy,
    find_policy,
)
from planner.vms.throughput import MstSample, fit_mst
from planner.vms.timing import (
    Timing,
    VmPolicy,
    check_max_vms,
    check_qos_target,
    check_timing,
    is_judgeable,
)
from planner.workloads.arma.fit import fit_arma_by_statsmodels
from planner.workloads.arma.models import ZERO_MEAN_ORDERS
from planner.workloads.likely_mixtures import LikelyMixtures
from planner.workloads.series import InvalidSchedule, check_forecastable
from planner.workloads.workload_forecast import ARMA_WINDOW, ArmaPeaks, choose_order, expect_last_rate

DEFAULT_TIMING = Timing()


@dataclass(frozen=True, slots=True)
class BacktestSetup:
    """The setup of a backtest; the defaults are the parameters of section V of Imai et al.

    All `samples` of measured throughputs judge a schedule; a policy learns only from the samples at `train_vms`. With a
    `scale_peak` of None the workload is not scaled, and its unit must then be the unit of the samples.
    """

    workload: str
    app: str
    rates: tuple[float, ...]
    samples: tuple[MstSample, ...]
    train_vms: tuple[int, ...] = (3, 4, 6, 8, 24)
    scale_peak: float | None = 32.0
    max_vms: int = 128
    timing: Timing = DEFAULT_TIMING
    qos_target: float = 0.95
    headgate_qos_target: float = DEFAULT_QOS_TARGET


@dataclass(frozen=True, slots=True)
class BacktestScore:
    """The score of one policy with one seed, and whether the policy kept its target.

    A baseline has no target, and so no answer to that. `qos_target` is a share. A run shorter than a week is not
    `judgeable`: chance decides whether its policy keeps the target. `promise` says how the target was kept;
    it is None for a run that was stored without it.
    """

    policy: str
    workload: str
    app: str
    seed: int
    qos_percent: float
    cost_to_truth: float
    cost_to_static: float
    max_backlog: float
    qos_target: float | None
    judgeable: bool
    kept: bool | None = field(init=False)
    promise: RunPromise | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kept", _keeps(self.qos_percent, self.qos_target))

    def to_row(self) -> dict[str, Any]:
        """Returns the fields of the score and of its promise as one row; those of a missing promise are None."""
        names = [one.name for one in fields(RunPromise)]
        promise = dict.fromkeys(names) if self.promise is None else self.promise.to_document()
        row = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "promise"}
        return row | promise


def _keeps(qos_percent: float, qos_target: float | None) -> bool | None:
    return None if qos_target is None else qos_percent >= 100.0 * qos_target


class Backtest:
    """A backtest made ready: scaled rates, samples to learn from and to judge by, and forecasts that all runs share."""

    def __init__(self, setup: BacktestSetup) -> None:
        self.setup = setup
        self.rates = scale_rates(setup)
        self.capacity: Capacity = interpolate_capacity(setup.samples, setup.max_vms)
        self.training = tuple(sample for sample in setup.samples if sample.vms in setup.train_vms)
        self.model = fit_mst(self.training)
        self._mixtures = LikelyMixtures(setup.timing.day_steps)

    @cached_property
    def peaks(self) -> ArmaPeaks:
        """The forecasts by an ARMA model that the policies share; the model has no mean, as in section IV-C of Imai et
        al.

        statsmodels chooses the order, as the authors did: the fit in planner.workloads.arma.fit finds higher
        likelihoods, so it may choose another order.
        """
        order = choose_order(self.rates[:ARMA_WINDOW], ZERO_MEAN_ORDERS, fit_arma_by_statsmodels)
        return ArmaPeaks(order, day_steps=self.setup.timing.day_steps)

    def run(self, policy: str, seed: int, on_interval: Callable[[int], None] | None = None) -> ReplayedRun:
        """Returns the replay of the workload under one policy or baseline with one seed."""
        timing = self.setup.timing
        if policy in {TRUTH, STATIC_PEAK}:
            needed = self.capacity.covering_vms(self.rates)
            vms = needed if policy == TRUTH else np.full(len(needed), needed.max())
            return replay_schedule(vms, self.rates, self.capacity, timing, seed)
        made = self.make_policy(policy)
        replay = partial(replay_policy, made, self.rates, self.capacity, timing, seed)
        return replay() if on_interval is None else replay(on_interval=on_interval)

    def judge(self, policy: str, run: ReplayedRun) -> RunPromise:
        """Returns how a run of the policy kept its target, and why it missed steps."""
        target = find_target(policy, self.setup.qos_target, self.setup.headgate_qos_target)
        return judge_run(run, self.rates, self.capacity, self.setup.timing, target)

    def make_policy(self, name: str) -> VmPolicy:
        """Returns a new policy of this name, which knows the samples to learn from and nothing of the workload."""
        if name == HEADGATE:
            target = self.setup.headgate_qos_target
            return HeadgatePolicy(
                self.training, self._mixtures, self.capacity.max_vms, target, timing=self.setup.timing
            )
        known = find_policy(name)
        return SigmaPolicy(
            self.model,
            self.training,
            self.peaks if known.forecasting else expect_last_rate,
            uncertain_model=known.uncertain_model,
            learning=known.learning,
            max_vms=self.capacity.max_vms,
            qos_target=self.setup.qos_target,
        )


def scale_rates(setup: BacktestSetup) -> Floats:
    """Returns the rates scaled so that the highest is `scale_peak` (Imai et al., section V-A2).

    Raises an error if the setup cannot be replayed.
    """
    check_timing(setup.timing)
    check_max_vms(setup.max_vms)
    check_qos_target(setup.qos_target)
    check_qos_target(setup.headgate_qos_target)
    rates = np.array(setup.rates, dtype=float)
    check_forecastable(rates, ARMA_WINDOW)
    if setup.scale_peak is None:
        return rates
    if not setup.scale_peak > 0:
        raise InvalidSchedule(
            f"scale_peak is {setup.scale_peak:.6g}: give a highest rate above 0.", "/scale_peak"
        )
    return rates * (setup.scale_peak / float(rates.max()))


def run_backtest(
    setup: BacktestSetup,
    policies: Sequence[str] = ALL_POLICIES,
    seeds: int = 5,
    on_interval: Callable[[int], None] | None = None,
) -> Iterator[BacktestScore]:
    """Yields one score for each policy and seed, as soon as it is computed; the same setup gives the same scores."""
    for policy in policies:
        check_policy(policy)
    backtest = Backtest(setup)
    for policy in policies:
        for seed in range(seeds):
            run = backtest.run(policy, seed, on_interval)
            target = find_target(policy, setup.qos_target, setup.headgate_qos_target)
            judgeable = is_judgeable(len(setup.rates), setup.timing.step_seconds, target)
            names = (policy, setup.workload, setup.app, seed)
            yield BacktestScore(*names, *run.score, target, judgeable, backtest.judge(policy, run))


@dataclass(frozen=True, slots=True)
class PolicySummary:
    """The means of one policy's scores over all seeds, and their standard deviations (n − 1), which are None for one
    seed.

    A baseline has no target.
    """

    policy: str
    seeds: int
    qos_target_percent: float | None
    meets_target: bool | None
    qos_percent: float
    qos_percent_deviation: float | None
    cost_to_truth: float
    cost_to_truth_deviation: float | None
    cost_to_static: float
    cost_to_static_deviation: float | None
    max_backlog: float
    max_backlog_deviation: float | None


def summarise_scores(scores: Sequence[BacktestScore]) -> list[PolicySummary]:
    """Returns one summary for each policy, in the order in which the policies first appear in the scores."""
    by_policy: dict[str, list[BacktestScore]] = {}
    for score in scores:
        by_policy.setdefault(score.policy, []).append(score)
    return [summarise_policy(policy, group) for policy, group in by_policy.items()]


def summarise_policy(policy: str, group: Sequence[BacktestScore]) -> PolicySummary:
    """Returns the means and deviations of the scores in `group`, which are all of the one policy."""
    qos, truth, static, backlog = (
        _average(list(map(attrgetter(measure), group)))
        for measure in ("qos_percent", "cost_to_truth", "cost_to_static", "max_backlog")
    )
    target = group[0].qos_target
    target_percent = None if target is None else 100.0 * target
    return PolicySummary(
        policy, len(group), target_percent, _keeps(qos[0], target), *qos, *truth, *static, *backlog
    )


def find_target(policy: str, qos_target: float, headgate_qos_target: float) -> float | None:
    """Returns the QoS target that a policy of this name follows; None for a baseline."""
    if policy in BASELINES:
        return None
    return headgate_qos_target if policy == HEADGATE else qos_target


def _average(values: Sequence[float]) -> tuple[float, float | None]:
    return fmean(values), stdev(values) if len(values) > 1 else None
