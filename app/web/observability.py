"""Logs and metrics: a request id in every line and answer, one line per request, metrics for Prometheus."""

import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)
from prometheus_client.registry import REGISTRY, Collector
from sqlalchemy import Engine, event
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from app.web.middleware import HttpMiddleware
from app.web.problems.database_trouble import PoolFilter
from app.web.problems.problem_answers import request_id
from app.web.telemetry import Current

log = logging.getLogger("headgate.requests")

disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series for each counter, which nobody uses

_ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")

REQUESTS = Counter("headgate_requests", "Requests answered", ["method", "route", "status"])
LATENCY = Histogram(
    "headgate_request_seconds",
    "Time from the first byte of a request to the last of its answer",
    ["method", "route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
PLANNER = Histogram(
    "headgate_planner_seconds",
    "Time inside the planner, by call",
    ["call"],
    buckets=(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5),
)
POOL = Gauge(
    "headgate_database_connections",
    "Database connections of the pool by state",
    ["state"],
    multiprocess_mode="livesum",
)


CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that end a line, command a terminal or change the direction of text."""


def escape_controls(text: str) -> str:
    """The text with control characters written as in JSON, so that a path in a request cannot forge a log line."""
    return CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write_field(value: object) -> str:
    """The value for a text log; a text with spaces or quotes stands in quotes, so that it ends where it seems to."""
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if re.search(r'[\s"]', text) else text


class JsonFormatter(logging.Formatter):
    """Formats a log record as one JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": request_id.get(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return escape_controls(json.dumps(line, ensure_ascii=False, default=str))


class TextFormatter(logging.Formatter):
    """Formats a log record as one line of text, for a person at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        fields = " ".join(
            f"{name}={write_field(value)}" for name, value in getattr(record, "fields", {}).items()
        )
        line = escape_controls(f"{at} {record.levelname.lower():7} {record.getMessage()} {fields}".rstrip())
        return line + ("\n" + self.formatException(record.exc_info) if record.exc_info else "")


def configure_logging(log_format: str, level: str) -> None:
    """Writes all log lines, also those of uvicorn, to standard error in one format."""
    as_text = log_format == "text" or (log_format == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TextFormatter() if as_text else JsonFormatter())
    handler.addFilter(PoolFilter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "alembic"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.access").disabled = True  # RequestRecorder writes a line with more fields
    for name in ("alembic", "sqlalchemy.pool"):
        logging.getLogger(name).setLevel(logging.WARNING)


class RequestRecorder(HttpMiddleware):
    """ASGI middleware: gives each request its id, counts and times it, and writes its log line."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent_id = Headers(scope=scope).get("x-request-id", "")
        answered_id = sent_id if _ACCEPTABLE_ID.fullmatch(sent_id) else os.urandom(16).hex()
        token = request_id.set(answered_id)
        started = time.perf_counter()
        status = 500

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = answered_id
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        finally:
            record_request(scope, status, time.perf_counter() - started)
            request_id.reset(token)


def record_request(scope: Scope, status: int, seconds: float) -> None:
    """Counts, times and logs a request. Metrics hold the route's template, not its path with names in it."""
    method = (
        scope["method"]
        if scope["method"] in {"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"}
        else "other"
    )
    template = getattr(scope.get("route"), "path_format", "unmatched")
    REQUESTS.labels(method, template, str(status)).inc()
    LATENCY.labels(method, template).observe(seconds)
    if (telemetry := Current.telemetry) is not None:
        telemetry.record_request(method, template, status, seconds, Headers(scope=scope))
    if log.isEnabledFor(logging.INFO):
        fields = {
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "ms": round(seconds * 1000, 3),
        }
        if key := scope.get("state", {}).get("caller"):
            fields["key"] = key.name
        # `log.info` would first look for the line of code that calls it, which no format writes.
        log.handle(
            log.makeRecord(log.name, logging.INFO, __file__, 0, "request", (), None, extra={"fields": fields})
        )


@contextmanager
def time_planner(call: str) -> Iterator[None]:
    """A context that counts its seconds as time in the planner, for the metrics, under the name `call`."""
    started = time.perf_counter()
    try:
        with PLANNER.labels(call).time():
            yield
    finally:
        if (telemetry := Current.telemetry) is not None:
            telemetry.record_planner(call, time.perf_counter() - started)


def observe_pool(engine: Engine) -> None:
    """Updates the gauge of the database pool at every change, so that each worker can report the gauges of all
    workers.
    """

    def moving(state: str, step: int) -> Callable[..., None]:
        gauge = POOL.labels(state)
        return lambda *_: gauge.inc(step)

    for name, state, step in (
        ("connect", "open", 1),
        ("close", "open", -1),
        ("checkout", "busy", 1),
        ("checkin", "busy", -1),
    ):
        event.listen(engine, name, moving(state, step))


def render_metrics(*others: Collector) -> Response:
    """The metrics of all workers in the text format of Prometheus, and those of `others`, which all workers share."""
    registry = REGISTRY
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:  # the supervisor sets it, also for itself
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    more = CollectorRegistry()
    for other in others:
        more.register(other)
    return Response(generate_latest(registry) + generate_latest(more), media_type=CONTENT_TYPE_LATEST)
