"""Comparisons of policies: the same rows from the same setup, and the published figures beside ours."""

from dataclasses import replace

import pytest

from planner.vms.backtest import Backtest, BacktestSetup, run_backtest
from planner.vms.sigma_policies import ALL_POLICIES
from planner.vms.timing import InvalidQosTarget, TooFewMstSamples, UnknownVmPolicy
from planner.workloads.series import ConstantWorkload, InvalidSchedule, WorkloadTooShort
from tests.planner.imai import figures, mst_samples, worldcup_week

SETUP = BacktestSetup("worldcup", "grep", tuple(worldcup_week()), mst_samples("grep"))
SHORT = replace(SETUP, rates=SETUP.rates[:600])


def test_the_same_setup_gives_the_same_rows_and_another_seed_others() -> None:
    policies = ("2", "7", "headgate")
    first, second = (list(run_backtest(SHORT, policies, seeds=2)) for _ in range(2))
    assert first == second
    assert [(row.policy, row.seed) for row in first] == [(p, s) for p in policies for s in range(2)]
    # A policy's rows do not depend on which others ran before it.
    assert list(run_backtest(SHORT, ("headgate",), seeds=1)) == [first[4]]


def test_policy_0_piles_up_what_the_paper_says() -> None:
    (row,) = run_backtest(SETUP, ("0",), seeds=1)
    printed = figures()["policy_0_grep_backlog_gbytes"]["value"] * 1000.0
    assert row.max_backlog == pytest.approx(printed, rel=0.05)


def test_more_is_known_the_better_is_served() -> None:
    qos = {row.policy: row.qos_percent for row in run_backtest(SETUP, ALL_POLICIES[:8], seeds=1)}
    assert qos["0"] < qos["1"] < qos["5"]
    assert qos["0"] < qos["4"] < qos["5"]
    assert qos["0"] < qos["2"] < qos["3"] < qos["7"]


def test_the_baselines_are_what_costs_are_measured_in() -> None:
    truth, static = run_backtest(SHORT, ("ground-truth", "static-peak"), seeds=1)
    assert truth.cost_to_truth == 1.0
    assert static.cost_to_static == 1.0
    assert static.qos_percent > 99.0


def test_the_workload_is_scaled_to_its_peak_or_left_alone() -> None:
    assert Backtest(SHORT).rates.max() == pytest.approx(32.0)
    assert tuple(Backtest(replace(SHORT, scale_peak=None)).rates) == SHORT.rates


def test_a_run_can_be_watched_and_stopped() -> None:
    seen: list[int] = []

    def stop(interval: int) -> None:
        seen.append(interval)
        if interval == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        list(run_backtest(SHORT, ("0",), seeds=1, on_interval=stop))
    assert seen == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("setup", "problem"),
    [
        (replace(SETUP, rates=SETUP.rates[:99]), WorkloadTooShort),
        (replace(SETUP, rates=(2.0,) * 500), ConstantWorkload),
        (replace(SETUP, scale_peak=0.0), InvalidSchedule),
        (replace(SETUP, max_vms=0), InvalidSchedule),
        (replace(SETUP, train_vms=(5, 99)), TooFewMstSamples),
        (replace(SETUP, qos_target=1.5), InvalidQosTarget),
    ],
)
def test_a_setup_that_cannot_be_run_says_why(setup: BacktestSetup, problem: type[Exception]) -> None:
    with pytest.raises(problem):
        next(run_backtest(setup))


def test_unknown_policies_are_refused_before_anything_is_computed() -> None:
    with pytest.raises(UnknownVmPolicy):
        next(run_backtest(SETUP, ("0", "8")))
