"""The time of a plan over HTTP: beside an empty route with the same bodies, and with one worker beside two.

Prints ratios of runs that alternate on one machine. `wrk` drives from the same machine, so with two cores the second
worker shares its core with it: CPU per request says more than requests per second there.
"""

import itertools
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from fastapi import Depends, FastAPI

from app.database.embedded.embedded_postgres import shared_postgres
from app.main import create_app
from app.planning.objectives.optimal import MinLatencyRequest
from app.planning.plans.answers import to_plan_answer
from app.planning.plans.schemas import PlanAnswer
from app.settings import Settings
from app.web.callers.security import may_read
from app.web.routing import SettingsDep
from benchmarks.processes import spent_seconds
from migrations.runner import migrate
from planner.plans.optimal import min_latency

OPERATORS = 10
ROUNDS = 5
SECONDS = 2
CONNECTIONS = 16
PORT = 18471
PLAN = "/v1/plans/min-latency"
EMPTY = "/benchmark/empty"


def make_request() -> MinLatencyRequest:
    """The body of a plan of a chain of ten operators with a loop, and 40 spare processors."""
    names = [f"operator-{position}" for position in range(OPERATORS)]
    edges = [{"source": a, "target": b, "selectivity": 1.1} for a, b in itertools.pairwise(names)]
    body = {
        "topology": {
            "name": "chain",
            "operators": [{"name": name} for name in names],
            "edges": [*edges, {"source": names[4], "target": names[2], "selectivity": 0.1}],
            "entries": [{"operator": names[0]}],
        },
        "load": {
            "external_rate": 100.0,
            "operators": {
                name: {"service_rate": 20.0 + 3 * position, "arrival_scv": 1.2, "service_scv": 0.8}
                for position, name in enumerate(names)
            },
        },
        "k_max": 99,
    }
    return MinLatencyRequest.model_validate(body)


def make_app() -> FastAPI:
    """The service, with a route that takes and returns the same bodies without computing anything."""
    app = create_app(Settings())
    asked = make_request()
    canned = to_plan_answer(
        min_latency(asked.topology.to_values(), asked.load.to_values(), asked.k_max, asked.model)
    )

    @app.post(EMPTY, dependencies=[Depends(may_read)])
    async def answer_at_once(body: MinLatencyRequest, settings: SettingsDep) -> PlanAnswer:  # noqa: ARG001
        return canned

    # Routes are searched in order: the empty route is put first, beside the plan route, so that both are found as fast.
    app.router.routes.insert(0, app.router.routes.pop())
    return app


@contextmanager
def serving(database_url: str, workers: int) -> Iterator[int]:
    """Runs a service in a separate process; yields its process id."""
    environment = os.environ | {"HEADGATE_DATABASE_URL": database_url}
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "benchmarks.service:make_app",
        "--factory",
        "--port",
        str(PORT),
    ]
    options = ["--workers", str(workers), "--no-access-log", "--log-level", "error"]
    # The log lines are part of the cost of a request: they are written, and discarded.
    with subprocess.Popen([*command, *options], env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            with httpx.Client(transport=httpx.HTTPTransport(retries=10), timeout=60) as client:
                body = make_request().model_dump(mode="json", exclude_none=True)
                assert client.post(f"http://127.0.0.1:{PORT}{PLAN}", json=body).json()["stable"]
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)


def drive(path: str) -> float:
    """The number of requests per second that the service answers to wrk."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        body = json.dumps(make_request().model_dump(mode="json", exclude_none=True))
        script.write('wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n')
        script.write(f"wrk.body = [==[{body}]==]\n")
        script.flush()
        url = f"http://127.0.0.1:{PORT}{path}"
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", script.name, url]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in printed, printed
    found = re.search(r"Requests/sec:\s+([\d.]+)", printed)
    assert found, printed
    return float(found.group(1))


def measure(path: str, process: int) -> tuple[float, float]:
    """Requests per second, and CPU seconds per request."""
    before = spent_seconds(process)
    rate = drive(path)
    return rate, (spent_seconds(process) - before) / (rate * SECONDS)


def main() -> None:
    """Prints the table."""
    if shutil.which("wrk") is None:
        sys.exit("This benchmark sends its requests with wrk: install it first.")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        compare_routes(Path(folder))


def compare_routes(data_dir: Path) -> None:
    """Measures both routes in turns, then the service with two workers."""
    with shared_postgres(data_dir) as url:
        migrate(url)
        with serving(url, workers=1) as process:
            drive(PLAN)  # warm
            pairs = [(measure(PLAN, process), measure(EMPTY, process)) for _ in range(ROUNDS)]
        speed = statistics.median(plan[0] / empty[0] for plan, empty in pairs)
        cost = statistics.median(plan[1] / empty[1] for plan, empty in pairs)
        print(f"plan route, N = {OPERATORS}, one worker, beside an empty route with the same bodies:")
        print(f"  requests/s  {speed:.2f} of the empty route's   (wanted: at least 0.5)")
        print(f"  CPU/request {cost:.2f} times the empty route's")
        one = statistics.median(plan[0] for plan, _ in pairs)
        one_cpu = statistics.median(plan[1] for plan, _ in pairs)
        with serving(url, workers=2) as process:
            drive(PLAN)
            both = [measure(PLAN, process) for _ in range(ROUNDS)]
        print("the whole service with 2 workers beside itself with 1:")
        print(f"  requests/s  {statistics.median(rate for rate, _ in both) / one:.2f} times")
        print(f"  CPU/request {statistics.median(cpu for _, cpu in both) / one_cpu:.2f} times")


if __name__ == "__main__":
    main()
