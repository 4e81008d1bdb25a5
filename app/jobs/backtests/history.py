"""Reads stored backtests and their runs."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Select, func, select
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.orm import Session

from app.database.tables import BacktestRow, BacktestRunRow
from app.jobs.answers import State
from app.jobs.backtests.answers import to_state_answer
from app.jobs.backtests.schemas import BacktestPage
from app.web.paging import Page
from app.web.stored_data_errors import UnknownBacktest


def find_backtest(session: Session, backtest_id: UUID) -> tuple[Any, Sequence[Any]]:
    """The row of a backtest, and its runs in the order of their positions."""
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
    return row, runs


def list_backtests(session: Session, page: Page, state: State | None) -> BacktestPage:
    """A page of backtests, newest first."""
    query = _without_series()
    if state is not None:
        query = query.where(BacktestRow.state == state)
    rows, following = page.read_rows(
        session.execute, query, BacktestRow.created_at, BacktestRow.id, newest_first=True
    )
    return BacktestPage(items=[to_state_answer(row, row.runs) for row in rows], next=following)


def _without_series() -> Select[Any]:
    """Workload and samples may be long: only the number of steps is read of them."""
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
