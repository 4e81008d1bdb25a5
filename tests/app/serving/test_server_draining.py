"""SIGTERM: requests that reached the service are answered, new connections are refused, no process remains."""

import http.client
import json
import select
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count, repeat

import httpx
import pytest
from sqlalchemy import create_engine, text

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.topology import FPD
from tests.app.processes import PATIENCE_SECONDS, StartService, connect, is_refused, wait_until

# Computed on the event loop, which reads nothing meanwhile: at any moment most requests of many clients are unread.
OPERATORS = [f"operator {number}" for number in range(50)]
LONG_PLAN = {
    "topology": {"operators": [{"name": one} for one in OPERATORS]},
    "load": {"external_rate": 90, "operators": {one: {"service_rate": 1} for one in OPERATORS}},
    "k_max": 10_000,
}


@dataclass
class Poster:
    """Posts until it is refused, on one connection while that lasts or on a new one each time."""

    url: str
    path: str
    bodies: Iterator[str]
    keeps_connection: bool
    answered: list[int] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def run(self) -> None:
        while True:
            try:
                connection = connect(self.url)
            except ConnectionRefusedError:
                return
            with closing(connection):
                self.use(connection)

    def use(self, connection: http.client.HTTPConnection) -> None:
        while not has_ended(connection):
            try:
                self.answered.append(self.post(connection))
            except (OSError, http.client.HTTPException) as error:
                self.dropped.append(repr(error))
                return
            if not self.keeps_connection:
                return

    def post(self, connection: http.client.HTTPConnection) -> int:
        connection.request("POST", self.path, next(self.bodies), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        json.loads(answer.read())  # an answer that was cut off is no JSON
        return answer.status


def has_ended(connection: http.client.HTTPConnection) -> bool:
    """Whether the service has closed it, as every pool of connections asks before it uses one again."""
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


class Locked(Iterator[str]):
    """An iterator for several threads."""

    def __init__(self, inner: Iterator[str]) -> None:
        self.inner = inner
        self.lock = threading.Lock()

    def __next__(self) -> str:
        with self.lock:
            return next(self.inner)


def count_snapshots(database_url: str) -> int:
    engine = create_engine(database_url)
    with engine.connect() as connection:
        found = int(connection.scalar(text("SELECT count(*) FROM snapshots")) or 0)
    engine.dispose()
    return found


@pytest.mark.parametrize("workers", ["1", "2"])
def test_sigterm_drops_no_request(start_service: StartService, empty_database_url: str, workers: str):
    service = start_service(
        "--workers", workers, database_url=empty_database_url, simulation_events_at_once="0"
    )
    assert httpx.post(f"{service.url}/v1/topologies", json=FPD, timeout=PATIENCE_SECONDS).status_code == 201
    moments = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute) for minute in count())
    snapshots = (json.dumps(FPD_LOAD | {"observed_at": moment.isoformat()}) for moment in moments)
    posters = [
        Poster(service.url, path, bodies, keeps_connection=keeps)
        for path, bodies in (
            ("/v1/topologies/fpd/snapshots", Locked(snapshots)),
            ("/v1/plans/min-latency", repeat(json.dumps(LONG_PLAN))),
        )
        for keeps in (True, False) * 3
    ]
    threads = [threading.Thread(target=poster.run) for poster in posters]
    for thread in threads:
        thread.start()
    wait_until(lambda: all(len(poster.answered) >= 10 for poster in posters), "all were answered")
    assert service.stop(signal.SIGTERM) == 0
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
    assert [poster.dropped for poster in posters] == [[]] * len(posters)
    answers = Counter(status for poster in posters for status in poster.answered)
    assert answers.keys() == {200, 201}
    assert count_snapshots(empty_database_url) == answers[201]


def test_what_is_in_flight_at_sigterm_is_answered_however_long_it_takes(
    start_service: StartService, empty_database_url: str
):
    service = start_service(
        database_url=empty_database_url, shutdown_grace_seconds="3600", database_lock_timeout_seconds="3600"
    )
    assert httpx.post(f"{service.url}/v1/topologies", json=FPD, timeout=PATIENCE_SECONDS).status_code == 201
    engine = create_engine(empty_database_url)
    with (
        engine.connect() as rival,
        engine.connect() as onlooker,
        ThreadPoolExecutor(1) as pool,
        closing(connect(service.url)) as sending,
        closing(connect(service.url)) as idle,
    ):
        body = json.dumps(FPD | {"name": "sent slowly"}).encode()
        send_half(sending.sock, body)
        rival.execute(text("SELECT 1 FROM topologies FOR UPDATE"))
        address = f"{service.url}/v1/topologies/fpd"
        waiting = pool.submit(httpx.put, address, json=FPD, timeout=PATIENCE_SECONDS)
        locks = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
        wait_until(lambda: onlooker.scalar(locks), "the request waits for the row")

        service.process.send_signal(signal.SIGTERM)
        wait_until(lambda: is_refused(service.url), "new connections are refused")
        wait_until(lambda: has_ended(idle), "idle connections are closed")
        rival.rollback()
        assert waiting.result().json()["revision"] == 2
        sending.sock.sendall(body[len(body) // 2 :])
        answer = http.client.HTTPResponse(sending.sock)
        answer.begin()
        assert answer.status == 201
        assert answer.getheader("Connection") == "close"
        assert json.loads(answer.read())["name"] == "sent slowly"
    engine.dispose()
    assert service.stop() == 0


def send_half(connection: socket.socket, body: bytes) -> None:
    """Sends a request but for half of its body; the service has taken it in when this returns."""
    head = (
        "POST /v1/topologies HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    )
    connection.sendall(head.encode() + body[: len(body) // 2])
    assert connection.recv(1000).startswith(b"HTTP/1.1 100")
