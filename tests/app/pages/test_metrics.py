"""Gauges of topologies: what is stored, from every worker; what is not known or too old is absent."""

import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from anyio import CapacityLimiter, run
from sqlalchemy import Engine

from app.database.connections.transactions import make_metrics_engine
from app.load.bodies.topology import FPD
from app.pages.metrics import GaugeBounds, TopologyGauges, read_gauges, read_rows, select_rows
from tests.app.decision_calls import ENOUGH, RATES, TARGET, put_policy
from tests.app.processes import made_database, start

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
ROW: dict[str, Any] = {
    "name": "clicks",
    "ended_at": NOW - timedelta(seconds=40),
    "external_rate": 100.0,
    "held": None,
    "measured": 1,
    "after": None,
    "share": None,
    "before_turn": None,
    "measured_sojourn_seconds": 0.12,
    "operators": 2,
    "running": {"parse": 4, "score": 8},
    "limit_seconds": 900.0,
    "decided_for": NOW - timedelta(seconds=40),
    "recommended": {"parse": 4, "score": 9},
    "expected": 0.1,
    "expected_of_running": 0.11,
    "stable": True,
    "decided_rate": 100.0,
    "holds_up_to_rate": 107.0,
    "change": None,
    "definition": None,
    "held_policy": None,
}
Samples = dict[tuple[str, ...], float]


MANY = GaugeBounds(10, 10)


def name_sample(sample: Any) -> tuple[str, ...]:
    """The metric without `headgate_`, and the values of its labels."""
    labels = [sample.labels[one] for one in ("topology", "operator", "kind") if one in sample.labels]
    return (sample.name.removeprefix("headgate_"), *labels)


def collect(*rows: dict[str, Any], bounds: GaugeBounds = MANY) -> Samples:
    families = TopologyGauges([SimpleNamespace(**row) for row in rows], bounds, NOW).collect()
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
    hour_ago = {"ended_at": NOW - timedelta(minutes=59), "decided_for": NOW - timedelta(minutes=59)}
    assert [key for key in collect(ROW | hour_ago) if key[1:] == ("clicks",)] == [
        ("snapshot_age_seconds", "clicks")
    ]
    assert not any(key[0] == "processors" for key in collect(ROW | hour_ago))
    assert collect(ROW | hour_ago | {"limit_seconds": 4000}).keys() == collect(ROW).keys()


def test_what_the_bounds_leave_out_is_counted():
    found = collect(ROW | {"measured": 7, "operators": 30}, ROW | {"name": "b"}, bounds=GaugeBounds(2, 10))
    assert found["topology_gauges_omitted", "topologies"] == 5
    assert found["topology_gauges_omitted", "operators"] == 20
    assert collect(bounds=GaugeBounds(0, 10)) == {}


