"""The plot of `headgate backtest --plot`: workload and throughput, VMs and backlog (Imai et al., figure 10)."""

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from planner.vms.backtest import Backtest
from planner.vms.sigma_policies import BASELINES

HOUR_SECONDS = 3600.0


def plot_backtest(backtest: Backtest, policies: tuple[str, ...], seed: int, path: Path) -> None:
    """Three panels over the hours, with the baselines beside the policies; equal backtests give equal files."""
    setup = backtest.setup
    hours = np.arange(len(backtest.rates)) * setup.timing.step_seconds / HOUR_SECONDS
    drawn = [*policies, *(baseline for baseline in BASELINES if baseline not in policies)]
    runs = {policy: backtest.run(policy, seed) for policy in drawn}
    with mpl.rc_context({"svg.hashsalt": "headgate", "svg.fonttype": "path"}):
        figure = Figure(figsize=(11.0, 9.0), layout="constrained")
        rates, vms, backlog = figure.subplots(3, 1, sharex=True)
        rates.plot(hours, backtest.rates, color="black", linewidth=0.6, label="workload")
        for policy, run in runs.items():
            dashed = "--" if policy in BASELINES else "-"
            if policy not in BASELINES:
                rates.plot(hours, run.throughputs, linewidth=0.6, label=f"throughput, {policy}")
                backlog.plot(hours, run.backlogs, linewidth=0.8, label=policy)
            vms.plot(hours, run.vms, dashed, linewidth=0.7, label=policy)
        rates.set(ylabel="rate", title=f"{setup.app} on {setup.workload}, seed {seed}")
        vms.set(ylabel="VMs")
        backlog.set(ylabel="backlog, rate × seconds", xlabel="hours")
        for panel in (rates, vms, backlog):
            panel.legend(loc="upper right", fontsize="small")
            panel.margins(x=0)
        figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)
