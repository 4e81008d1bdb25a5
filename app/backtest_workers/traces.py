"""Schedules as they are stored, and the runs that they stand for."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from app.backtests.schemas import Job, RunTrace
from app.serving.observability import time_planner
from planner.arrays import Floats
from planner.vms.backtest import Backtest
from planner.vms.replay import replay_schedule


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
        qos_percent=run.score.qos_percent,
        cost_to_truth=run.score.cost_to_truth,
        start_at=job.start_at,
        step_seconds=job.step_seconds,
        workload_rates=backtest.rates.tolist(),
        capacities=run.throughputs.tolist(),
        vms=vms.astype(int).tolist(),
        truth_vms=backtest.capacity.covering_vms(backtest.rates).astype(int).tolist(),
        backlogs=run.backlogs.tolist(),
    )


def draw_trace(trace: RunTrace, form: str) -> bytes:
    """As a picture."""
    from app.drawing import pictures  # noqa: PLC0415  (matplotlib is loaded when the first picture is asked for)

    title = (
        f"{trace.policy} on {trace.workload}, {trace.app}, seed {trace.seed}: "
        f"QoS {trace.qos_percent:.2f}%, cost {trace.cost_to_truth:.3f} × ground truth"
    )
    return pictures.draw_run(
        pictures.RunPicture(
            title,
            trace.start_at,
            trace.step_seconds,
            trace.workload_rates,
            trace.capacities,
            trace.vms,
            trace.truth_vms,
            trace.backlogs,
        ),
        form,
    )
