"""A stopped Postgres, which accepts packets and answers none, makes no request wait for it to go on."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.database.connections.watched_connections import make_watched_engine
from app.database.embedded.embedded_postgres import shared_postgres
from app.load.bodies.topology import FPD
from tests.app.processes import PATIENCE_SECONDS, StartService, make_open_folder, stopped, wait_until


def test_requests_and_readiness_are_503_while_the_database_is_stopped(start_service: StartService):
    with make_open_folder() as folder, shared_postgres(folder) as url:
        service = start_service(database_url=url)
        with httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS) as client:
            assert client.post("/v1/topologies", json=FPD).status_code == 201
            with stopped(folder), ThreadPoolExecutor(20) as threads:
                paths = ["/v1/topologies", "/v1/overview", "/v1/topologies/fpd/keda/generator", "/readyz"] * 5
                answers = list(threads.map(client.get, paths))
                assert {one.status_code for one in answers} == {503}
                assert {one.json()["type"] for one in answers} == {"database-unavailable", "not-ready"}
                assert client.get("/healthz").status_code == 200
            wait_until(lambda: client.get("/readyz").status_code == 200, "the database answers again")
            wait_until(
                lambda: client.get("/v1/topologies").status_code == 200, "the pool has new connections"
            )
            assert client.get("/v1/topologies/fpd").status_code == 200


def test_a_long_statement_of_a_working_server_goes_on_and_one_of_a_stopped_server_fails():
    with make_open_folder() as folder, shared_postgres(folder) as url:
        engine = make_watched_engine(url, "test", statement_seconds=30.0)
        with engine.connect() as connection:
            assert connection.scalar(text("SELECT 7 FROM pg_sleep(3)")) == 7
            with stopped(folder), pytest.raises(OperationalError, match="does not answer"):
                connection.execute(text("SELECT 1"))
            assert connection.invalidated
        engine.dispose()
