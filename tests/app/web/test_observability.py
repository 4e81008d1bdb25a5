"""Request ids, log lines, metrics."""

import json
import logging

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.web.observability import JsonFormatter, TextFormatter
from tests.app.processes import Service


def read_metrics(client: httpx.Client) -> dict[tuple[str, str], float]:
    """Every sample, by name and labels."""
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {
        (one.name, str(sorted(one.labels.items()))): one.value
        for family in families
        for one in family.samples
    }


def test_every_request_is_counted_by_its_route_and_status(client: httpx.Client, stored: str):
    key = (
        "headgate_requests_total",
        "[('method', 'GET'), ('route', '/v1/topologies/{name}'), ('status', '200')]",
    )
    before = read_metrics(client).get(key, 0.0)
    for _ in range(3):
        client.get(f"/v1/topologies/{stored}")
    after = read_metrics(client)
    assert after[key] - before == 3
    assert not any(stored in labels for name, labels in after if "request" in name or "planner" in name), (
        "a name in a label makes a series for each topology"
    )
    count = ("headgate_request_seconds_count", "[('method', 'GET'), ('route', '/v1/topologies/{name}')]")
    assert after[count] >= 3


def test_the_planner_and_the_pool_are_measured(client: httpx.Client, stored: str):
    key = ("headgate_planner_seconds_count", "[('call', 'estimate')]")
    before = read_metrics(client).get(key, 0.0)
    client.post(f"/v1/topologies/{stored}/estimate")
    after = read_metrics(client)
    assert after[key] - before == 1
    assert after[("headgate_database_connections", "[('state', 'open')]")] >= 1
    assert after[("headgate_database_connections", "[('state', 'busy')]")] == 0


def test_a_request_id_is_taken_over_answered_and_logged(client: httpx.Client, service: Service):
    answer = client.get("/v1/topologies/none-of-this-name", headers={"X-Request-Id": "from-the-caller-1"})
    assert answer.headers["X-Request-Id"] == "from-the-caller-1"
    line = json.loads(service.wait_for_line("from-the-caller-1"))
    assert (line["status"], line["method"]) == (404, "GET")
    assert line["path"] == "/v1/topologies/none-of-this-name"
    made_up = client.get("/healthz", headers={"X-Request-Id": "no good, id\twith blanks"})
    assert len(made_up.headers["X-Request-Id"]) == 32


def test_every_log_line_is_one_json_object(client: httpx.Client, service: Service):
    client.get("/healthz")
    for line in list(service.lines):
        assert {"at", "level", "message"} <= json.loads(line).keys()


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
@pytest.mark.parametrize("control", ["\n", "\r", "\x1b[2J", "\x9b2J", "\x85", "\u2028", "\u202e"])
def test_a_path_forges_no_line_and_commands_no_terminal(formatter: logging.Formatter, control: str):
    record = logging.makeLogRecord(
        {"msg": "request", "fields": {"path": f"/v1/{control}12:00:00 info forged"}}
    )
    line = formatter.format(record)
    assert line.isprintable()
    assert len(line.splitlines()) == 1


def test_a_path_with_spaces_stands_in_quotes_in_a_text_log():
    fields = {"path": '/v1/x status=200 "', "status": 404}
    line = TextFormatter().format(logging.makeLogRecord({"msg": "request", "fields": fields}))
    assert line.endswith(r'path="/v1/x status=200 \"" status=404')
