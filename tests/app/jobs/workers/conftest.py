"""A database with one queued backtest or simulation, and no service that would compute it."""

import json
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from app.database.tables import SimulationRow
from app.jobs.backtests.schemas import BacktestRequest
from app.jobs.backtests.service import start_backtest
from migrations.runner import migrate
from tests.app.backtest_examples import SMALL
from tests.app.simulation_examples import make_simulation_job


@pytest.fixture
def engine(empty_database_url: str) -> Iterator[Engine]:
    engine = create_engine(empty_database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def backtest_id(empty_database_url: str, engine: Engine) -> UUID:
    """A queued backtest, and no service that would take it."""
    migrate(empty_database_url)
    with Session(engine) as session, session.begin():
        body = BacktestRequest.model_validate_json(json.dumps(SMALL))
        return start_backtest(session, body).id


@pytest.fixture
def simulation_id(empty_database_url: str, engine: Engine) -> UUID:
    """A queued simulation, and no service that would take it."""
    migrate(empty_database_url)
    with Session(engine) as session, session.begin():
        row = SimulationRow(id=uuid4(), request=make_simulation_job().model_dump(mode="json"))
        session.add(row)
        return row.id
