"""512 connections that send small plans to two workers without a pause, and a database that is silent for a while.

Health is asked on new connections, on the main port and on the health port. The clients run on the same machine as the
service, so the times hold their own work too. HEADGATE_BENCH_SECONDS is the length of each run, 60 without it.
"""

import asyncio
import itertools
import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from benchmarks.processes import find_family
from benchmarks.service import make_request
from tests.app.database.embedded.postgres_users import read_postmaster
from tests.app.processes import Service, find_workers, start, wait_until

CONNECTIONS = 512
WORKERS = 2
SOME = 16  # connections that both workers get about half of
SECONDS = float(os.environ.get("HEADGATE_BENCH_SECONDS", "60"))
HEAD = "{} HTTP/1.1\r\nHost: 127.0.0.1\r\n{}\r\n"
TOPOLOGY = {"name": "clicks", "operators": [{"name": "parse"}], "edges": []}
HEALTH_PAUSE_SECONDS = 0.02


Requests = Iterator[tuple[str, bytes]]
"""Requests to send, each with a name."""


def post(path: str, document: Any) -> bytes:
    body = json.dumps(document).encode()
    fields = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return HEAD.format(f"POST {path}", fields).encode() + body


def repeat_plan() -> Requests:
    plan = post("/v1/plans/min-latency", make_request().model_dump(mode="json", exclude_none=True))
    return itertools.repeat(("plan", plan))


def make_snapshots(since: datetime) -> Requests:
    """Snapshots of one second each, one after the other; their names are their times."""
    for second in itertools.count():
        at = (since + timedelta(seconds=second)).isoformat()
        load = {"external_rate": 10.0, "operators": {"parse": {"service_rate": 40.0, "processors": 2}}}
        yield at, post("/v1/topologies/clicks/snapshots", {"observed_at": at, "window_seconds": 1, **load})


@dataclass
class Run:
    """What many clients saw: seconds by status, and by address of fresh connections beside them."""

    url: str
    requests: Requests
    ends_at: float
    took: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    fresh: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))
    without_hint: int = 0
    stored: list[str] = field(default_factory=list)


