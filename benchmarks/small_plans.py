"""512 connections that send small plans to two workers without a pause, and a database that is silent for a while.

The clients run on the same machine as the service, so the times hold their own work too. HEADGATE_BENCH_SECONDS is the
length of each run, 60 without it.
"""

import asyncio
import json
import os
import signal
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.processes import find_family
from benchmarks.service import make_request
from tests.app.database.embedded.postgres_users import read_postmaster
from tests.app.processes import Service, find_workers, start, wait_until

CONNECTIONS = 512
WORKERS = 2
SOME = 16  # connections that both workers get about half of
SECONDS = float(os.environ.get("HEADGATE_BENCH_SECONDS", "60"))
HEAD = "{} HTTP/1.1\r\nHost: 127.0.0.1\r\n{}\r\n"
LISTING = HEAD.format("GET /v1/topologies", "").encode()
HEALTH_PAUSE_SECONDS = 0.02


def make_plan() -> bytes:
    body = json.dumps(make_request().model_dump(mode="json", exclude_none=True)).encode()
    fields = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return HEAD.format("POST /v1/plans/min-latency", fields).encode() + body


@dataclass
class Run:
    """What many clients saw: seconds by status, and by path of fresh connections beside them."""

    url: str
    request: bytes
    ends_at: float
    took: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    fresh: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))
    without_hint: int = 0


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
        self.transport.write(self.run.request)

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, separator, body = self.received.partition(b"\r\n\r\n")
        head = head.lower()
        if not separator or len(body) < int(head.split(b"content-length:")[1].split(b"\r\n")[0]):
            return
        self.received, status, now = b"", int(head[9:12]), time.perf_counter()
        self.run.took[status].append(now - self.began)
        self.run.without_hint += status == 503 and b"retry-after" not in head
        if now < self.run.ends_at:
            self.send()
        else:
            self.transport.close()


def find_address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


async def ask_fresh(run: Run, path: str) -> None:
    """Asks on a new connection each time."""
    host, port = find_address(run.url)
    while time.perf_counter() < run.ends_at:
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(HEAD.format(f"GET {path}", "Connection: close\r\n").encode())
        answer = await reader.read()
        run.fresh[path].append((time.perf_counter() - began, int(answer[9:12])))
        writer.close()
        await asyncio.sleep(HEALTH_PAUSE_SECONDS)


async def drive(url: str, request: bytes, connections: int, seconds: float, *paths: str) -> Run:
    """Lets that many clients send the request for some seconds, and asks for the paths beside them."""
    run = Run(url, request, time.perf_counter() + seconds)
    host, port = find_address(url)
    loop = asyncio.get_running_loop()
    made = [(await loop.create_connection(lambda: Client(run), host, port))[0] for _ in range(connections)]
    await asyncio.gather(*(ask_fresh(run, path) for path in paths))
    while any(not transport.is_closing() for transport in made):  # noqa: ASYNC110  # 512 events would cost more
        await asyncio.sleep(0.01)
    return run


def find_quantile(values: list[float], level: float) -> float:
    ordered = sorted(values) or [float("nan")]
    return ordered[min(len(ordered) - 1, int(level * len(ordered)))]


def load(service: Service) -> None:
    """Prints how long accepted plans and health checks take under load, and the rate after it."""
    plan = make_plan()
    asyncio.run(drive(service.url, plan, WORKERS, 2))  # warm
    alone = asyncio.run(drive(service.url, plan, WORKERS, 5)).took[200]
    before = asyncio.run(drive(service.url, plan, SOME, 2)).took[200]
    run = asyncio.run(drive(service.url, plan, CONNECTIONS, SECONDS, "/healthz"))
    after = asyncio.run(drive(service.url, plan, SOME, 2)).took[200]
    accepted, refused = run.took[200], run.took[503]
    fresh = [seconds for seconds, _ in run.fresh["/healthz"]]
    ratio = find_quantile(accepted, 0.99) / find_quantile(alone, 0.99)
    print(f"{CONNECTIONS} connections of small plans on {WORKERS} workers for {SECONDS:g} s:")
    health = f"p99 {find_quantile(fresh, 0.99):.3f} s (wanted: 0.2), median {find_quantile(fresh, 0.5):.3f} s"
    print(f"  fresh /healthz: {health}")
    print(f"  accepted: {len(accepted) / SECONDS:.0f}/s, median {find_quantile(accepted, 0.5):.4f} s")
    longest = f"p99 {find_quantile(accepted, 0.99):.4f} s"
    print(f"  accepted: {longest}, {ratio:.1f} times that of {WORKERS} connections (wanted: 10)")
    print(
        f"  refused: {len(refused) / (len(accepted) + len(refused)):.0%}, {run.without_hint} without Retry-After; "
        f"others: { {status: len(took) for status, took in run.took.items() if status not in {200, 503}} }"
    )
    print(f"  rate in the 2 s after: {len(after) / len(before):.2f} of that before (wanted: 1)")


def silence(service: Service, folder: Path) -> None:
    """Prints what /readyz and reading requests say while Postgres is stopped by a signal."""
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
        return await drive(service.url, LISTING, 8, stopped + 5, "/readyz", "/healthz")

    run = asyncio.run(watch())
    slowest = max((seconds for took in run.took.values() for seconds in took), default=float("nan"))
    ready = run.fresh["/readyz"]
    print(f"Postgres stopped by SIGSTOP for {stopped:g} s:")
    print(f"  /readyz: longest {max(seconds for seconds, _ in ready):.2f} s (wanted: 2), last {ready[-1][1]}")
    print(f"  /healthz: longest {max(seconds for seconds, _ in run.fresh['/healthz']):.2f} s")
    print(
        f"  requests: longest {slowest:.2f} s (wanted: 5), statuses { {k: len(v) for k, v in run.took.items()} }"
    )


def run_all() -> None:
    """Prints both tables."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        service = start(["--workers", str(WORKERS)], data_dir=folder)
        try:
            wait_until(lambda: len(find_workers(service)) == WORKERS, "both workers serve")
            load(service)
            silence(service, Path(folder))
        finally:
            sys.stdout.flush()
            service.stop()
