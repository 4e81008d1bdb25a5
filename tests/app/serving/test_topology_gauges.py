"""Gauges of topologies: what is stored, from every worker; what is not known or too old is absent."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from anyio import CapacityLimiter, run
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import Engine

from app.described.topology import FPD
from app.serving.topology_gauges import OF_TOPOLOGY, Bounds, TopologyGauges, read_gauges
from app.storage.sessions import make_metrics_engine
from migrations.runner import migrate
from tests.app.decision_calls import ENOUGH, RATES, TARGET, put_policy
from tests.app.processes import PATIENCE_SECONDS, StartService, find_workers, wait_until

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
ROW: dict[str, Any] = {
    "name": "clicks",
    "observed_at": NOW - timedelta(seconds=100),
    "window_seconds": 60.0,
    "external_rate": 100.0,
    "measured": 1,
    "measured_sojourn_seconds": 0.12,
    "operators": 2,
    "running": {"parse": 4, "score": 8},
    "limit_seconds": None,
    "decided_for": NOW - timedelta(seconds=40),
    "recommended": {"parse": 4, "score": 9},
    "expected": 0.1,
    "expected_of_running": 0.11,
    "stable": True,
    "decided_rate": 100.0,
    "holds_up_to_rate": 107.0,
}
NEWEST = "x \"new'"
Samples = dict[tuple[str, ...], float]


MANY = Bounds(10, 10)


def name_sample(sample: Any) -> tuple[str, ...]:
    """The metric without `headgate_`, and the values of its labels."""
    labels = [sample.labels[one] for one in ("topology", "operator", "kind") if one in sample.labels]
    return (sample.name.removeprefix("headgate_"), *labels)


def collect(*rows: dict[str, Any], bounds: Bounds = MANY) -> Samples:
    families = TopologyGauges(list(rows), bounds, NOW).collect()
    return {name_sample(one): one.value for family in families for one in family.samples}


def test_every_value_has_its_gauge():
    assert collect(ROW) == {
        ("topology_gauges_up",): 1.0,
        ("topology_gauges_omitted", "topologies"): 0,
        ("topology_gauges_omitted", "operators"): 0,
        ("processors", "clicks", "parse", "running"): 4,
        ("processors", "clicks", "score", "running"): 8,
        ("processors", "clicks", "parse", "recommended"): 4,
        ("processors", "clicks", "score", "recommended"): 9,
        ("snapshot_age_seconds", "clicks"): 40.0,
        ("external_rate", "clicks"): 100.0,
        ("measured_sojourn_seconds", "clicks"): 0.12,
        ("running_sojourn_seconds", "clicks"): 0.11,
        ("running_stable", "clicks"): 1.0,
        ("expected_sojourn_seconds", "clicks"): 0.1,
        ("headroom_rate", "clicks"): 7.0,
    }


def test_what_is_not_known_is_absent():
    unknown = dict.fromkeys(("measured_sojourn_seconds", "expected_of_running", "holds_up_to_rate"))
    found = collect(
        ROW | unknown | {"running": {"parse": None, "score": 8}, "stable": False, "decided_for": None}
    )
    assert set(found) == {
        ("topology_gauges_up",),
        ("topology_gauges_omitted", "topologies"),
        ("topology_gauges_omitted", "operators"),
        ("processors", "clicks", "score", "running"),
        ("snapshot_age_seconds", "clicks"),
        ("external_rate", "clicks"),
    }
    overloaded = collect(ROW | unknown | {"stable": False})
    assert overloaded["running_stable", "clicks"] == 0.0
    assert not {"running_sojourn_seconds", "headroom_rate"} & {key[0] for key in overloaded}


def test_what_is_too_old_is_absent_but_for_its_age():
    hour_ago = {"observed_at": NOW - timedelta(hours=1), "decided_for": NOW - timedelta(minutes=59)}
    assert [key for key in collect(ROW | hour_ago) if key[1:] == ("clicks",)] == [
        ("snapshot_age_seconds", "clicks")
    ]
    assert not any(key[0] == "processors" for key in collect(ROW | hour_ago))
    assert collect(ROW | hour_ago | {"limit_seconds": 4000}).keys() == collect(ROW).keys()


def test_what_the_bounds_leave_out_is_counted():
    found = collect(ROW | {"measured": 7, "operators": 30}, ROW | {"name": "b"}, bounds=Bounds(2, 10))
    assert found["topology_gauges_omitted", "topologies"] == 5
    assert found["topology_gauges_omitted", "operators"] == 20
    assert collect(bounds=Bounds(0, 10)) == {}


@pytest.fixture
def silent_url() -> Iterator[str]:
    """The address of a server that accepts connections and never answers, as a database in trouble may."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"postgresql+psycopg://nobody@127.0.0.1:{server.getsockname()[1]}/none"


