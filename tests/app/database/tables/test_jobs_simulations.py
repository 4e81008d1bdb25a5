"""A new simulation is queued, and has no answer."""

from uuid import uuid4

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import SimulationRow


def test_a_new_simulation_is_queued(session: Session):
    asked = SimulationRow(id=uuid4(), request={})
    session.add(asked)
    session.flush()
    session.refresh(asked)
    assert (asked.state, asked.progress, asked.attempts, asked.answer) == ("queued", 0.0, 0, None)


def test_an_unknown_state_is_refused(session: Session):
    session.add(SimulationRow(id=uuid4(), request={}, state="lost"))
    with pytest.raises(IntegrityError, match="ck_simulations_state"):
        session.flush()
