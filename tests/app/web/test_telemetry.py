"""What a real OTLP receiver gets from a service, and that nothing of it is loaded unless it is asked for."""

import logging
import subprocess
import sys

import httpx
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from app.web import telemetry
from tests.app.processes import StartService, environment
from tests.app.receivers import open_receiver

PLAN = {
    "topology": {"operators": [{"name": "parse"}], "edges": []},
    "load": {"external_rate": 10.0, "operators": {"parse": {"service_rate": 40.0}}},
    "k_max": 2,
}
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture(autouse=True)
def unasked(monkeypatch: pytest.MonkeyPatch):
    for name in (*telemetry.ENDPOINTS, telemetry.PROTOCOL, "OTEL_SDK_DISABLED"):
        monkeypatch.delenv(name, raising=False)


def test_a_receiver_gets_spans_and_durations(
    start_service: StartService, database_url: str, monkeypatch: pytest.MonkeyPatch
):
    with open_receiver() as receiver:
        receiver.status = 200
        monkeypatch.setenv(telemetry.ENDPOINT, receiver.url.removesuffix("/hook"))
        service = start_service(database_url=database_url)
        traced = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
        httpx.post(f"{service.url}/v1/plans/min-latency", json=PLAN, headers=traced).raise_for_status()
        assert httpx.get(f"{service.url}/v1/topologies/no-such").status_code == 404
        assert service.stop() == 0, "what is left is sent before the end"
    sent = list(zip(receiver.asked, receiver.bodies, strict=True))
    traces = [ExportTraceServiceRequest.FromString(body) for path, body in sent if path == "/v1/traces"]
    resources = [one for trace in traces for one in trace.resource_spans]
    said = {one.key: one.value.string_value for one in resources[0].resource.attributes}
    assert said["service.name"] == "headgate"
    spans = {span.name: span for one in resources for scope in one.scope_spans for span in scope.spans}
    plan = spans["POST /v1/plans/min-latency"]
    assert (plan.trace_id.hex(), plan.parent_span_id.hex()) == (TRACE, PARENT)
    assert plan.end_time_unix_nano > plan.start_time_unix_nano
    missing = {one.key: one.value for one in spans["GET /v1/topologies/{name}"].attributes}
    assert missing["http.response.status_code"].int_value == 404
    metrics = [ExportMetricsServiceRequest.FromString(body) for path, body in sent if path == "/v1/metrics"]
    found = {
        metric.name: metric
        for one in metrics
        for resource in one.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert sum(point.count for point in found["http.server.request.duration"].histogram.data_points) >= 2
    assert found["headgate.planner.duration"].histogram.data_points


def test_nothing_is_loaded_unless_it_is_asked_for():
    looked = (
        "import sys; from app.web.telemetry import Current, start_telemetry; start_telemetry(); import app.main; "
        "assert Current.telemetry is None; print([one for one in sys.modules if one.startswith('opentelemetry.sdk')])"
    )
    command = [sys.executable, "-c", looked]
    ended = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


@pytest.mark.parametrize(
    ("variables", "is_wanted"),
    [
        ({}, False),
        ({telemetry.ENDPOINT: ""}, False),
        ({telemetry.ENDPOINT: "http://127.0.0.1:9"}, True),
        ({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://127.0.0.1:9"}, True),
        ({telemetry.ENDPOINT: "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_the_usual_variables_ask_for_it(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], *, is_wanted: bool
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert telemetry.is_wanted() is is_wanted


def test_another_protocol_is_a_warning(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    monkeypatch.setenv(telemetry.ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setenv(telemetry.PROTOCOL, "grpc")
    with caplog.at_level(logging.WARNING):
        telemetry.start_telemetry()
    assert telemetry.Current.telemetry is None
    assert "must be http/protobuf" in caplog.text
