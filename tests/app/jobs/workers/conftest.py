"""A database with one queued backtest, and no service that would compute it."""

import json
from collections.abc import Iterator
from uuid import UUID

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from app.jobs.backtests.schemas import BacktestRequest
from app.jobs.backtests.service import start_backtest
from migrations.runner import migrate
from tests.app.backtest_examples import SMALL


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
