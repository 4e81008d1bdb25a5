"""Traces and metrics by OTLP, where OpenTelemetry's usual variables name an endpoint; else nothing of it is loaded.

Each request is a span, and a value of the histogram `http.server.request.duration`; each computation of the planner is
a value of `headgate.planner.duration`. Names are those of OpenTelemetry's semantic conventions.
"""

import logging
import os
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Protocol

log = logging.getLogger(__name__)

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
ENDPOINTS = (ENDPOINT, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")
PROTOCOL, PROTOCOLS = "OTEL_EXPORTER_OTLP_PROTOCOL", {"http/protobuf", ""}
FIRST_FAILURE = 500


class Telemetry(Protocol):
    """What is told of requests and computations."""

    def record_request(
        self, method: str, route: str, status: int, seconds: float, headers: Mapping[str, str]
    ) -> None:
        """Tells of a request that was just answered."""

    def record_planner(self, call: str, seconds: float) -> None:
        """Tells of a computation of the planner."""

    def close(self) -> None:
        """Sends what is left."""


class Current:
    """The telemetry of this process; None: nobody asked for it."""

    telemetry: Telemetry | None = None


def is_wanted() -> bool:
    """Whether the usual variables ask for traces or metrics."""
    return (
        any(os.environ.get(name) for name in ENDPOINTS) and os.environ.get("OTEL_SDK_DISABLED", "") != "true"
    )


def start_telemetry() -> None:
    """Begins to send, if that is asked for; says in the log why it cannot."""
    if not is_wanted():
        return
    if os.environ.get(PROTOCOL, "") not in PROTOCOLS:
        log.warning("telemetry is not sent: %s must be http/protobuf", PROTOCOL)
        return
    try:
        Current.telemetry = OtlpTelemetry()
    except ModuleNotFoundError as error:
        log.warning("telemetry is not sent: %s is missing: pip install 'headgate[telemetry]'", error.name)


def stop_telemetry() -> None:
    """Sends what is left, and ends."""
    telemetry, Current.telemetry = Current.telemetry, None
    if telemetry is not None:
        telemetry.close()


class OtlpTelemetry:
    """Sends spans and metrics by OTLP over HTTP, in threads of the SDK, to the endpoints that the variables name."""

    def __init__(self) -> None:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
        from opentelemetry.trace import SpanKind, Status, StatusCode
        from opentelemetry.trace.propagation.tracecontext import (
            TraceContextTextMapPropagator,
        )

        named = {"service.version": version("headgate")}
        if "OTEL_SERVICE_NAME" not in os.environ:
            named["service.name"] = "headgate"
        resource = Resource.create(named)
        self._traces = TracerProvider(resource=resource)
        self._traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self._metrics = MeterProvider(
            resource=resource, metric_readers=[PeriodicExportingMetricReader(OTLPMetricExporter())]
        )
        self._tracer = self._traces.get_tracer("headgate")
        meter = self._metrics.get_meter("headgate")
        self._requests = meter.create_histogram("http.server.request.duration", "s")
        self._planner = meter.create_histogram("headgate.planner.duration", "s")
        self._find_parent = TraceContextTextMapPropagator().extract
        self._kind, self._failed = SpanKind.SERVER, Status(StatusCode.ERROR)

    def record_request(
        self, method: str, route: str, status: int, seconds: float, headers: Mapping[str, str]
    ) -> None:
        """A span that ends now, within the trace that the caller began, and a value of the histogram."""
        said: dict[str, Any] = {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
        }
        ended = time.time_ns()
        span = self._tracer.start_span(
            f"{method} {route}",
            context=self._find_parent(headers),
            kind=self._kind,
            attributes=said,
            start_time=ended - round(seconds * 1e9),
        )
        if status >= FIRST_FAILURE:
            span.set_status(self._failed)
        span.end(ended)
        self._requests.record(seconds, said)

    def record_planner(self, call: str, seconds: float) -> None:
        """A value of the histogram of computations."""
        self._planner.record(seconds, {"headgate.call": call})

    def close(self) -> None:
        """Sends what is left; a receiver that is away is not waited for beyond the SDK's own limits."""
        self._traces.shutdown()
        self._metrics.shutdown()
