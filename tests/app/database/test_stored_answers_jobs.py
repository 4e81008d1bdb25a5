"""DELETE of a job: what is not finished is cancelled and kept, what is finished goes."""

from uuid import uuid4

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.database.tables import SimulationRow
from app.jobs.states import cancel_or_delete
from app.web.problems.stored_data_errors import UnknownBacktest


@pytest.mark.usefixtures("service")
def test_the_first_call_cancels_and_the_second_deletes(session: Session):
    job = SimulationRow(id=uuid4(), request={}, state="running")
    session.add(job)
    session.flush()
    assert cancel_or_delete(session, SimulationRow, job.id, UnknownBacktest)
    session.refresh(job)
    assert job.state == "cancelled"
    assert job.finished_at is not None
    assert not cancel_or_delete(session, SimulationRow, job.id, UnknownBacktest)
    stored = select(func.count()).select_from(SimulationRow).where(SimulationRow.id == job.id)
    assert session.scalar(stored) == 0
    with pytest.raises(UnknownBacktest):
        cancel_or_delete(session, SimulationRow, job.id, UnknownBacktest)
