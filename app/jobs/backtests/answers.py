"""Turns backtests into JSON and into pictures."""

from collections.abc import Sequence
from typing import Any

from app.jobs.backtests.schemas import (
    BacktestAnswer,
    BacktestJob,
    BacktestParametersAnswer,
    BacktestRunAnswer,
    BacktestSummaryAnswer,
    PolicySummaryAnswer,
    RunTraceAnswer,
)
from app.jobs.states import read_state
from app.load.bodies.answers import DiagnosticAnswer
from app.rendering.charts import SOLID, Chart, Line, Panel, draw_chart
from app.rendering.picture_files import write_picture
from app.rendering.picture_shapes import BLACK, BLUE, GREEN, ORANGE, QUIET, RED, Ink, Key, Picture
from planner.arrays import Floats
from planner.vms.backtest import Backtest, BacktestScore, PolicySummary
from planner.vms.replay import ReplayedRun
from planner.vms.sigma_policies import BASELINES
from planner.wording import write_number

CAPACITY, MISSED = Ink(stroke=ORANGE, width=1.2), Ink(stroke=RED, width=1.8)
COLOURS = (BLUE, ORANGE, GREEN, RED, "#CC79A7", "#56B4E9", "#7A5C00", "#6A3D9A", BLACK, QUIET, "#8C8C8C")
"""A colour for each policy and baseline."""
HOUR_SECONDS = 3600.0


def to_parameters_answer(row: Any) -> BacktestParametersAnswer:
    """Returns the parameters of a backtest, from a database row without workload and samples."""
    return BacktestParametersAnswer.model_validate(row.request | {"steps": row.steps})


def to_state_answer(row: Any, runs: int) -> BacktestSummaryAnswer:
    """Returns the state of a backtest of which `runs` runs are finished."""
    parameters = to_parameters_answer(row)
    return BacktestSummaryAnswer(
        **read_state(row),
        activity=describe_activity(row.state, parameters, runs),
        parameters=parameters,
    )


def describe_activity(state: str, parameters: BacktestParametersAnswer, done: int) -> str:
    """Says in a sentence what a backtest does, of which `done` runs are finished."""
    total = len(parameters.policies) * parameters.seeds
    so_far = f"{done} of {total} runs are done"
    if state == "queued":
        return f"Waiting for its turn; {so_far}." if done else "Waiting for its turn."
    if state != "running":
        return {
            "succeeded": f"All {total} runs are done.",
            "failed": f"Failed; {so_far}.",
            "cancelled": f"Cancelled; {so_far}.",
        }[state]
    if done == total:
        return f"{so_far}; finishing."
    policy, seed = parameters.policies[done // parameters.seeds], done % parameters.seeds
    return f"{so_far}; policy {policy} with seed {seed} is running."


def to_answer(row: Any, scores: Sequence[BacktestScore], summary: Sequence[PolicySummary]) -> BacktestAnswer:
    """Returns the state of a backtest, with the scores of its finished runs and their summary."""
    return BacktestAnswer(
        **to_state_answer(row, len(scores)).model_dump(),
        rows=[BacktestRunAnswer.model_validate(score.to_row()) for score in scores],
        summary=[PolicySummaryAnswer.model_validate(one) for one in summary],
        diagnostics=[DiagnosticAnswer.model_validate(one) for one in row.request["diagnostics"]],
    )


def to_trace_answer(
    job: BacktestJob, chosen: tuple[str, int], rates: Floats, run: ReplayedRun, truth_vms: Floats
) -> RunTraceAnswer:
    """Returns every step of a replayed run; `chosen` is the policy and the seed of the run."""
    policy, seed = chosen
    return RunTraceAnswer(
        policy=policy,
        workload=job.workload_name,
        app=job.app,
        seed=seed,
        qos_percent=run.score.qos_percent,
        cost_to_truth=run.score.cost_to_truth,
        start_at=job.start_at,
        step_seconds=job.step_seconds,
        workload_rates=rates.tolist(),
        capacities=run.throughputs.tolist(),
        vms=run.vms.astype(int).tolist(),
        truth_vms=truth_vms.astype(int).tolist(),
        backlogs=run.backlogs.tolist(),
    )


def draw_trace(trace: RunTraceAnswer, form: str) -> bytes:
    """Draws the steps of a backtest run as PNG or SVG."""
    title = (
        f"{trace.policy} on {trace.workload}, {trace.app}, seed {trace.seed}: "
        f"QoS {write_number(trace.qos_percent, digits=4)}%, cost {write_number(trace.cost_to_truth)} × ground truth"
    )
    rates, capacities = trace.workload_rates, trace.capacities
    over = [rate if rate >= most else None for rate, most in zip(rates, capacities, strict=True)]
    waiting = [Line("waiting", trace.backlogs, MISSED, is_step=True)] if any(trace.backlogs) else []
    panels = [
        Panel(
            "Rate",
            [
                Line("capacity", capacities, CAPACITY, is_step=True),
                Line("workload", rates, SOLID, is_step=True),
                Line("above capacity", over, MISSED, is_step=True),
            ],
        ),
        Panel(
            "VMs",
            [
                Line("ground truth", trace.truth_vms, Ink(stroke=QUIET), is_step=True),
                Line("scheduled", trace.vms, SOLID, is_step=True),
            ],
            is_whole=True,
        ),
        Panel("Backlog, rate × s", waiting, keys=[] if waiting else [Key("nothing ever waited")]),
    ]
    begin = trace.start_at.timestamp()
    times = [begin + step * trace.step_seconds for step in range(len(rates))]
    return write_picture(draw_chart(Chart(title, [], times, panels, "UTC", description=title)), form)


def draw_backtest(backtest: Backtest, policies: Sequence[str], seed: int) -> Picture:
    """Draws the policies and the baselines of a backtest over its hours: rates, VMs and backlogs."""
    setup = backtest.setup
    shown = [*policies, *(baseline for baseline in BASELINES if baseline not in policies)]
    rates, vms, backlogs = [Line("workload", backtest.rates.tolist(), Ink(stroke=BLACK))], [], []
    for place, policy in enumerate(shown):
        run, is_baseline = backtest.run(policy, seed), policy in BASELINES
        ink = Ink(stroke=COLOURS[place % len(COLOURS)], dash=(6.0, 3.0) if is_baseline else ())
        vms.append(Line(policy, run.vms.tolist(), ink, is_step=True))
        if not is_baseline:
            rates.append(Line(f"throughput, {policy}", run.throughputs.tolist(), ink))
            backlogs.append(Line(policy, run.backlogs.tolist(), ink))
    hours = [step * setup.timing.step_seconds / HOUR_SECONDS for step in range(len(backtest.rates))]
    panels = [
        Panel("Rate", rates),
        Panel("VMs", vms, is_whole=True),
        Panel("Backlog, rate × s", backlogs),
    ]
    title = f"{setup.app} on {setup.workload}, seed {seed}"
    return draw_chart(Chart(title, [], hours, panels, "hours", is_time=False, description=title))
