"""Workers share their metrics, are replaced when they die, and end with their supervisor."""

import os
import re
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.app.processes import (
    HEADGATE,
    PATIENCE_SECONDS,
    Service,
    StartService,
    connect,
    environment,
    find_workers,
    is_refused,
    wait_until,
)


def test_workers_share_their_metrics_and_are_replaced_and_end_with_their_supervisor(
    start_service: StartService, database_url: str
):
    # The option of the command line counts, for the workers too, whatever the environment says.
    service = start_service("--workers", "2", database_url=database_url, workers="many", health_port="0")
    wait_until(lambda: len(find_workers(service)) == 2, "both workers serve")
    ask_many_at_once(service.url, 40)
    series = 'headgate_requests_total{method="GET",route="/v1/topologies",status="422"}'
    for _ in range(8):  # every worker answers some
        assert f"{series} 40.0" in httpx.get(f"{service.url}/metrics", timeout=PATIENCE_SECONDS).text

    health_answers_while_workers_stand_still(service, f"{series} 40.0")
    assert count_listeners(service.url) == 2
    os.kill(find_workers(service)[0], signal.SIGKILL)
    wait_until(lambda: count_listeners(service.url) == 1, "no connection waits for the replacement")
    wait_until(lambda: len(find_workers(service)) == 3, "another one serves")
    assert httpx.get(f"{service.url}/readyz", timeout=PATIENCE_SECONDS).status_code == 200
    assert f"{series} 40.0" in httpx.get(f"{service.url}/metrics", timeout=PATIENCE_SECONDS).text

    assert service.stop(signal.SIGKILL) == -signal.SIGKILL
    wait_until(lambda: is_refused(service.url), "the port is free again")


def health_answers_while_workers_stand_still(service: Service, series: str) -> None:
    said = service.wait_for_line("health, readiness and metrics alone")
    found = re.search(r"alone: (http://[^\s\"]+)", said)
    assert found
    workers = find_workers(service)
    with httpx.Client(base_url=found[1], timeout=PATIENCE_SECONDS) as client:
        try:
            for worker in workers:
                os.kill(worker, signal.SIGSTOP)
            assert client.get("/healthz").json() == {"status": "ok"}
            assert client.get("/readyz").json()["status"] == "ready"
            assert series in client.get("/metrics").text, "those of all workers"
        finally:
            for worker in workers:
                os.kill(worker, signal.SIGCONT)


def count_listeners(url: str) -> int:
    """The sockets that listen at the port of a service, as the kernel lists them."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    port = f"{urlsplit(url).port:04X}"
    return sum(address.endswith(f":{port}") and state == "0A" for _, address, _, state, *_ in rows)


def ask_many_at_once(url: str, times: int) -> None:
    """On connections of their own, so that all workers get some."""
    connections = [connect(url) for _ in range(times)]
    for connection in connections:
        connection.request("GET", "/v1/topologies?limit=0")
    for connection in connections:
        answer = connection.getresponse()
        assert answer.status == 422
        answer.read()
        connection.close()


def test_a_worker_that_cannot_start_ends_the_service_with_one_sentence(
    empty_database_url: str, tmp_path: Path
):
    """Here a package that only the workers load is broken; they would be started again and again."""
    (tmp_path / "httptools.py").write_text("raise ImportError('httptools is broken on this machine')")
    ended = subprocess.run(
        [HEADGATE, "serve", "--port", "0", "--workers", "2"],
        env=environment(database_url=empty_database_url, log_format="json") | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    *logged, last = ended.stderr.splitlines()
    assert ended.returncode == 1
    assert last.startswith("headgate: Worker ")
    assert "could not start" in last
    assert all(line.startswith("{") for line in logged), "a traceback outside of the log's lines"
    assert any("httptools is broken on this machine" in line for line in logged)


def test_workers_ignore_the_hangup_on_which_their_supervisor_ends_them(
    start_service: StartService, empty_database_url: str
):
    """A terminal that closes sends SIGHUP to each of them."""
    service = start_service("--workers", "2", database_url=empty_database_url, simulation_events_at_once="0")
    wait_until(lambda: len(find_workers(service)) == 2, "both workers serve")
    for worker in find_workers(service):
        os.kill(worker, signal.SIGHUP)
    for _ in range(8):
        assert httpx.get(f"{service.url}/healthz", timeout=PATIENCE_SECONDS).status_code == 200
    assert service.stop(signal.SIGHUP) == 0
    assert is_refused(service.url)
    assert len(find_workers(service)) == 2, "none was replaced"
    assert not any("died with exit code" in line for line in service.lines)
