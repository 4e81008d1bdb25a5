"""A stand-in for Flink's REST interface: recorded documents, with counters of a small model and a clock of its own.

It is an engine, not a part of Headgate: tests/engines runs the bridge beside the real one.
"""

import copy
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from app.bridge.events import send_json

GOLDEN = Path(__file__).parents[2] / "golden" / "engines" / "flink"
RECORDED: dict[str, Any] = json.loads((GOLDEN / "job.json").read_text())
DETAILS: dict[str, Any] = json.loads((GOLDEN / "vertex-parse.json").read_text())
OVERVIEW: dict[str, Any] = json.loads((GOLDEN / "overview.json").read_text())
JOBS: dict[str, Any] = json.loads((GOLDEN / "jobs-overview.json").read_text())

VISITS = {"parse": 1.0, "score": 2.0, "Sink: out": 2.0}
SERVICE_SECONDS = {"parse": 0.001, "score": 0.0005, "Sink: out": 0.00001}
IDS = {one["name"]: one["id"] for one in RECORDED["vertices"]}
NAMES = {vertex: name for name, vertex in IDS.items()}


class FlinkStandIn:
    """The job of the recorded documents: arrivals -> parse -> score -> out; each tuple of parse makes two of score."""

    def __init__(self, clock: Callable[[], float] = time.time, *, slots: int = 100) -> None:
        self.clock, self.slots = clock, slots
        self.job, self.scheduler = "137fb1cad48a7720f2976c548dfbb1bd", "Adaptive"
        self.rate = 2000.0
        self.service_seconds = dict(SERVICE_SECONDS)
        self.running = {"Source: arrivals": 1, "parse": 4, "score": 4, "Sink: out": 1}
        self.asked: list[dict[str, int]] = []
        self.requests: list[str] = []
        self.refuses: int | None = None
        self.is_fetching, self.is_rescaling_at_once, self.shows_source = True, True, False
        self.lock = threading.RLock()
        self.start_over()

    def start_over(self) -> None:
        """A new attempt of every vertex: counters begin at 0."""
        with self.lock:
            self.started = self.counted_until = self.clock()
            self.counts = {name: [0.0, 0.0, 0.0] for name in self.running}  # records in, busy ms, idle ms
            self.shown = copy.deepcopy(self.counts)

    def restart(self, job: str) -> None:
        """The same job, submitted again."""
        with self.lock:
            self.job = job
            self.start_over()

    def rescale(self, asked: dict[str, int]) -> None:
        """What is asked for, as far as the slots reach."""
        with self.lock:
            self.running |= {name: min(count, self.slots) for name, count in asked.items()}
            self.start_over()

    def count(self) -> None:
        """Brings the counters to now."""
        now = self.clock()
        seconds, self.counted_until = now - self.counted_until, now
        for name, one in self.counts.items():
            offered = self.rate * VISITS.get(name, 0.0) * seconds
            work, space = offered * self.service_seconds.get(name, 0.0), self.running[name] * seconds
            busy = min(work, space)
            served = offered * busy / work if work else self.rate * seconds
            one[0] += served
            one[1] += 1000.0 * busy
            one[2] += 1000.0 * (space - busy)
        if self.is_fetching:
            self.shown = copy.deepcopy(self.counts)

    def read_metrics(self, name: str, part: float = 1.0) -> dict[str, Any]:
        """The counters of a vertex as its documents show them; the first one is a legacy source."""
        records, busy, idle = (value * part for value in self.shown[name])
        is_source = name == "Source: arrivals"
        metrics = {
            "read-records": 0 if is_source else int(records),
            "write-records": int(records * {"parse": 2, "Sink: out": 0}.get(name, 1)),
            "accumulated-idle-time": 0 if is_source else round(idle),
            "accumulated-busy-time": "NaN" if is_source else float(round(busy)),
            "accumulated-backpressured-time": 0,
        }
        return dict(RECORDED["vertices"][0]["metrics"]) | metrics

    def get(self, path: str) -> Any:
        """The document at a path; None: 404."""
        with self.lock:
            fetched = (
                self.shown
            )  # a question about metrics is answered from the fetch of the question before it
            self.count()
            now = int(1000 * self.clock())
            if path == "/jobs/overview":
                return self.list_jobs(now)
            used = max(self.running.values())
            about = {"slots-total": self.slots, "slots-available": self.slots - used}
            documents = {"/overview": OVERVIEW | about, "/jobmanager/config": []}
            documents[f"/jobs/{self.job}"] = self.describe_job(now)
            for vertex in NAMES:
                at = f"/jobs/{self.job}/vertices/{vertex}"
                documents |= {at: self.describe_vertex(vertex, now), f"{at}/subtasks/metrics": []}
            if self.shows_source:
                at = f"/jobs/{self.job}/vertices/{IDS['Source: arrivals']}/subtasks/metrics"
                name, emitted = "Source__arrivals.numRecordsOut", int(fetched["Source: arrivals"][0])
                counted: dict[str, Any] = {
                    at: [{"id": name}],
                    f"{at}?get={name}": [{"id": name, "sum": emitted}],
                }
                documents |= counted
            return documents.get(path, [] if "numBuffersIn" in path else None)

    def list_jobs(self, now: int) -> dict[str, Any]:
        """The list of jobs."""
        started = int(1000 * self.started)
        seen = {"jid": self.job, "schedulerType": self.scheduler, "start-time": started}
        return {"jobs": [JOBS["jobs"][0] | seen | {"duration": now - started}]}

    def describe_job(self, now: int) -> dict[str, Any]:
        """The job's document."""
        document = copy.deepcopy(RECORDED)
        started = int(1000 * self.started)
        document |= {"jid": self.job, "now": now, "start-time": started, "duration": now - started}
        document |= {"schedulerType": self.scheduler}
        document["timestamps"]["RUNNING"] = started
        for one in document["vertices"]:
            one |= {
                "parallelism": self.running[one["name"]],
                "start-time": started,
                "duration": now - started,
            }
            one["metrics"] = self.read_metrics(one["name"])
        for node in document["plan"]["nodes"]:
            node["parallelism"] = self.running[NAMES[node["id"]]]
        return document

    def describe_vertex(self, vertex: str, now: int) -> dict[str, Any]:
        """The document of a vertex, with even subtasks."""
        name = NAMES[vertex]
        count = self.running[name]
        subtasks = [
            DETAILS["subtasks"][0] | {"subtask": place, "metrics": self.read_metrics(name, 1.0 / count)}
            for place in range(count)
        ]
        return DETAILS | {"id": vertex, "name": name, "parallelism": count, "now": now, "subtasks": subtasks}

    def put(self, path: str, body: Any) -> tuple[int, Any]:
        """PUT /jobs/:id/resource-requirements, as put-traps.json has it."""
        with self.lock:
            if path != f"/jobs/{self.job}/resource-requirements":
                return 404, {"errors": ["Unable to load requested file."]}
            if self.refuses is not None:
                return self.refuses, {"errors": ["java.lang.UnsupportedOperationException: refused"]}
            if set(body) != set(NAMES):
                return 400, {
                    "errors": ["The request is incomplete, missing job vertex resource requirements."]
                }
            self.count()
            asked = {NAMES[vertex]: one["parallelism"]["upperBound"] for vertex, one in body.items()}
            self.asked.append(asked)
            if self.is_rescaling_at_once:
                self.rescale(asked)
            return 200, {}


def make_handler(engine: FlinkStandIn) -> type[BaseHTTPRequestHandler]:
    """The HTTP of a stand-in."""

    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1  # headers and body in one packet: the second of two would wait for an acknowledgement

        def do_GET(self) -> None:
            engine.requests.append(f"GET {self.path}")
            found = engine.get(self.path)
            send_json(
                self, 404 if found is None else 200, {"errors": ["Not found."]} if found is None else found
            )

        def do_PUT(self) -> None:
            engine.requests.append(f"PUT {self.path}")
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            send_json(self, *engine.put(self.path, json.loads(sent)))

        def log_message(self, *_arguments: object) -> None:
            pass

    return Handler


class Server(ThreadingHTTPServer):
    """A server that a killed client does not disturb."""

    daemon_threads = True

    def handle_error(self, *_of: object) -> None:
        pass


@contextmanager
def serving(engine: FlinkStandIn, port: int = 0) -> Iterator[str]:
    """Serves a stand-in; the answer is its address."""
    server = Server(("127.0.0.1", port), make_handler(engine))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
