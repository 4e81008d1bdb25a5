"""Summaries of scores: means and deviations per policy, and the target that each policy has."""

import math

import numpy as np
import pytest

from planner.vms.backtest import BacktestScore, find_target, summarise_scores


def score(policy: str, seed: int, qos: float, cost: float = 1.0) -> BacktestScore:
    costs = (cost, cost / 2.0, 10.0 * cost)
    return BacktestScore(
        policy, "week", "grep", seed, qos, *costs, find_target(policy, 0.95, 0.9875), judgeable=True
    )


def test_means_and_deviations_are_those_of_numpy():
    qos, costs = np.array([93.0, 97.5, 96.0]), np.array([1.2, 1.1, 1.4])
    scores = [score("0", seed, q, c) for seed, (q, c) in enumerate(zip(qos, costs, strict=True))]
    (one,) = summarise_scores(scores)
    assert (one.qos_percent, one.qos_percent_deviation) == pytest.approx((qos.mean(), qos.std(ddof=1)))
    for found, factor in (
        ((one.cost_to_truth, one.cost_to_truth_deviation), 1.0),
        ((one.cost_to_static, one.cost_to_static_deviation), 0.5),
        ((one.max_backlog, one.max_backlog_deviation), 10.0),
    ):
        assert found == pytest.approx((factor * costs.mean(), factor * costs.std(ddof=1)))


def test_one_seed_has_no_deviation():
    (one,) = summarise_scores([score("0", 0, 96.0)])
    assert (one.seeds, one.qos_percent_deviation, one.max_backlog_deviation) == (1, None, None)


def test_policies_keep_the_order_of_their_first_scores_and_do_not_mix():
    scores = [score("headgate", 0, 90.0), score("0", 0, 80.0), score("headgate", 1, 100.0)]
    found = summarise_scores(scores)
    assert [(one.policy, one.seeds, one.qos_percent) for one in found] == [
        ("headgate", 2, 95.0),
        ("0", 1, 80.0),
    ]


@pytest.mark.parametrize(
    ("policy", "target", "meets"),
    [
        ("0", 95.0, True),
        ("headgate", 98.75, False),
        ("ground-truth", None, None),
        ("static-peak", None, None),
    ],
)
def test_a_policy_is_measured_by_its_own_target(policy: str, target: float | None, *, meets: bool | None):
    run = score(policy, 0, 95.0)
    (one,) = summarise_scores([run])
    assert (one.qos_target_percent, one.meets_target) == (target, meets)
    assert run.kept is meets
    assert target is None if run.qos_target is None else math.isclose(100.0 * run.qos_target, target or 0.0)