@pytest.fixture
def silent_url() -> Iterator[str]:
    """The address of a server that accepts connections and never answers, as a database in trouble may."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"postgresql+psycopg://nobody@127.0.0.1:{server.getsockname()[1]}/none"


def read(engine: Engine) -> list[Any]:
    async def ask() -> list[Any]:
        gauges = await read_gauges(engine, GaugeBounds(10, 10), CapacityLimiter(1))
        return [(family.name, [one.value for one in family.samples]) for family in gauges.collect()]

    return run(ask)


def test_scrapes_share_one_query():
    assert select_rows(GaugeBounds(3, 4)) is select_rows(GaugeBounds(3, 4))
    assert "latest_end" in select_rows(GaugeBounds(3, 4)).compile().params


def test_a_database_that_is_away_or_silent_is_said(silent_url: str):
    away = make_metrics_engine("postgresql+psycopg://nobody@127.0.0.1:1/none")
    for engine in (away, make_metrics_engine(silent_url)):
        assert read(engine) == [("headgate_topology_gauges_up", [0.0])]


def store(client: httpx.Client, name: str, seconds_ahead: float) -> dict[str, Any]:
    """A topology with an interval to come, so that it is among the newest of the database, and a decision about it."""
    began = datetime.now(UTC) + timedelta(seconds=seconds_ahead)
    operators = {one: {"service_rate": mu, "processors": ENOUGH[one]} for one, mu in RATES.items()}
    load = {"observed_at": began.isoformat(), "external_rate": 480.0, "operators": operators}
    client.post("/v1/topologies", json=FPD | {"name": name})
    assert client.post(f"/v1/topologies/{name}/snapshots", json=load).status_code == 201
    put_policy(client, name, TARGET)
    answer = client.post(f"/v1/topologies/{name}/decisions")
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


@pytest.fixture(scope="module")
def database_url(postgres_url: str) -> Iterator[str]:
    """A database of this file alone: other tests may store newer intervals."""
    with made_database(postgres_url) as url:
        yield url


@pytest.fixture(scope="module")
def client(database_url: str) -> Iterator[httpx.Client]:
    """A client of a service on that database."""
    service = start([], database_url=database_url)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        yield client
    assert service.stop() == 0


@pytest.fixture
def scraped(database_url: str) -> Iterator[Callable[[GaugeBounds], Samples]]:
    """Reads the gauges of the database."""
    engine = make_metrics_engine(database_url)

    def scrape(bounds: GaugeBounds) -> Samples:
        gauges = TopologyGauges(read_rows(engine, bounds), bounds, datetime.now(UTC))
        return {name_sample(one): one.value for family in gauges.collect() for one in family.samples}

    yield scrape
    engine.dispose()


def test_what_is_stored_is_read_within_the_bounds(
    client: httpx.Client, name: str, scraped: Callable[[GaugeBounds], Samples]
):
    oldest, older, newest = f"c {name}", f"b {name}", f"x \"'{name}"
    for one, seconds in ((oldest, 200.0), (older, 210.0), (newest, 220.0)):
        made = store(client, one, seconds)
    found = scraped(GaugeBounds(2, 2))
    assert {key[1] for key in found if len(key) > 2} == {older, newest}
    assert {key[2] for key in found if key[0] == "processors"} == {"detector", "generator"}
    assert found["topology_gauges_omitted", "topologies"] >= 1
    assert found["topology_gauges_omitted", "operators"] == 2
    assert (
        found.items()
        >= {
            ("processors", newest, "detector", "running"): 13,
            ("processors", newest, "detector", "recommended"): made["processors"]["recommended"]["detector"],
            ("external_rate", newest): 480.0,
            ("running_stable", newest): 0.0,
            ("expected_sojourn_seconds", newest): made["expected_sojourn_seconds"],
            ("headroom_rate", newest): made["counterfactuals"]["holds_up_to_rate"] - 480.0,
            ("topology_gauges_up",): 1.0,
        }.items()
    )
    assert ("running_sojourn_seconds", newest) not in found, "it is infinite"
    shown = client.get("/metrics").text
    assert f'topology="x \\"\'{name}"' in shown
    for one in (oldest, older, newest):
        assert client.delete(f"/v1/topologies/{quote(one)}").status_code == 204
    assert not any(name in part for key in scraped(MANY) for part in key)
    assert name not in client.get("/metrics").text


def test_a_hold_that_waits_for_a_cooldown_does_not_hide_the_change_nor_does_a_policy_that_was_tried_out(
    client: httpx.Client, name: str, scraped: Callable[[GaugeBounds], Samples]
):
    """As for KEDA: a later snapshot still shows the processors from before, and so a hold recommends these."""
    made = store(client, name, 180.0)
    held = store(client, name, 220.0)
    assert (held["action"], held["processors"]["recommended"]) == ("hold", ENOUGH)
    tried = client.post(f"/v1/topologies/{name}/decisions", json={"policy": {"goal": {"k_max": 60}}}).json()
    assert tried["goal"] == "best-split"
    counts = made["processors"]["recommended"]
    report = {"state": "applied", "processors": {"generator": counts["generator"] + 1}}
    for body, expected in (
        (None, counts),
        (report, counts | {"generator": counts["generator"] + 1}),
        ({"state": "rolled-back"}, ENOUGH),
    ):
        if body is not None:
            assert client.put(f"/v1/decisions/{made['id']}/outcome", json=body).status_code == 200
        found = scraped(MANY)
        assert {one: found["processors", name, one, "recommended"] for one in ENOUGH} == expected
        assert {one: found["processors", name, one, "running"] for one in ENOUGH} == ENOUGH
    client.delete(f"/v1/topologies/{name}")