class Client(asyncio.Protocol):
    """A connection that sends its request again as soon as it was answered."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.began = time.perf_counter()
        self.name, request = next(self.run.requests)
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, separator, body = self.received.partition(b"\r\n\r\n")
        head = head.lower()
        if not separator or len(body) < int(head.split(b"content-length:")[1].split(b"\r\n")[0]):
            return
        self.received, status, now = b"", int(head[9:12]), time.perf_counter()
        self.run.took[status].append(now - self.began)
        if status == 201:
            self.run.stored.append(self.name)
        self.run.without_hint += status == 503 and b"retry-after" not in head
        if now < self.run.ends_at:
            self.send()
        else:
            self.transport.close()


def find_address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


async def ask_fresh(run: Run, url: str) -> None:
    """Asks on a new connection each time."""
    host, port = find_address(url)
    path = urlsplit(url).path
    while time.perf_counter() < run.ends_at:
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(HEAD.format(f"GET {path}", "Connection: close\r\n").encode())
        answer = await reader.read()
        run.fresh[url].append((time.perf_counter() - began, int(answer[9:12])))
        writer.close()
        await asyncio.sleep(HEALTH_PAUSE_SECONDS)


async def drive(url: str, requests: Requests, connections: int, seconds: float, *beside: str) -> Run:
    """Lets that many clients send the requests for some seconds, and asks at the addresses beside them."""
    run = Run(url, requests, time.perf_counter() + seconds)
    host, port = find_address(url)
    loop = asyncio.get_running_loop()
    made = [(await loop.create_connection(lambda: Client(run), host, port))[0] for _ in range(connections)]
    await asyncio.gather(*(ask_fresh(run, one) for one in beside))
    while any(not transport.is_closing() for transport in made):  # noqa: ASYNC110  # 512 events would cost more
        await asyncio.sleep(0.01)
    return run


def find_quantile(values: list[float], level: float) -> float:
    ordered = sorted(values) or [float("nan")]
    return ordered[min(len(ordered) - 1, int(level * len(ordered)))]


def print_fresh(run: Run, wanted: float | None) -> None:
    for url, asked in run.fresh.items():
        seconds, bar = [took for took, _ in asked], "" if wanted is None else f" (wanted: {wanted:g})"
        spread = f"median {find_quantile(seconds, 0.5):.3f} s, longest {max(seconds):.3f} s"
        statuses = dict(Counter(status for _, status in asked))
        print(f"  fresh {url}: p99 {find_quantile(seconds, 0.99):.3f} s{bar}, {spread}, {statuses}")


def load(service: Service, health: str) -> None:
    """Prints how long accepted plans and health checks take under load, and the rate after it."""
    plan = repeat_plan()
    asyncio.run(drive(service.url, plan, WORKERS, 2))  # warm
    alone = asyncio.run(drive(service.url, plan, WORKERS, 5)).took[200]
    before = asyncio.run(drive(service.url, plan, SOME, 2)).took[200]
    beside = [f"{service.url}/healthz", f"{health}/healthz", f"{health}/readyz"]
    run = asyncio.run(drive(service.url, plan, CONNECTIONS, SECONDS, *beside))
    after = asyncio.run(drive(service.url, plan, SOME, 2)).took[200]
    accepted, refused = run.took[200], run.took[503]
    ratio = find_quantile(accepted, 0.99) / find_quantile(alone, 0.99)
    print(f"{CONNECTIONS} connections of small plans on {WORKERS} workers for {SECONDS:g} s:")
    print_fresh(run, 0.2)
    print(f"  accepted: {len(accepted) / SECONDS:.0f}/s, median {find_quantile(accepted, 0.5):.4f} s")
    longest = f"p99 {find_quantile(accepted, 0.99):.4f} s"
    print(f"  accepted: {longest}, {ratio:.1f} times that of {WORKERS} connections (wanted: 10)")
    print(
        f"  refused: {len(refused) / (len(accepted) + len(refused)):.0%}, {run.without_hint} without Retry-After; "
        f"others: { {status: len(took) for status, took in run.took.items() if status not in {200, 503}} }"
    )
    print(f"  rate in the 2 s after: {len(after) / len(before):.2f} of that before (wanted: 1)")


def silence(service: Service, folder: Path, health: str) -> None:
    """Prints what /readyz and posting clients see while Postgres is stopped by a signal, and what was lost."""
    began = datetime.now(UTC) - timedelta(days=2)
    httpx.post(f"{service.url}/v1/topologies", json=TOPOLOGY).raise_for_status()
    server = read_postmaster(folder)
    stopped = max(5.0, SECONDS)

    def send(one: signal.Signals) -> None:
        for process in find_family(server):  # a connection's process may have begun a moment ago
            with suppress(ProcessLookupError):
                os.kill(process, one)

    async def watch() -> Run:
        loop = asyncio.get_running_loop()
        loop.call_later(1, send, signal.SIGSTOP)
        loop.call_later(1 + stopped, send, signal.SIGCONT)
        beside = [f"{service.url}/readyz", f"{health}/readyz", f"{service.url}/healthz"]
        return await drive(service.url, make_snapshots(began), 8, stopped + 5, *beside)

    run = asyncio.run(watch())
    slowest = max((seconds for took in run.took.values() for seconds in took), default=float("nan"))
    print(f"Postgres stopped by SIGSTOP for {stopped:g} s:")
    print_fresh(run, 2)
    print(
        f"  requests: longest {slowest:.2f} s (wanted: 5), statuses { {k: len(v) for k, v in run.took.items()} }"
    )

    lost = set(run.stored) - set(read_stored(service.url, "clicks"))
    print(f"  acknowledged {len(run.stored)}, of these lost {len(lost)} (wanted: 0)")


def read_stored(url: str, topology: str) -> Iterator[str]:
    """The times of all stored snapshots."""
    path = f"/v1/topologies/{topology}/snapshots?limit=1000"
    while path:
        page = httpx.get(f"{url}{path}", timeout=60).raise_for_status().json()
        yield from (datetime.fromisoformat(one["observed_at"]).isoformat() for one in page["items"])
        path = page["next"]


def run_all() -> None:
    """Prints both tables."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        service = start(["--workers", str(WORKERS)], data_dir=folder, health_port="0")
        try:
            wait_until(lambda: len(find_workers(service)) == WORKERS, "both workers serve")
            said = service.wait_for_line("health, readiness and metrics alone: ")
            health = said.split("alone: ")[1].split('"')[0]
            load(service, health)
            silence(service, Path(folder), health)
        finally:
            sys.stdout.flush()
            service.stop()
