"""Our own policy: its outlook is honest about its errors, its price follows its record, its schedule is cheap."""

import numpy as np
import pytest
from scipy.signal import lfilter

from planner.arrays import Floats
from planner.vms.backtest import BacktestSetup, run_backtest
from planner.vms.price_policy import HeadgatePolicy
from planner.vms.throughput import MstSample
from planner.vms.timing import Observed
from planner.workloads.rate_distribution import Outlook, Outlooks
from planner.workloads.window import Window
from tests.planner.imai import figures, mst_samples, training_samples, worldcup_week


def daily_rates(days: int, seed: int) -> Floats:
    """A daily rhythm with noise that keeps for an hour, three times as wild by day."""
    generator = np.random.default_rng(seed)
    time = np.arange(days * 1440) / 1440
    rhythm = np.sin(2 * np.pi * time)
    noise = generator.standard_normal(len(time)) * np.where(rhythm > 0, 0.03, 0.01)
    return np.asarray(100.0 * np.exp(0.5 * rhythm + lfilter([1.0], [1.0, -0.9], noise)))


def test_rates_exceed_the_outlook_s_quantiles_as_often_as_these_say() -> None:
    rates, outlook = daily_rates(5, 7), Outlook(Window(2, 11))
    exceeded = []
    for last in range(8, len(rates) - 12, 10):
        cloud = outlook.rates_ahead(rates[: last + 1])
        if last > 1440:
            ahead = rates[last + 2 : last + 12]
            exceeded.append([(ahead > np.quantile(cloud, q)).mean() for q in (0.5, 0.9, 0.99)])
    assert np.mean(exceeded, axis=0) == pytest.approx([0.5, 0.1, 0.01], abs=0.02, rel=0.25)


def test_the_outlook_is_wider_where_the_same_hours_were_wilder_before() -> None:
    """Seen from an hour that is as calm as any: only the days before tell what is about to begin."""
    generator = np.random.default_rng(8)
    minute = np.arange(5 * 1440) % 1440
    noise = generator.standard_normal(len(minute)) * np.where((minute >= 300) & (minute < 420), 0.2, 0.01)
    rates, outlook = 100.0 * np.exp(noise), Outlook(Window(2, 11))

    def width(last: int) -> float:
        cloud = outlook.rates_ahead(rates[: last + 1])
        return float(np.log(np.quantile(cloud, 0.95) / np.quantile(cloud, 0.05)))

    before_the_wild_hours = width(4 * 1440 + 299)
    in_calm_hours = width(4 * 1440 + 900)
    assert before_the_wild_hours > 1.5 * in_calm_hours


def test_a_single_drop_out_does_not_send_the_vms_away() -> None:
    rates = daily_rates(2, 9)
    rates[-1] *= 0.05
    cloud = Outlook(Window(2, 11)).rates_ahead(rates)
    assert np.median(cloud) > 0.8 * rates[-2]


@pytest.mark.parametrize(
    "rates", [np.zeros(300), np.full(300, 4.0), np.array([0.0, 5.0] * 150), np.array([3.0])]
)
def test_odd_workloads_still_have_an_outlook(rates: Floats) -> None:
    cloud = Outlook(Window(2, 11)).rates_ahead(rates)
    assert np.isfinite(cloud).all()
    assert (np.diff(cloud) >= 0).all()
    assert cloud[0] >= 0


def observe(vms: list[int], served: list[float], saturated: list[int]) -> Observed:
    return Observed(np.array(served), np.array(vms, float), np.array(served), np.array(saturated, float))


def make_policy() -> HeadgatePolicy:
    return HeadgatePolicy(training_samples("grep"), Outlooks(), 128)


def test_unserved_steps_raise_the_price_and_served_ones_lower_it() -> None:
    policy = make_policy()
    served = policy.price(observe([4] * 100, [2.0] * 100, [0] * 100), 10)
    missed = policy.price(observe([4] * 100, [2.0] * 100, [0] * 90 + [1] * 10), 10)
    longer = policy.price(observe([4] * 1000, [2.0] * 1000, [0] * 1000), 10)
    assert longer < served < missed


def test_a_busy_interval_that_held_makes_its_vms_more_trusted() -> None:
    policy, window = make_policy(), Window(2, 11)
    before = policy.belief.means[47]
    policy.decide_vms(observe([48] * 10, [38.0] * 10, [0] * 10), window)
    held = policy.belief.means[47]
    policy.decide_vms(observe([48] * 20, [38.0] * 10 + [25.0] * 10, [0] * 10 + [1] * 10), window)
    assert policy.belief.means[47] < before < held


def test_a_saturated_interval_is_learned_once() -> None:
    policy, window = make_policy(), Window(2, 11)
    policy.decide_vms(observe([48] * 9, [25.0] * 9, [1] * 9), window)
    once = policy.belief.means.copy()
    policy.decide_vms(observe([48] * 10, [25.0] * 10, [1] * 10), window)
    assert (policy.belief.means == once).all()


@pytest.mark.parametrize("app", ["grep", "rcount"])
def test_on_the_paper_s_week_it_serves_what_the_paper_s_best_does_for_much_less(app: str) -> None:
    """No week or application that the constants were chosen on: those were two others, and the simple benchmarks."""
    peak = figures()["table_2_peaks"][app]
    setup = BacktestSetup("worldcup", app, tuple(worldcup_week()), mst_samples(app), scale_peak=peak)
    rows = {row.policy: row for row in run_backtest(setup, ("7", "headgate"), seeds=1)}
    assert rows["headgate"].qos_percent > 97.5
    assert rows["headgate"].cost_to_truth < 0.85 * rows["7"].cost_to_truth


def test_an_application_that_does_not_scale_gets_one_vm() -> None:
    samples = tuple(
        MstSample(m, 60.0 * float(np.exp(x)))
        for m in (1, 2, 3, 4, 6, 8, 24)
        for x in np.random.default_rng(m).normal(0.0, 0.02, 6)
    )
    setup = BacktestSetup("worldcup", "flat", tuple(worldcup_week()[:2880]), samples, scale_peak=40.0)
    (row,) = run_backtest(setup, ("headgate",), seeds=1)
    assert row.qos_percent == 100.0
    assert row.cost_to_truth < 1.02
