"""Takes backtests in; shows, cancels and deletes them. `worker.py` computes them."""

from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import Session

from app.backtest_workers.traces import retrace_run
from app.backtests.answers import to_answer, to_state
from app.backtests.gathering import to_job
from app.backtests.schemas import BacktestAnswer, BacktestPage, BacktestRequest, Job, RunTrace, State
from app.http.pages import Page
from app.storage.storage_errors import RunNotFinished, UnknownBacktest, UnknownRun
from app.tables import BacktestRow, BacktestRunRow
from planner.vms.sigma_policies import BY_NAME, HEADGATE

UNFINISHED = ("queued", "running")


def create_backtest(session: Session, body: BacktestRequest) -> BacktestAnswer:
    """Queues it, unless it is seen at once that it cannot end well."""
    row = BacktestRow(id=uuid4(), request=to_job(session, body).model_dump(mode="json"))
    session.add(row)
    session.flush()
    return find_backtest(session, row.id)


def find_backtest(session: Session, backtest_id: UUID) -> BacktestAnswer:
    """A backtest with its rows so far."""
    row = session.execute(_without_series().where(BacktestRow.id == backtest_id)).one_or_none()
    if row is None:
        raise UnknownBacktest(backtest_id)
    runs = session.execute(
        select(
            BacktestRunRow.policy,
            BacktestRunRow.seed,
            BacktestRunRow.qos_percent,
            BacktestRunRow.cost_to_truth,
            BacktestRunRow.cost_to_static,
            BacktestRunRow.max_backlog,
        )
        .where(BacktestRunRow.backtest_id == backtest_id)
        .order_by(BacktestRunRow.position)
    ).all()
    return to_answer(row, runs)


def list_backtests(session: Session, page: Page, state: State | None) -> BacktestPage:
    """Newest first."""
    query = _without_series()
    if state is not None:
        query = query.where(BacktestRow.state == state)
    rows, following = page.read_rows(
        session.execute, query, BacktestRow.created_at, BacktestRow.id, newest_first=True
    )
    return BacktestPage(items=[to_state(row, row.runs) for row in rows], next=following)


def cancel_or_delete(session: Session, backtest_id: UUID) -> BacktestAnswer | None:
    """Cancels what is not finished, which keeps its rows; deletes what is, and then answers None."""
    of_id = BacktestRow.id == backtest_id
    state = session.scalar(select(BacktestRow.state).where(of_id).with_for_update())
    if state is None:
        raise UnknownBacktest(backtest_id)
    if state not in UNFINISHED:
        session.execute(delete(BacktestRow).where(of_id))
        return None
    session.execute(update(BacktestRow).where(of_id).values(state="cancelled", finished_at=func.now()))
    return find_backtest(session, backtest_id)


def trace_run(session: Session, backtest_id: UUID, policy: str | None, seed: int) -> RunTrace:
    """Every step of a run that is done: its schedule is stored, the rest follows from the seed."""
    row = session.get(BacktestRow, backtest_id)
    if row is None:
        raise UnknownBacktest(backtest_id)
    job = Job.model_validate(row.request)
    policy = _choose_policy(job, policy)
    if policy not in job.policies or not 0 <= seed < job.seeds:
        raise UnknownRun(policy, seed, tuple(job.policies), job.seeds)
    position = job.policies.index(policy) * job.seeds + seed
    run = session.get(BacktestRunRow, (backtest_id, position))
    if run is None:
        raise RunNotFinished(policy, seed, row.state)
    return retrace_run(job, policy, seed, run.schedule)


def _choose_policy(job: Job, policy: str | None) -> str:
    if policy is None:
        return HEADGATE if HEADGATE in job.policies else job.policies[0]
    return BY_NAME[policy].number if policy in BY_NAME else policy


def _without_series() -> Select[Any]:
    """The rows of backtests, but of workload and samples only the lengths: they may be long."""
    request = BacktestRow.request
    runs = select(func.count()).where(BacktestRunRow.backtest_id == BacktestRow.id).scalar_subquery()
    return select(
        BacktestRow.id,
        BacktestRow.state,
        BacktestRow.progress,
        BacktestRow.error,
        BacktestRow.created_at,
        BacktestRow.started_at,
        BacktestRow.finished_at,
        request.op("-", return_type=request.type)(array(["rates", "samples"])).label("request"),
        func.jsonb_array_length(request["rates"]).label("steps"),
        runs.label("runs"),
    )
