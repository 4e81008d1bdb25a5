"""What 500 ScaledObjects that ask at once wait, beside one that asks alone, and what a request costs the service.

Each request has a connection of its own, as KEDA's have. The clients run on the machine of the service, so the times
hold their work too; the processor time is that of the serving process alone.
"""

import asyncio
import itertools
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import httpx

from app.database.embedded.embedded_postgres import shared_postgres
from benchmarks.processes import own_seconds
from migrations.runner import migrate
from tests.app.processes import ADDRESS, HEADGATE, environment, wait_until

ALONE, UNDECIDED = 100, 20
AT_ONCE = 500
RUNS = 3
TOPOLOGIES, OPERATORS, MOST_OPERATORS = 50, 10, 500
MOST_RATIO = 20


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        with shared_postgres(Path(folder)) as url:
            migrate(url)
            with serving(url, Path(folder) / "log") as service:
                measure(service)


@dataclass(frozen=True)
class Served:
    """A running service."""

    url: str
    process: int


@contextmanager
def serving(database_url: str, log: Path) -> Iterator[Served]:
    """Runs `headgate serve` with its default settings; its log goes to a file, as the log of a real service does."""
    command = [HEADGATE, "serve", "--port", "0"]
    with (
        log.open("w") as lines,
        subprocess.Popen(command, env=environment(database_url=database_url), stderr=lines) as process,
    ):
        try:
            wait_until(lambda: ADDRESS.search(log.read_text()), "the service serves")
            found = ADDRESS.search(log.read_text())
            assert found
            yield Served(found.group(1), process.pid)
        finally:
            process.terminate()


def measure(service: Served) -> None:
    """Measures topologies of few and of many operators with a standing decision, then many topologies without one."""
    with httpx.Client(base_url=service.url, timeout=60) as client:
        names = [f"keda-{position}" for position in range(TOPOLOGIES)]
        for name in names:
            prepare(client, name)
        assert client.post(f"/v1/topologies/{names[0]}/decisions").status_code == 201
        prepare_wide(client)
    one = [path(names[0], position) for position in range(OPERATORS)]
    p99 = one_by_one(f"a topology of {OPERATORS} operators", service, one)
    together("one topology with a standing decision", service, one, p99)
    wide = [path("wide", position) for position in range(MOST_OPERATORS)]
    p99_wide = one_by_one(f"a topology of {MOST_OPERATORS} operators", service, wide)
    together(f"each operator of {MOST_OPERATORS} of one topology", service, wide, p99_wide)
    many = [path(name, position) for position in range(OPERATORS) for name in names]
    p99_undecided = undecided_one_by_one(service)
    together(f"{TOPOLOGIES} topologies, {TOPOLOGIES - 1} of them without one", service, many, p99_undecided)


def one_by_one(what: str, service: Served, paths: Sequence[str]) -> float:
    """Asks for operators one after the other; prints the times and returns the p99 in seconds."""
    asked = list(itertools.islice(itertools.cycle(paths), ALONE))
    ask_all(service, asked, together=False)  # warm
    alone, cost = ask_all(service, asked, together=False)
    p99 = find_p99(alone)
    took = f"median {1e3 * median(alone):.1f} ms, p99 {1e3 * p99:.1f} ms"
    print(f"{ALONE} requests one by one, {what}: {took}, {1e3 * cost:.2f} ms of processor time each")
    return p99


def undecided_one_by_one(service: Served) -> float:
    """Asks once for an operator of each of some topologies without a standing decision; returns the p99 in seconds."""
    names = [f"undecided-{position}" for position in range(UNDECIDED)]
    with httpx.Client(base_url=service.url, timeout=60) as client:
        for name in names:
            prepare(client, name)
    p99 = find_p99(ask_all(service, [path(name, 0) for name in names], together=False)[0])
    print(f"{UNDECIDED} requests one by one, without a standing decision: p99 {1e3 * p99:.1f} ms")
    return p99


def together(what: str, service: Served, paths: Sequence[str], alone: float) -> None:
    """Asks for many operators at once, and prints the p99 as a multiple of that of one."""
    asked = list(itertools.islice(itertools.cycle(paths), AT_ONCE))
    print(f"{AT_ONCE} requests at once, {what} (wanted: {MOST_RATIO} times):")
    for _ in range(RUNS):
        took, cost = ask_all(service, asked, together=True)
        p99 = find_p99(took)
        print(
            f"  p99 {1e3 * p99:.0f} ms, {p99 / alone:.1f} times that of one; {1e3 * cost:.2f} ms of processor time each"
        )


def prepare(client: httpx.Client, name: str) -> None:
    """Stores a chain of operators with a policy and a snapshot of the last minute."""
    store_chain(client, name, OPERATORS, {"t_max_seconds": 0.4})
    store_minute(client, name, OPERATORS, 0)


def prepare_wide(client: httpx.Client) -> None:
    """Stores a topology of many operators whose standing decision is stored as what differs from an earlier one."""
    store_chain(client, "wide", MOST_OPERATORS, {"k_max": 4 * MOST_OPERATORS})
    for minute in (1, 0):
        store_minute(client, "wide", MOST_OPERATORS, minute)
        assert client.post("/v1/topologies/wide/decisions").status_code == 201


def store_chain(client: httpx.Client, name: str, count: int, goal: dict[str, float]) -> None:
    """Stores a chain of operators with a policy."""
    operators = [f"operator-{position}" for position in range(count)]
    edges = [{"source": a, "target": b, "selectivity": 1.0} for a, b in itertools.pairwise(operators)]
    body = {"name": name, "operators": [{"name": one} for one in operators], "edges": edges}
    assert client.post("/v1/topologies", json=body).status_code == 201
    policy = {"goal": goal, "max_snapshot_age_seconds": 1e6}
    assert client.put(f"/v1/topologies/{name}/policy", json=policy).is_success


def store_minute(client: httpx.Client, name: str, count: int, ago: int) -> None:
    """Stores a snapshot of the minute that ended `ago` minutes before the last one."""
    measured = {
        f"operator-{position}": {"service_rate": 40.0 + 0.1 * ago, "processors": 4}
        for position in range(count)
    }
    at = (datetime.now(UTC) - timedelta(seconds=70 + 60 * ago)).isoformat()
    snapshot = {"observed_at": at, "window_seconds": 60, "external_rate": 100.0, "operators": measured}
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshot).status_code == 201


def path(name: str, position: int) -> str:
    """The address that KEDA asks for the operator at this position."""
    return f"/v1/topologies/{name}/keda/operator-{position}"


def ask_all(service: Served, paths: Sequence[str], *, together: bool) -> tuple[list[float], float]:
    """The seconds of each request, and the processor time of the service per request."""
    before = own_seconds(service.process)
    took = asyncio.run(ask_each(service.url, paths, together=together))
    return took, (own_seconds(service.process) - before) / len(paths)


async def ask_each(url: str, paths: Sequence[str], *, together: bool) -> list[float]:
    """The seconds of each request, from connecting to the last byte."""
    port = int(url.rpartition(":")[2])
    if together:
        return list(await asyncio.gather(*(ask(port, one) for one in paths)))
    return [await ask(port, one) for one in paths]


async def ask(port: int, address: str) -> float:
    """Asks once, on a connection of its own; returns the seconds from connecting to the last byte."""
    started = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 200 "), answer
    return time.perf_counter() - started


def find_p99(took: Sequence[float]) -> float:
    """The time that 99 of 100 requests keep."""
    return sorted(took)[int(0.99 * (len(took) - 1))]


if __name__ == "__main__":
    main()
