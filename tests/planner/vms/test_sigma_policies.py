"""The paper's policies: the smallest m that holds, each by its switches, none by looking ahead."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from planner.arrays import Floats
from planner.vms.backtest import Backtest, BacktestSetup
from planner.vms.replay import replay_policy
from planner.vms.sigma_policies import ALL_POLICIES, SigmaPolicy, SigmaRule, find_policy, saturated_samples
from planner.vms.throughput import MstSample, fit_mst
from planner.vms.timing import InvalidQosTarget, Observed, Timing, UnknownVmPolicy
from planner.workloads.workload_forecast import ArmaPeaks, PeakLoad, expect_last_rate
from tests.planner.imai import mst_samples, training_samples, worldcup_week


@given(
    rate=st.floats(0.0, 40.0),
    deviation=st.floats(0.01, 8.0),
    sigma_share=st.sampled_from([0.0, 1.0]),
    qos_target=st.floats(0.5, 0.999),
)
def test_the_rule_takes_the_fewest_vms_that_hold_with_the_target_probability(
    rate: float, deviation: float, sigma_share: float, qos_target: float
) -> None:
    model = fit_mst(training_samples("grep"))
    sigma = model.sigma * sigma_share
    rule, load = SigmaRule(model, sigma, 60, qos_target), PeakLoad(rate, deviation)
    margins = model.throughput_at(np.arange(1.0, 61.0)) - rate
    holds = norm.cdf(margins / np.hypot(sigma, deviation))
    brute = next((m for m, probability in enumerate(holds, 1) if probability > qos_target), 60)
    reason = rule.explain(load)
    assert abs(rule.decide(load) - brute) <= (abs(holds[brute - 2] - qos_target) < 1e-9)
    assert reason.probability == pytest.approx(holds[reason.vms - 1], abs=1e-12)
    assert reason.vms_for_mean + reason.vms_for_model + reason.vms_for_forecast == reason.vms
    assert min(reason.vms_for_mean, reason.vms_for_model, reason.vms_for_forecast) >= 0
    if reason.covered_rate > 0:
        # What it covers is the rate that it holds against with just the target's probability.
        assert rate <= reason.covered_rate + 1e-9 or not reason.meets_target


def test_at_one_half_uncertainty_costs_nothing() -> None:
    model = fit_mst(training_samples("grep"))
    certain, uncertain = (SigmaRule(model, sigma, 128, 0.5) for sigma in (0.0, 3.0))
    assert certain.decide(PeakLoad(9.0, 0.0)) == uncertain.decide(PeakLoad(9.0, 5.0))


def test_each_policy_is_its_row_of_table_3() -> None:
    switches = {
        number: (policy.uncertain_model, policy.learning, policy.forecasting)
        for number, policy in ((str(n), find_policy(str(n))) for n in range(8))
    }
    assert switches == {str(n): (bool(n & 1), bool(n & 2), bool(n & 4)) for n in range(8)}
    assert find_policy("mst+ua+ol;arma") is find_policy("7")
    with pytest.raises(UnknownVmPolicy, match="headgate"):
        find_policy("magic")


@pytest.mark.parametrize("qos_target", [0.49, 1.0, -1.0, float("nan")])
def test_a_target_outside_one_half_to_one_is_refused(qos_target: float) -> None:
    samples = training_samples("grep")
    with pytest.raises(InvalidQosTarget):
        SigmaPolicy(
            fit_mst(samples),
            samples,
            expect_last_rate,
            uncertain_model=True,
            learning=False,
            max_vms=9,
            qos_target=qos_target,
        )


def test_one_sample_is_learned_per_saturated_run() -> None:
    def column(*values: float) -> Floats:
        return np.array(values)

    observed = Observed(
        rates=column(5, 9, 9, 4, 9, 9),
        vms=column(2, 2, 2, 2, 3, 3),
        served_rates=column(5, 7, 7, 7, 8, 8),
        saturated=column(0, 1, 1, 0, 1, 1),
    )
    assert saturated_samples(observed, 0, None) == [MstSample(2, 7.0), MstSample(3, 8.0)]
    # What was learned at the last decision is not learned again while its interval goes on.
    assert saturated_samples(observed, 5, MstSample(3, 8.0)) == []


@pytest.fixture(scope="module")
def backtests() -> tuple[Backtest, Backtest]:
    """Two of one setup, each with forecasts of its own: one for the workload as it is, one for the altered one."""
    setup = BacktestSetup("week", "grep", tuple(worldcup_week()[400:1400]), mst_samples("grep"))
    one, other = Backtest(setup), Backtest(setup)
    other.peaks = ArmaPeaks(one.peaks.order)  # what it would choose too, in a second and a half
    return one, other


@pytest.mark.parametrize(
    ("policy", "timing"),
    [*((policy, Timing()) for policy in ALL_POLICIES), *((one, Timing(25, 60)) for one in ("3", "headgate"))],
)
def test_no_policy_looks_ahead(backtests: tuple[Backtest, Backtest], policy: str, timing: Timing) -> None:
    """Altering everything that a decision cannot have seen leaves all decisions up to it as they were."""
    cut, (one, other) = 700, backtests
    made = one.make_policy(policy)
    seen = cut + 1 if made.reactive else cut - timing.startup_steps + 1
    altered = one.rates.copy()
    altered[seen:] = 31.0 - altered[seen:][::-1]
    before = replay_policy(made, one.rates, one.capacity, timing, 3).vms
    after = replay_policy(other.make_policy(policy), altered, one.capacity, timing, 3).vms
    decided = cut + timing.interval_steps
    assert (before[:decided] == after[:decided]).all()
    assert (before != after).any()
