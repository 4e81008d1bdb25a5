"""Means and standard deviations of a backtest's scores, per policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import fmean, stdev

from planner.vms.backtest import BacktestScore
from planner.vms.sigma_policies import BASELINES, HEADGATE


@dataclass(frozen=True, slots=True)
class PolicySummary:
    """The means over the seeds of one policy, with deviations (n − 1); those are None where there is one seed.

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


def summarise_scores(
    scores: Sequence[BacktestScore], qos_target: float, headgate_qos_target: float
) -> list[PolicySummary]:
    """One summary per policy, in the order of the scores."""
    by_policy: dict[str, list[BacktestScore]] = {}
    for score in scores:
        by_policy.setdefault(score.policy, []).append(score)
    return [
        summarise_policy(policy, group, find_target(policy, qos_target, headgate_qos_target))
        for policy, group in by_policy.items()
    ]


def summarise_policy(policy: str, group: Sequence[BacktestScore], target: float | None) -> PolicySummary:
    """The scores of one policy; `target` is its QoS target as a share."""
    qos, truth, static, backlog = (
        _average(list(map(attrgetter(measure), group)))
        for measure in ("qos_percent", "cost_to_truth", "cost_to_static", "max_backlog")
    )
    target_percent = None if target is None else 100.0 * target
    meets_target = None if target_percent is None else qos[0] >= target_percent
    return PolicySummary(policy, len(group), target_percent, meets_target, *qos, *truth, *static, *backlog)


def find_target(policy: str, qos_target: float, headgate_qos_target: float) -> float | None:
    """The QoS target of a policy; None for a baseline."""
    if policy in BASELINES:
        return None
    return headgate_qos_target if policy == HEADGATE else qos_target


def _average(values: Sequence[float]) -> tuple[float, float | None]:
    return fmean(values), stdev(values) if len(values) > 1 else None
