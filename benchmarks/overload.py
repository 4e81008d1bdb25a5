"""Overloads: many small plans and a silent database (small_plans.py), and 64 large plans at once.

Of the large ones: times of health checks, accepted plans and refused plans.

The clients run on the same machine as the service, so the times hold their own work too.
"""

import itertools
import json
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from app.database.embedded.embedded_postgres import shared_postgres
from benchmarks import small_plans
from benchmarks.service import PLAN, PORT, serving
from migrations.runner import migrate

OPERATORS = 9_000
AT_ONCE = 64
HEALTH = ("/healthz", "/readyz", "/metrics")
URL = f"http://127.0.0.1:{PORT}"


def make_large_request() -> bytes:
    """The body of a plan of a long chain of operators, about 1.3 MB."""
    names = [f"operator-{position}" for position in range(OPERATORS)]
    body = {
        "topology": {
            "operators": [{"name": name} for name in names],
            "edges": [{"source": a, "target": b, "selectivity": 1.0} for a, b in itertools.pairwise(names)],
        },
        "load": {
            "external_rate": 100.0,
            "operators": {name: {"service_rate": 20.0 + position % 7} for position, name in enumerate(names)},
        },
        "k_max": 8 * OPERATORS,
    }
    return json.dumps(body).encode()


def ask(path: str, body: bytes | None = None) -> tuple[float, httpx.Response]:
    """Sends a request on a new connection; returns the seconds from connecting to the last byte, and the answer."""
    with httpx.Client(base_url=URL, timeout=300) as client:
        started = time.perf_counter()
        if body is None:
            answer = client.get(path)
        else:
            answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
        return time.perf_counter() - started, answer


class Watched(NamedTuple):
    """The seconds of each request that succeeded, and how often which failure was seen."""

    took: list[float]
    failures: Counter[str]

    def write(self) -> str:
        """A line of what was seen."""
        failed = "".join(f"; failed {count} times: {what}" for what, count in self.failures.most_common(3))
        if not self.took:
            return f"no request succeeded{failed}"
        wait = f"median {statistics.median(self.took):.3f} s, longest {max(self.took):.2f} s (wanted: 1)"
        return f"{wait}, answered {len(self.took)} times{failed}"


@contextmanager
def watching(path: str) -> Iterator[Watched]:
    """Repeats a request until the plans are answered; returns the time of each, and what failed."""
    watched = Watched([], Counter())
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            try:
                seconds, answer = ask(path)
            except httpx.HTTPError as error:
                watched.failures[f"{type(error).__name__}: {error}"] += 1
                continue
            if answer.is_success:
                watched.took.append(seconds)
            else:
                watched.failures[f"status {answer.status_code}: {answer.text[:200]}"] += 1

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield watched
    finally:
        done.set()
        thread.join()


def main() -> None:
    """Prints the tables."""
    small_plans.run_all()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        with shared_postgres(Path(folder)) as url:
            migrate(url)
            with serving(url, workers=1):
                overload()


def overload() -> None:
    """Measures one plan alone, then many plans at once."""
    body = make_large_request()
    for path in HEALTH:
        ask(path)  # warm: a service that runs is asked every few seconds
    ask(PLAN, body)
    alone = statistics.median(ask(PLAN, body)[0] for _ in range(5))
    with (
        ThreadPoolExecutor(AT_ONCE) as pool,
        watching(HEALTH[0]) as live,
        watching(HEALTH[1]) as ready,
        watching(HEALTH[2]) as metrics,
    ):
        answers = list(pool.map(lambda _: ask(PLAN, body), range(AT_ONCE)))
    accepted = [seconds for seconds, answer in answers if answer.status_code == 200]
    refused = [(seconds, answer) for seconds, answer in answers if answer.status_code == 503]
    assert len(accepted) + len(refused) == AT_ONCE, {answer.status_code for _, answer in answers}
    print(f"{AT_ONCE} plans of {OPERATORS} operators at once on one worker; one alone takes {alone:.2f} s:")
    print(
        f"  accepted {len(accepted)}: the last after {max(accepted) / alone:.1f} times one alone (wanted: 12)"
    )
    if refused:
        last = max(seconds for seconds, _ in refused)
        hints = sorted({int(answer.headers["Retry-After"]) for _, answer in refused})
        print(f"  refused {len(refused)}: the last after {last:.2f} s (wanted: 1), Retry-After {hints} s")
    for path, watched in zip(HEALTH, (live, ready, metrics), strict=True):
        print(f"  {path}: {watched.write()}")


if __name__ == "__main__":
    main()
