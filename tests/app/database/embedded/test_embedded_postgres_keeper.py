"""The embedded Postgres of a service runs as long as the service, and starts again when it is killed."""

import os
import signal
from pathlib import Path

import httpx
import psycopg
from pydantic import SecretStr

from app.database.embedded.embedded_postgres import open_database_url
from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.settings import Settings
from tests.app.database.embedded.postgres_users import is_stopped, query, read_postmaster
from tests.app.processes import StartService, wait_until


def test_a_configured_database_is_used_as_it_is(tmp_path: Path):
    settings = Settings(database_url=SecretStr("postgresql://me@db/x"), data_dir=tmp_path / "data")
    with open_database_url(settings) as url:
        assert url == "postgresql+psycopg://me@db/x"
    assert not (tmp_path / "data").exists()


def test_a_killed_server_comes_back_at_its_address_and_stops_with_the_context(postgres_folder: Path):
    with open_database_url(Settings(data_dir=postgres_folder)) as url:
        query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
        killed = read_postmaster(postgres_folder)
        os.kill(killed, signal.SIGKILL)

        def is_back() -> bool:
            try:
                return query(url, "SELECT answer FROM kept") == [(42,)]
            except psycopg.OperationalError:
                return False

        wait_until(is_back, "the server is back")
        assert read_postmaster(postgres_folder) != killed
    assert is_stopped(postgres_folder)


def test_a_killed_postgres_is_a_503_and_comes_back(start_service: StartService, tmp_path: Path):
    """The service itself starts it again; what was stored is there."""
    service = start_service(data_dir=str(tmp_path))
    with httpx.Client(base_url=service.url, timeout=60) as client:
        assert client.post("/v1/topologies", json=FPD).status_code == 201
        os.kill(read_postmaster(tmp_path), signal.SIGKILL)
        statuses: list[int] = []

        def is_back() -> bool:
            answers = [
                client.get("/v1/topologies/fpd"),
                client.get("/readyz"),
                client.put("/v1/topologies/fpd", json=FPD),
            ]
            statuses.extend(answer.status_code for answer in answers)
            for answer in answers:
                if answer.status_code == 503:
                    assert answer.json()["type"] in {"database-unavailable", "not-ready"}
                    assert answer.headers["Retry-After"] == "1"
            return [answer.status_code for answer in answers] == [200] * 3

        wait_until(is_back, "the database is back")
        assert set(statuses) == {200, 503}
        assert client.post("/v1/estimate", json={"topology": FPD, "load": FPD_LOAD}).status_code == 200
    assert service.stop() == 0
    assert any("database: gone: " in line for line in service.lines)
    assert not any("Traceback" in line for line in service.lines)
    assert is_stopped(tmp_path)
