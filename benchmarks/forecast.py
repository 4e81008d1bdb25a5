"""Bands of rates; VM schedules for the World Cup week of Imai et al.: processor time, cost and quality of service."""

import os
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: our matrices are small

import numpy as np

from benchmarks.forecast_peers import compare_bands
from planner.arrays import Floats
from planner.vms.backtest import Backtest, BacktestSetup
from planner.vms.replay import Capacity, ReplayedRun
from planner.vms.sigma_policies import ALL_POLICIES, BASELINES
from planner.workloads.arma.fit import Fit, fit_arma, fit_arma_by_squares, fit_arma_by_statsmodels
from planner.workloads.arma.models import ArmaOrder
from planner.workloads.series import Window
from planner.workloads.workload_forecast import ArmaPeaks
from tests.planner.imai import mst_samples, worldcup_week

APPS = {"grep": 32.0, "rcount": 10.0}
SEEDS = 5
DECISIONS = range(500, 9500, 300)
ORDER, AHEAD = ArmaOrder(1, 2), Window(2, 11)


def compare_fits() -> None:
    """Prints the time of the same decisions with three fits, and how far the covered rates are from the reference."""
    rates = worldcup_week() * (32.0 / worldcup_week().max())

    def follow(fit: Fit) -> tuple[float, Floats]:
        peaks, seconds, covered = ArmaPeaks(ORDER, fit), 0.0, []
        for now in DECISIONS:
            if fit is not fit_arma_by_statsmodels:
                # A warm start is one decision old, as in a schedule; the reference has no use for one.
                peaks(rates[: now - 10], AHEAD)
            began = time.process_time()
            load = peaks(rates[:now], AHEAD)
            seconds += time.process_time() - began
            covered.append(load.rate + 1.645 * load.deviation)
        return seconds, np.array(covered)

    reference, exact = follow(fit_arma_by_statsmodels)
    print(f"{'fit at a decision':34} {'ms':>8} {'times faster':>13} {'off by, median':>15} {'90%':>7}")
    for name, fit in (
        ("statsmodels, from scratch", fit_arma_by_statsmodels),
        ("exact likelihood, warm (ours)", fit_arma),
        ("conditional squares, warm", fit_arma_by_squares),
    ):
        seconds, covered = follow(fit)
        off = np.abs(covered / exact - 1.0)
        print(
            f"{name:34} {seconds / len(DECISIONS) * 1e3:8.2f} {reference / seconds:13.1f} "
            f"{np.median(off):15.2%} {np.quantile(off, 0.9):7.2%}"
        )


def make_backtest(app: str) -> Backtest:
    return Backtest(
        BacktestSetup("worldcup", app, tuple(worldcup_week()), mst_samples(app), scale_peak=APPS[app])
    )


def judge_one_vm_short(backtest: Backtest, run: ReplayedRun, seed: int) -> float:
    """The quality of service as the authors' simulator computes it, which gives each allocation one VM less."""
    vms = np.maximum(run.vms - 1.0, 1.0).astype(int)
    capacity: Capacity = backtest.capacity
    intervals = -(-len(vms) // backtest.setup.timing.interval_steps)
    deviates = np.repeat(np.random.default_rng(seed).standard_normal(intervals), 10)[: len(vms)]
    throughputs = capacity.means[vms - 1] + deviates * capacity.deviations[vms - 1]
    return 100.0 * float(np.mean(throughputs > backtest.rates))


def print_table() -> None:
    """Means over seeds, and the time that a policy takes for the 1,008 decisions of a week."""
    print(f"\n{'app':8}{'policy':14}{'QoS %':>8}{'±':>6}{'one VM short':>14}{'to truth':>10}{'±':>7}", end="")
    print(f"{'to static':>11}{'backlog':>10}{'seconds':>9}")
    for app in APPS:
        backtest = make_backtest(app)
        for policy in (*ALL_POLICIES, *BASELINES):
            began = time.process_time()
            runs = [backtest.run(policy, 0)]
            seconds = time.process_time() - began
            runs += [backtest.run(policy, seed) for seed in range(1, SEEDS)]
            qos, cost = (
                [getattr(run.score, name) for run in runs] for name in ("qos_percent", "cost_to_truth")
            )
            short = np.mean([judge_one_vm_short(backtest, run, seed) for seed, run in enumerate(runs)])
            static = np.mean([run.score.cost_to_static for run in runs])
            backlog = max(run.score.max_backlog for run in runs)
            print(
                f"{app:8}{policy:14}{np.mean(qos):8.2f}{np.std(qos, ddof=1):6.2f}{short:14.2f}{np.mean(cost):10.3f}"
                f"{np.std(cost, ddof=1):7.3f}{static:11.3f}{backlog:10.0f}{seconds:9.2f}"
            )


def main() -> None:
    compare_bands()
    compare_fits()
    print_table()


if __name__ == "__main__":
    main()
