"""What a backtest looks like from outside: its state in a sentence, its rows, their means and deviations."""

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from app.backtests.schemas import (
    BacktestAnswer,
    BacktestError,
    BacktestParameters,
    BacktestRequest,
    BacktestRun,
    BacktestState,
    PolicySummary,
)
from app.described.answers import DiagnosticAnswer
from planner.vms.sigma_policies import BASELINES, HEADGATE

MEASURES = ("qos_percent", "cost_to_truth", "cost_to_static", "max_backlog")


def to_state(row: Any, runs: int) -> BacktestState:
    """Of a row without its workload and samples, and the number of its runs."""
    parameters = BacktestParameters.model_validate(row.request | {"steps": row.steps})
    return BacktestState(
        id=row.id,
        state=row.state,
        progress=row.progress,
        activity=describe_activity(row.state, parameters, runs),
        parameters=parameters,
        error=BacktestError.model_validate(row.error) if row.error else None,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def describe_activity(state: str, parameters: BacktestParameters, done: int) -> str:
    """What is going on, for a person."""
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


def to_answer(row: Any, runs: Sequence[Any]) -> BacktestAnswer:
    """The state with the rows so far."""
    state = to_state(row, len(runs))
    rows = [to_run(state.parameters, run) for run in runs]
    return BacktestAnswer(
        **state.model_dump(),
        rows=rows,
        summary=summarise_runs(rows, state.parameters),
        diagnostics=[DiagnosticAnswer.model_validate(one) for one in row.request["diagnostics"]],
    )


def to_run(parameters: BacktestParameters, run: Any) -> BacktestRun:
    """A run as on the command line."""
    return BacktestRun(
        policy=run.policy,
        workload=parameters.workload_name,
        app=parameters.app,
        seed=run.seed,
        **{measure: getattr(run, measure) for measure in MEASURES},
    )


def summarise_runs(
    rows: Sequence[BacktestRun], asked: BacktestParameters | BacktestRequest
) -> list[PolicySummary]:
    """Per policy, in the order of the runs."""
    by_policy: dict[str, list[BacktestRun]] = {}
    for row in rows:
        by_policy.setdefault(row.policy, []).append(row)
    return [summarise_policy(policy, group, asked) for policy, group in by_policy.items()]


def summarise_policy(
    policy: str, group: Sequence[BacktestRun], asked: BacktestParameters | BacktestRequest
) -> PolicySummary:
    """Means and deviations of one policy's runs, beside what it was to serve."""
    numbers: dict[str, float | None] = {}
    for measure in MEASURES:
        values = [getattr(row, measure) for row in group]
        numbers[measure] = fmean(values)
        numbers[f"{measure}_deviation"] = stdev(values) if len(values) > 1 else None
    target = find_target_percent(policy, asked)
    return PolicySummary.model_validate(
        {
            "policy": policy,
            "seeds": len(group),
            "qos_target_percent": target,
            "meets_target": None if target is None else (numbers["qos_percent"] or 0.0) >= target,
            **numbers,
        }
    )


def find_target_percent(policy: str, asked: BacktestParameters | BacktestRequest) -> float | None:
    """What a policy is to serve; a baseline has no target."""
    if policy in BASELINES:
        return None
    return 100.0 * (asked.headgate_qos_target if policy == HEADGATE else asked.qos_target)
