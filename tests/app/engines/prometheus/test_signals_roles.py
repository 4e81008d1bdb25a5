"""app/engines/prometheus/signals.py: what a query measures, and over which time."""

import pytest

from app.engines.prometheus import signals
from app.engines.prometheus.asking import list_flink_queries
from tests.app.engines.prometheus.recorded import METRIC, PROCESSORS, SENT, SERVED, SERVICE


@pytest.mark.parametrize(
    ("query", "role", "factor"),
    [
        (SERVED, "served_rate", 1.0),
        (SENT, "sent_rate", 1.0),
        (SERVICE, "service_rate", 1.0),
        (SERVICE.removesuffix(" * 1000"), "service_rate", 1000.0),
        (PROCESSORS, "processors", 1.0),
        (f"sum by (task_name) (rate({METRIC}accumulateBusyTimeMs[30s]))", "busy_processors", 1e-3),
        (f"sum by (task_name) (rate({METRIC}accumulateBusyTimeMs[30s])) / 1000", "busy_processors", 1.0),
    ],
)
def test_queries_on_the_counters_of_flink_are_known(query: str, role: signals.Role, factor: float):
    assert signals.recognise(query) == signals.Query(role, factor)


@pytest.mark.parametrize(
    "role", [role for role in list_flink_queries(None) if role != "unchanged_processors"]
)
def test_the_queries_that_are_asked_are_known(role: signals.Role):
    assert signals.recognise(list_flink_queries("a job")[role].replace("{window}", "30s")) == signals.Query(
        role
    )


@pytest.mark.parametrize(
    "query",
    [
        "",
        "up",
        f"{METRIC}numRecordsIn",
        f"avg by (task_name)(rate({METRIC}numRecordsIn[1m]))",
        f"sum by (task_name)({METRIC}numRecordsIn)",
        f"sum(rate({METRIC}busyTimeMsPerSecond[1m]))",
        f"sum(rate({METRIC}accumulateBusyTimeMs[1m])) / sum(rate({METRIC}numRecordsIn[1m]))",
        f"sum(rate({METRIC}numRecordsIn[1m])) + sum(rate({METRIC}numRecordsOut[1m]))",
        f"count({METRIC}numRecordsIn and {METRIC}numRecordsIn offset 1m)",
        f"sum(rate({METRIC}numRecordsIn[1m])) / sum(rate(other[1m])) / sum(rate({METRIC}accumulateBusyTimeMs[1m]))",
    ],
)
def test_a_query_that_may_be_anything_has_no_role(query: str):
    assert signals.recognise(query) is None


def test_the_path_has_the_last_word():
    assert signals.name_role({"query": SERVED, "role": "arrival_rate"}) == signals.Query("arrival_rate")
    assert signals.name_role({"query": SERVED, "role": "speed"}) is None
    assert signals.name_role({"query": SERVED}) == signals.Query("served_rate")


def test_a_recording_rule_says_its_role_by_its_name():
    labels = {
        "__name__": "headgate:arrival_rate",
        "topology": "shop",
        "operator": "score",
        "window_seconds": "60",
        "x": "y",
    }
    found = {"role": "arrival_rate", "topology": "shop", "operator": "score", "window_seconds": "60"}
    assert signals.read_rule(labels) == found
    assert signals.read_rule({"__name__": "up"}) is None
    assert signals.read_rule({}) is None


@pytest.mark.parametrize(
    ("parameters", "seconds"),
    [
        ({"query": SERVED, "step": "15"}, 60.0),
        ({"query": "sum(rate(a[1m])) / sum(rate(b[5m30s]))"}, 330.0),
        ({"query": "max_over_time(rate(a[1m])[10m:30s])"}, 600.0),
        ({"query": SERVED, "window_seconds": "90"}, 90.0),
        ({"query": "up", "step": "15s"}, 15.0),
        ({"query": "up", "step": "0.5"}, None),
        ({"query": "up[99d]"}, None),
        ({"step": "9" * 4000}, None),
        ({}, None),
    ],
)
def test_the_window_is_the_range_of_the_query(parameters: dict[str, str], seconds: float | None):
    assert signals.find_window(parameters) == seconds
