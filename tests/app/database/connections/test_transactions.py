"""One request is one transaction: committed before its answer, rolled back on an exception."""

from collections.abc import Generator

import pytest
from fastapi import Request
from pydantic import SecretStr
from sqlalchemy import text
from sqlalchemy.exc import InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session, sessionmaker

from app.database.connections.transactions import (
    make_engine,
    make_health_engine,
    make_metrics_engine,
    open_transaction,
)
from app.settings import Settings
from app.web.health import HEALTH_CONNECTIONS
from tests.app.processes import wait_until


def test_a_transaction_is_committed_at_its_end_and_rolled_back_on_an_exception(postgres_url: str):
    engine = make_engine(Settings(), postgres_url)
    factory = sessionmaker(engine)
    table = "CREATE TABLE IF NOT EXISTS written_by_sessions (n int)"
    try:
        for number, error in ((1, None), (2, ValueError("no")), (3, None)):
            transaction = open_transaction(Request({"type": "http", "method": "GET"}), factory())
            session = next(transaction)
            session.execute(text(table))
            session.execute(text("INSERT INTO written_by_sessions VALUES (:n)"), {"n": number})
            if error is None:
                assert list(transaction) == []
            else:
                assert isinstance(transaction, Generator)
                with pytest.raises(ValueError, match="no"):
                    transaction.throw(error)
        with Session(engine) as session:
            assert session.scalars(text("SELECT n FROM written_by_sessions ORDER BY n")).all() == [1, 3]
    finally:
        with engine.begin() as connection:
            connection.execute(text("DROP TABLE IF EXISTS written_by_sessions"))
        engine.dispose()


def test_connections_are_in_utc_and_statements_have_a_limit(postgres_url: str):
    engine = make_engine(Settings(database_statement_timeout_seconds=0.05), postgres_url)
    with engine.connect() as connection:
        assert connection.scalar(text("SHOW timezone")) == "UTC"
        with pytest.raises(OperationalError, match="statement timeout"):
            connection.execute(text("SELECT pg_sleep(60)"))
    engine.dispose()


def test_a_pool_is_bounded_and_health_has_a_connection_of_its_own(postgres_url: str):
    settings = Settings(
        database_url=SecretStr(postgres_url),
        database_pool_size=1,
        database_pool_overflow=0,
        database_pool_timeout_seconds=0.01,
    )
    engine, health = make_engine(settings, postgres_url), make_health_engine(postgres_url)
    assert HEALTH_CONNECTIONS == 1
    with engine.connect(), health.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
        with pytest.raises(PoolTimeout):
            engine.connect()
    engine.dispose()
    health.dispose()


def test_a_scrape_reads_only_and_keeps_no_connection(postgres_url: str):
    engine = make_metrics_engine(postgres_url)
    with engine.connect() as connection:
        assert connection.scalar(text("SHOW timezone")) == "UTC"
        with pytest.raises(InternalError, match="read-only transaction"):
            connection.execute(text("CREATE TABLE written_by_a_scrape (n int)"))
    health = make_health_engine(postgres_url)
    count = text("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'headgate-metrics'")

    def is_closed() -> bool:
        with health.connect() as connection:
            return not connection.scalar(count)

    wait_until(is_closed, "it is closed")
    health.dispose()
