"""A new backtest is queued, and its runs are deleted with it."""

from uuid import uuid4

import pytest
from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import BacktestRow, BacktestRunRow


def test_a_new_backtest_is_queued_and_takes_its_runs_with_it(session: Session):
    asked = BacktestRow(id=uuid4(), request={})
    session.add(asked)
    session.flush()
    session.refresh(asked)
    assert (asked.state, asked.progress, asked.attempts) == ("queued", 0.0, 0)
    scores = {"qos_percent": 99.0, "cost_to_truth": 1.0, "cost_to_static": 0.5, "max_backlog": 0.0}
    session.add(
        BacktestRunRow(
            backtest_id=asked.id, position=0, policy="threshold", seed=0, schedule=[[3, 1]], **scores
        )
    )
    session.flush()
    session.execute(delete(BacktestRow).where(BacktestRow.id == asked.id))
    assert session.scalar(select(func.count()).select_from(BacktestRunRow)) == 0


def test_an_unknown_state_is_refused(session: Session):
    session.add(BacktestRow(id=uuid4(), request={}, state="lost"))
    with pytest.raises(IntegrityError, match="ck_backtests_state"):
        session.flush()
