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
from planner.arrays import Floats
from planner.vms.backtest import BacktestScore, PolicySummary
from planner.vms.replay import ReplayedRun
from planner.wording import write_number


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
    from app.rendering import plots  # noqa: PLC0415  (matplotlib is loaded when the first picture is asked for)

    title = (
        f"{trace.policy} on {trace.workload}, {trace.app}, seed {trace.seed}: "
        f"QoS {write_number(trace.qos_percent, digits=4)}%, cost {write_number(trace.cost_to_truth)} × ground truth"
    )
    return plots.draw_run(
        plots.RunPicture(
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
