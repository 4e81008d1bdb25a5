"""Queues, reads, cancels and deletes backtests; the processes of app/jobs/workers compute them."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.orm import Session

from app.database.tables import BacktestRow, BacktestRunRow
from app.jobs.backtests import gathering
from app.jobs.backtests.answers import to_answer, to_parameters_answer, to_trace_answer
from app.jobs.backtests.gathering import gather_job
from app.jobs.backtests.schemas import (
    BacktestAnswer,
    BacktestJob,
    BacktestParametersAnswer,
    BacktestRequest,
    RunTraceAnswer,
)
from app.jobs.states import cancel_or_delete
from app.jobs.workers.backtest_worker import lengthen_schedule
from app.web.observability import time_planner
from app.web.problems.stored_data_errors import RunNotFinished, UnknownBacktest, UnknownRun
from planner.vms.backtest import Backtest, BacktestScore, find_target, summarise_scores
from planner.vms.misses import read_promise
from planner.vms.replay import replay_schedule
from planner.vms.sigma_policies import BY_NAME, HEADGATE
from planner.vms.timing import InvalidQosTarget, is_judgeable


def start_backtest(session: Session, body: BacktestRequest) -> BacktestAnswer:
    """Queues a backtest, and returns its state; a request that would certainly fail is refused."""
    job = gather_job(session, body)
    check_job(job)
    row = BacktestRow(id=uuid4(), request=job.model_dump(mode="json"))
    session.add(row)
    session.flush()
    return find_backtest(session, row.id)


def check_job(job: BacktestJob) -> None:
    """Raises the error with which the backtest would certainly end."""
    try:
        Backtest(job.to_setup())
    except InvalidQosTarget as error:
        name = "qos_target" if error.qos_target == job.qos_target else "headgate_qos_target"
        raise replace(error, pointer=f"/{name}") from error


def find_backtest(session: Session, backtest_id: UUID) -> BacktestAnswer:
    """Returns a backtest with the scores of its finished runs and their summary."""
    row, runs = gathering.find_backtest(session, backtest_id)
    parameters = to_parameters_answer(row)
    scores = [to_score(parameters, run) for run in runs]
    return to_answer(row, scores, summarise_scores(scores))


def to_score(parameters: BacktestParametersAnswer, run: Any) -> BacktestScore:
    """Returns a stored run as the planner's score of a run."""
    target = find_target(run.policy, parameters.qos_target, parameters.headgate_qos_target)
    return BacktestScore(
        run.policy,
        parameters.workload_name,
        parameters.app,
        run.seed,
        run.qos_percent,
        run.cost_to_truth,
        run.cost_to_static,
        run.max_backlog,
        target,
        is_judgeable(parameters.steps, parameters.step_seconds, target),
        None if run.promise is None else read_promise(run.promise),
    )


def end_backtest(session: Session, backtest_id: UUID) -> BacktestAnswer | None:
    """Cancels an unfinished backtest and returns it with its rows; deletes a finished one and returns None."""
    if cancel_or_delete(session, BacktestRow, backtest_id, UnknownBacktest):
        return find_backtest(session, backtest_id)
    return None


def trace_run(session: Session, backtest_id: UUID, policy: str | None, seed: int) -> RunTraceAnswer:
    """Returns every step of a finished run, recomputed from the run's stored schedule and seed."""
    row = session.get(BacktestRow, backtest_id)
    if row is None:
        raise UnknownBacktest(backtest_id)
    job = BacktestJob.model_validate(row.request)
    policy = _choose_policy(job, policy)
    if policy not in job.policies or not 0 <= seed < job.seeds:
        raise UnknownRun(policy, seed, tuple(job.policies), job.seeds)
    position = job.policies.index(policy) * job.seeds + seed
    stored = session.get(BacktestRunRow, (backtest_id, position))
    if stored is None:
        raise RunNotFinished(policy, seed, row.state)
    with time_planner("replay_schedule"):
        backtest = Backtest(job.to_setup())
        vms = lengthen_schedule(stored.schedule)
        run = replay_schedule(vms, backtest.rates, backtest.capacity, backtest.setup.timing, seed)
        truth = backtest.capacity.covering_vms(backtest.rates)
    return to_trace_answer(job, (policy, seed), backtest.rates, run, truth)


def _choose_policy(job: BacktestJob, policy: str | None) -> str:
    if policy is None:
        return HEADGATE if HEADGATE in job.policies else job.policies[0]
    return BY_NAME[policy].number if policy in BY_NAME else policy
