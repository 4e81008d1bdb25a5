"""Fixtures with a real service in a process of its own, on a real Postgres, called over HTTP."""

import math
import uuid
from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest
from sqlalchemy.orm import Session

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.backtest_examples import ODD_NAME, SMALL, start_backtest, wait_until_finished
from tests.app.processes import Service, StartService, made_database, open_session, serving, start, starting
from tests.app.series_examples import BEGAN, grep_samples, make_body

COMPUTES_NOTHING = {"backtest_processes": "0", "simulation_processes": "0", "simulation_events_at_once": "0"}


@pytest.fixture(scope="session")
def database_url(postgres_url: str) -> Iterator[str]:
    """The database of the session's service."""
    with made_database(postgres_url) as url:
        yield url


@pytest.fixture
def empty_database_url(postgres_url: str) -> Iterator[str]:
    """A database for one test alone."""
    with made_database(postgres_url) as url:
        yield url


@pytest.fixture
def start_service() -> Iterator[StartService]:
    """Starts services with the settings that the test gives; they end with the test."""
    with starting(start) as start_one:
        yield start_one


@pytest.fixture(scope="session")
def service(database_url: str) -> Iterator[Service]:
    """The service of the session, for all tests that need no settings of their own."""
    running = start([], database_url=database_url)
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[httpx.Client]:
    """A client of the session's service."""
    with httpx.Client(base_url=service.url, timeout=60) as client:
        yield client


@pytest.fixture
def session(database_url: str) -> Iterator[Session]:
    """A session on the database of the session's service; nothing is committed."""
    with open_session(database_url) as session:
        yield session


@pytest.fixture
def fleet(client: httpx.Client) -> Iterator[httpx.Client]:
    """A service whose fleet has no policy, before and afterwards."""
    client.delete("/v1/fleet/policy")
    yield client
    client.delete("/v1/fleet/policy")


@pytest.fixture
def name() -> str:
    """A topology name that no other test uses."""
    return f"topology-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def known(client: httpx.Client, name: str) -> str:
    """The name of a stored topology without snapshots."""
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    return name


@pytest.fixture
def stored(client: httpx.Client, name: str) -> str:
    """The name of a stored topology with one snapshot."""
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    assert client.post(f"/v1/topologies/{name}/snapshots", json=FPD_LOAD).status_code == 201
    return name


@pytest.fixture(scope="session")
def measured(client: httpx.Client) -> str:
    """The name of a stored topology with two hours of snapshots."""
    name = f"measured-{uuid.uuid4().hex[:12]}"
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    rates = [300 + 60 * math.sin(minute / 20) + minute * 37 % 11 for minute in range(120)]
    snapshots = [
        FPD_LOAD | {"observed_at": f"2026-11-18T{i // 60:02}:{i % 60:02}:00Z", "external_rate": rate}
        for i, rate in enumerate(rates)
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).status_code == 201
    return name


@pytest.fixture
def grep_week(client: httpx.Client, name: str) -> str:
    """The name of a stored topology with grep's throughputs and 400 minutes of the World Cup's week."""
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    assert client.post(f"/v1/topologies/{name}/mst-samples", json=grep_samples()).status_code == 201
    snapshots = [
        FPD_LOAD | {"observed_at": (BEGAN + timedelta(minutes=i)).isoformat(), "external_rate": point["rate"]}
        for i, point in enumerate(make_body(400)["workload"])
    ]
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).status_code == 201
    return name


@pytest.fixture(scope="session")
def idle_client(postgres_url: str) -> Iterator[httpx.Client]:
    """A client of a service that accepts backtests and simulations and computes none."""
    with (
        serving(postgres_url, **COMPUTES_NOTHING) as service,
        httpx.Client(base_url=service.url, timeout=60) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def finished(client: httpx.Client) -> str:
    """The address of a finished backtest; its name holds characters that HTML and plots must escape."""
    address = start_backtest(client, SMALL | {"workload_name": ODD_NAME})
    assert wait_until_finished(client, address)["state"] == "succeeded"
    return address