def read(engine: Engine) -> list[Any]:
    async def ask() -> list[Any]:
        gauges = await read_gauges(engine, Bounds(10, 10), CapacityLimiter(1))
        return [(family.name, [one.value for one in family.samples]) for family in gauges.collect()]

    return run(ask)


def test_a_database_that_is_away_or_silent_is_said(silent_url: str):
    away = make_metrics_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    for engine in (away, make_metrics_engine(silent_url)):
        assert read(engine) == [("headgate_topology_gauges_up", [0.0])]


def scrape(url: str) -> Samples:
    answer = httpx.get(f"{url}/metrics", timeout=PATIENCE_SECONDS)
    assert answer.status_code == 200
    return {
        name_sample(one): one.value
        for family in text_string_to_metric_families(answer.text)
        if family.name.removeprefix("headgate_") in {*OF_TOPOLOGY, "processors"}
        or family.name.startswith("headgate_topology_gauges")
        for one in family.samples
    }


def store(client: httpx.Client, name: str, minutes_ago: int) -> None:
    began = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    load = {"observed_at": began.isoformat(), "external_rate": 480.0, "operators": operators}
    assert client.post("/v1/topologies", json=FPD | {"name": name}).status_code == 201
    assert client.post(f"/v1/topologies/{name}/snapshots", json=load).status_code == 201


def test_every_worker_says_what_is_stored_within_the_bounds(
    start_service: StartService, empty_database_url: str
):
    service = start_service(
        "--workers", "2", database_url=empty_database_url, metrics_topologies="2", metrics_operators="2"
    )
    wait_until(lambda: len(find_workers(service)) == 2, "both workers serve")
    with httpx.Client(base_url=service.url, timeout=PATIENCE_SECONDS) as client:
        for name, minutes_ago in ((NEWEST, 2), ("older", 3), ("oldest", 4)):
            store(client, name, minutes_ago)
        put_policy(client, "older", TARGET)
        made = client.post("/v1/topologies/older/decisions").json()
        expected = {
            ("processors", "older", "detector", "running"): 13,
            ("processors", "older", "detector", "recommended"): made["processors"]["recommended"]["detector"],
            ("external_rate", "older"): 480.0,
            ("running_stable", "older"): 0.0,
            ("expected_sojourn_seconds", "older"): made["expected_sojourn_seconds"],
            ("headroom_rate", "older"): made["counterfactuals"]["holds_up_to_rate"] - 480.0,
            ("processors", NEWEST, "generator", "running"): 6,
            ("topology_gauges_up",): 1.0,
            ("topology_gauges_omitted", "topologies"): 1.0,
            ("topology_gauges_omitted", "operators"): 2.0,
        }
        for _ in range(8):  # connections of their own, so that both workers answer
            found = scrape(service.url)
            assert found.items() >= expected.items()
            assert not any("oldest" in key or "reporter" in key for key in found)
            assert ("expected_sojourn_seconds", NEWEST) not in found
        assert client.delete("/v1/topologies/older").status_code == 204
        assert not any("older" in key for key in scrape(service.url))
        assert ("external_rate", "oldest") in scrape(service.url)
        migrate(empty_database_url, "base")
        assert scrape(service.url) == {("topology_gauges_up",): 0.0}
