"""Admission over HTTP: which requests begin, wait or are refused while all slots are taken."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import pytest
from sqlalchemy import Connection, create_engine, text

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from app.planning.objectives.optimal import MinLatencyRequest
from tests.app.processes import PATIENCE_SECONDS, Service, StartService, wait_until
from tests.app.web.test_observability import read_metrics

PLAN = MinLatencyRequest.model_validate({"topology": FPD, "load": FPD_LOAD, "k_max": 22})
SMALL_PLAN = PLAN.model_dump(mode="json", exclude_none=True)
ESTIMATE = "/v1/topologies/fpd/estimate"


@pytest.fixture
def bounded(start_service: StartService, empty_database_url: str) -> Service:
    """One slot and one place in the queue; a stored topology."""
    service = start_service(
        database_url=empty_database_url,
        computing_slots="1",
        computing_queue="1",
        database_pool_size="2",
        database_pool_overflow="0",
        database_pool_timeout_seconds="3600",
        database_statement_timeout_seconds="3600",
        database_lock_timeout_seconds="3600",
        shutdown_grace_seconds="3600",
    )
    assert post(service, "/v1/topologies", FPD).status_code == 201
    assert post(service, "/v1/topologies/fpd/snapshots", FPD_LOAD).status_code == 201
    return service


def post(service: Service, path: str, body: object = None) -> httpx.Response:
    return httpx.post(service.url + path, json=body, timeout=PATIENCE_SECONDS)


def send(service: Service, path: str, method: str = "POST") -> HTTPConnection:
    """A request whose answer is not waited for."""
    address = urlsplit(service.url)
    connection = HTTPConnection(str(address.hostname), address.port, timeout=PATIENCE_SECONDS)
    connection.request(method, path)
    return connection


def ask_for_decision(service: Service, form: str) -> int:
    """The status for a decision that there is none of."""
    address = f"{service.url}/v1/decisions/{UUID(int=0)}"
    return httpx.get(address, headers={"Accept": form}, timeout=PATIENCE_SECONDS).status_code


@contextmanager
def locked_topologies(database_url: str) -> Iterator[Connection]:
    """While it lasts, nothing stored can be computed: a request that has a slot keeps it."""
    engine = create_engine(database_url)
    with engine.connect() as rival:
        rival.execute(text("LOCK TABLE topologies"))
        yield rival
        rival.rollback()
    engine.dispose()


def count(service: Service, metric: str, **labels: str) -> float:
    with httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS) as client:
        return read_metrics(client).get((metric, str(sorted(labels.items()))), 0.0)


def count_now(service: Service, state: str) -> float:
    return count(service, "headgate_computing", lane="long", state=state)


def count_ended(service: Service, outcome: str) -> float:
    return count(service, "headgate_computing_ended_total", lane="long", outcome=outcome)


def fill(service: Service, pool: ThreadPoolExecutor) -> list["Future[httpx.Response]"]:
    """One request that has the slot, one that waits for it."""
    futures = []
    for state in ("running", "queued"):
        futures.append(pool.submit(post, service, ESTIMATE))
        wait_until(lambda state=state: count_now(service, state) == 1, f"one is {state}")  # type: ignore[misc]
    return futures


def test_beyond_the_queue_503_while_health_and_small_plans_are_answered(
    bounded: Service, empty_database_url: str
):
    with ThreadPoolExecutor(2) as pool:
        with locked_topologies(empty_database_url):
            accepted = fill(bounded, pool)
            for path in (ESTIMATE, "/v1/topologies/fpd/decisions", "/v1/topologies/fpd/recommendation"):
                refused = post(bounded, path)
                assert (refused.status_code, refused.json()["type"]) == (503, "overloaded")
                assert int(refused.headers["Retry-After"]) >= 1
                assert refused.json()["queued"] == 1
            for path in ("/healthz", "/readyz", "/metrics"):
                assert httpx.get(bounded.url + path, timeout=PATIENCE_SECONDS).status_code == 200
            assert post(bounded, "/v1/plans/min-latency", SMALL_PLAN).json()["stable"]
            assert count_ended(bounded, "refused") == 3
            statuses = {form: ask_for_decision(bounded, form) for form in ("application/json", "image/png")}
            assert statuses == {"application/json": 404, "image/png": 503}
            assert not any(one.done() for one in accepted)
        assert [one.result().status_code for one in accepted] == [200, 200]
    assert count_now(bounded, "running") == count_now(bounded, "queued") == 0


def test_a_large_body_is_refused_before_it_is_parsed_and_computed_when_there_is_room(
    bounded: Service, empty_database_url: str
):
    padded = json.dumps(SMALL_PLAN) + " " * 200_000
    broken = "{" * 200_000
    headers = {"Content-Type": "application/json"}
    address = f"{bounded.url}/v1/plans/min-latency"

    def send_text(body: str) -> httpx.Response:
        return httpx.post(address, content=body, headers=headers, timeout=PATIENCE_SECONDS)

    with ThreadPoolExecutor(2) as pool:
        with locked_topologies(empty_database_url):
            accepted = fill(bounded, pool)
            assert [send_text(body).status_code for body in (padded, broken)] == [503, 503]
        assert [one.result().status_code for one in accepted] == [200, 200]
    assert send_text(padded).json() == post(bounded, "/v1/plans/min-latency", SMALL_PLAN).json()
    assert send_text(broken).status_code == 422


def test_what_waits_is_not_begun_when_its_client_has_gone(bounded: Service, empty_database_url: str):
    with ThreadPoolExecutor(1) as pool:
        with locked_topologies(empty_database_url):
            running = pool.submit(post, bounded, ESTIMATE)
            wait_until(lambda: count_now(bounded, "running") == 1, "one runs")
            with closing(send(bounded, ESTIMATE)):
                wait_until(lambda: count_now(bounded, "queued") == 1, "one waits")
            wait_until(lambda: count_ended(bounded, "abandoned") == 1, "it is gone")
            assert count_now(bounded, "queued") == 0
        assert running.result().status_code == 200
    assert count_ended(bounded, "begun") == 1
    assert count(bounded, "headgate_planner_seconds_count", call="estimate") == 1


def test_sigterm_answers_what_waits(bounded: Service, empty_database_url: str):
    with ThreadPoolExecutor(2) as pool:
        with locked_topologies(empty_database_url):
            accepted = fill(bounded, pool)
            bounded.process.send_signal(signal.SIGTERM)
            bounded.wait_for_line("Shutting down")
        assert [one.result().status_code for one in accepted] == [200, 200]
    assert bounded.stop() == 0


def test_health_needs_no_thread_and_no_connection_of_other_requests_and_these_need_none_of_each_other(
    bounded: Service, empty_database_url: str
):
    with locked_topologies(empty_database_url):
        waiting = [send(bounded, "/v1/topologies", "GET") for _ in range(50)]  # there are 40 threads
        for path in ("/healthz", "/readyz", "/metrics"):
            assert httpx.get(bounded.url + path, timeout=PATIENCE_SECONDS).status_code == 200
        assert httpx.get(bounded.url + "/nowhere", timeout=PATIENCE_SECONDS).status_code == 404
    for connection in waiting:
        with closing(connection):
            assert connection.getresponse().status == 200


def test_while_a_table_is_locked_its_requests_are_refused_and_others_answered(
    start_service: StartService, empty_database_url: str
):
    service = start_service(database_url=empty_database_url, database_lock_timeout_seconds="0.5")
    with locked_topologies(empty_database_url):
        refused = httpx.get(f"{service.url}/v1/topologies", timeout=PATIENCE_SECONDS)
        assert (refused.status_code, refused.json()["type"]) == (503, "database-unavailable")
        assert "holds a lock" in refused.json()["detail"]
        assert httpx.get(f"{service.url}/v1/profiles", timeout=PATIENCE_SECONDS).status_code == 200
    assert httpx.get(f"{service.url}/v1/topologies", timeout=PATIENCE_SECONDS).status_code == 200


def test_waiters_for_a_locked_table_do_not_keep_the_connections_from_other_requests(
    start_service: StartService, empty_database_url: str
):
    pool = {"database_pool_size": "4", "database_pool_overflow": "0", "database_pool_timeout_seconds": "8"}
    service = start_service(database_url=empty_database_url, database_lock_timeout_seconds="16", **pool)
    with ThreadPoolExecutor(4) as callers, locked_topologies(empty_database_url) as rival:
        waiting = [
            callers.submit(httpx.get, f"{service.url}/v1/topologies", timeout=PATIENCE_SECONDS)
            for _ in range(4)
        ]
        waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'topologies'::regclass")
        wait_until(lambda: rival.scalar(waits) == 4, "all connections wait")
        other = httpx.get(f"{service.url}/v1/profiles", timeout=PATIENCE_SECONDS)
        assert other.status_code == 200, other.text
    assert {one.result().status_code for one in waiting} <= {200, 503}


def test_a_caller_without_a_key_is_refused_before_the_queue(
    start_service: StartService, empty_database_url: str
):
    service = start_service(
        database_url=empty_database_url,
        database_lock_timeout_seconds="3600",
        computing_slots="1",
        computing_queue="0",
        api_keys="the-owners-secret",
    )
    key = {"Authorization": "Bearer the-owners-secret"}
    with httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS, headers=key) as client:
        assert client.post("/v1/topologies", json=FPD).status_code == 201
        assert client.post("/v1/topologies/fpd/snapshots", json=FPD_LOAD).status_code == 201
        with ThreadPoolExecutor(1) as pool:
            with locked_topologies(empty_database_url):
                running = pool.submit(client.post, ESTIMATE)
                series = 'headgate_computing{lane="long",state="running"} 1.0'
                wait_until(lambda: series in client.get("/metrics").text, "one runs")
                assert post(service, ESTIMATE).status_code == 401
                assert client.post(ESTIMATE).status_code == 503
            assert running.result().status_code == 200
