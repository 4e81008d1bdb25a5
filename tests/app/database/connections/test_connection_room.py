"""Pools fit into the connections that Postgres takes, and a request waits for one rather than fail."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from app.database.connections.connection_room import PatientPool, TooFewConnections, find_room, fit_pool
from app.database.connections.transactions import make_engine
from app.settings import Settings
from app.web.problems.problem_kinds import describe_problem
from tests.app.processes import StartService, refuse_to_serve, wait_until

DEFAULT = Settings(workers=2)


@pytest.fixture
def limited_url(empty_database_url: str) -> Iterator[str]:
    """The URL of a database for a user who may open one connection."""
    engine = create_engine(empty_database_url, isolation_level="AUTOCOMMIT")
    user = f"limited_{make_url(empty_database_url).database}"
    with engine.connect() as connection:
        connection.execute(text(f"CREATE ROLE {user} LOGIN PASSWORD 'secret' CONNECTION LIMIT 1"))
        yield (
            make_url(empty_database_url)
            .set(username=user, password="secret")
            .render_as_string(hide_password=False)
        )
        connection.execute(text(f"DROP ROLE {user}"))
    engine.dispose()


def limit_database(url: str, connections: int) -> None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        name = make_url(url).database
        connection.execute(f"ALTER DATABASE {name} CONNECTION LIMIT {connections}")


def test_pools_shrink_to_what_postgres_takes(empty_database_url: str, caplog: pytest.LogCaptureFixture):
    assert find_room(empty_database_url) > 100
    assert fit_pool(DEFAULT, empty_database_url) == DEFAULT
    limit_database(empty_database_url, 32)  # 12 of them for health, metrics, retention and jobs
    fitted = fit_pool(DEFAULT, empty_database_url)
    assert (fitted.database_pool_size, fitted.database_pool_overflow) == (10, 0)
    assert "takes 32 connections, and the settings may open 52" in caplog.text
    limit_database(empty_database_url, 22)
    fitted = fit_pool(DEFAULT, empty_database_url)
    assert (fitted.database_pool_size, fitted.database_pool_overflow) == (5, 0)
    fitted = fit_pool(DEFAULT.model_copy(update={"health_port": 0}), empty_database_url)
    assert fitted.database_pool_size == 4, "the health port takes two"
    limit_database(empty_database_url, 15)
    with pytest.raises(TooFewConnections, match="need at least 16"):
        fit_pool(DEFAULT, empty_database_url)


def test_a_service_says_at_its_start_that_its_pool_is_smaller(
    start_service: StartService, empty_database_url: str
):
    limit_database(empty_database_url, 11)
    service = start_service(database_url=empty_database_url)
    assert "opens at most 4 for requests instead of 20" in service.wait_for_line("takes 11 connections")
    service.stop()
    limit_database(empty_database_url, 5)
    refused = refuse_to_serve("--port", "0", database_url=empty_database_url)
    assert refused.returncode == 1
    assert re.search(r"headgate: Postgres takes 5 connections, and 1 workers need at least 9", refused.stderr)


def test_a_request_waits_for_a_connection_in_use_if_postgres_takes_no_further_one(limited_url: str):
    engine = make_engine(Settings(), limited_url)
    assert isinstance(engine.pool, PatientPool)

    def ask() -> int:
        with engine.connect() as connection:
            return int(connection.scalar(text("SELECT 42")) or 0)

    with ThreadPoolExecutor(1) as threads:
        with engine.connect():
            waiting = threads.submit(ask)
            idle = vars(engine.pool._pool)["not_empty"]
            wait_until(lambda: idle._waiters, "it waits")
            assert not waiting.done()
        assert waiting.result() == 42
        other = make_engine(Settings(), limited_url)
        with engine.connect(), pytest.raises(OperationalError) as refused:
            other.connect()
    problem = describe_problem(refused.value)
    assert problem is not None
    assert problem["detail"].startswith("The database takes no more connections")
    engine.dispose()
    other.dispose()
