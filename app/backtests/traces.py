"""Schedules as they are stored, and the runs that they stand for."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from app.backtests.schemas import Job, RunTrace
from app.observability import time_planner
from planner.backtest import Backtest
from planner.mst import Floats
from planner.replay import replay_schedule


def shorten_schedule(vms: Floats) -> list[list[int]]:
    """[steps, VMs] for every stretch on the same VMs."""
    return [[len(list(stretch)), int(count)] for count, stretch in groupby(vms.tolist())]


def lengthen_schedule(stretches: Sequence[Sequence[int]]) -> Floats:
    """The VMs of every step."""
    steps, vms = zip(*stretches, strict=True)
    return np.repeat(np.array(vms, dtype=float), steps)


def retrace_run(job: Job, policy: str, seed: int, schedule: Sequence[Sequence[int]]) -> RunTrace:
    """Every step again: the schedule is stored, and throughputs and backlogs follow from it and the seed."""
    with time_planner("replay_schedule"):
        backtest = Backtest(job.to_setup())
        vms = lengthen_schedule(schedule)
        run = replay_schedule(vms, backtest.rates, backtest.capacity, backtest.setup.timing, seed)
    return RunTrace(
        policy=policy,
        workload=job.workload_name,
        app=job.app,
        seed=seed,
        start_at=job.start_at,
        step_seconds=job.step_seconds,
        workload_rates=backtest.rates.tolist(),
        capacities=run.throughputs.tolist(),
        vms=vms.astype(int).tolist(),
        backlogs=run.backlogs.tolist(),
    )
