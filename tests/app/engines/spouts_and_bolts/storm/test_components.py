"""app/engines/spouts_and_bolts/storm/components.py: spouts and bolts out of pages of components and of the topology."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.fields import ALL_TIME
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    JsonObject,
    make_component_page,
    make_topology_page,
    read_components,
    read_golden,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_pages

PI = make_component_page("pi")
WORDS = read_golden("wordcount-topology.json")


def test_components_without_a_page_started_with_the_executors_of_the_others():
    """The topology has been up for an hour, its executors for 131 s at most: so do the counts of blob."""
    found = read_components(make_topology_page(uptime=3600), PI)
    assert found["blob"].covered == 131.0
    assert found["blob"].executed_rate == pytest.approx(37100 / 131)
    assert read_components(make_topology_page(uptime=120), PI)["blob"].covered == 120.0
    assert read_components(make_topology_page(uptime=3600))["blob"].covered == 600.0


def add_acker(page: JsonObject) -> JsonObject:
    """The page as asked with sys=true."""
    bolts = page["bolts"]
    assert isinstance(bolts, list)
    return {**page, "bolts": [{"boltId": "__acker", "executors": 3}, *bolts]}


def test_rates_are_over_the_uptime_of_each_executor():
    pi = read_components(make_topology_page(), PI)["pi"]
    assert pi.executed_rate == pytest.approx(12740 / 129 + 12280 / 129 + 12940 / 131 + 12920 / 128)
    assert (pi.is_bolt, pi.processors, pi.tasks, len(pi.rows)) == (True, 4, 4, 4)


def test_the_topologys_page_alone_gives_rates_over_its_uptime():
    pi = read_components(make_topology_page(uptime=150))["pi"]
    assert pi.executed_rate == pytest.approx(50880 / 150)
    assert (pi.covered, pi.rows, pi.executed_from, pi.outputs) == (150.0, (), None, None)


def test_totals_of_the_components_page_stand_in_for_missing_executors():
    totals: list[JsonValue] = [
        {"window": ":all-time", "executed": 9999, "executeLatency": "5.000"},
        {"window": "600", "executed": 600, "executeLatency": "9.000", "emitted": 1200, "capacity": "0.500"},
    ]
    pi = read_components(make_topology_page(), PI | {"executorStats": [], "boltStats": totals})["pi"]
    assert (pi.executed, pi.latency, pi.capacity) == (600.0, 0.009, 0.5)
    assert pi.emitted_rate == pytest.approx(1200 / 301)


def test_counts_begin_with_the_workers_where_the_page_lists_all_of_them():
    """A rebalance starts workers anew while the topology's uptime goes on."""
    workers: list[JsonValue] = [
        {"uptimeSeconds": 100, "componentNumTasks": {"pi": 3}},
        {"uptime": "5m 0s", "componentNumTasks": {"pi": 1, "blob": 40}},
    ]
    page = make_topology_page(uptime=3000) | {"workers": workers, "workersTotal": 2}
    assert read_components(page)["pi"].covered == pytest.approx(150.0)
    assert read_components(page | {"workersTotal": 3})["pi"].covered == 600.0


def test_spouts_are_read_beside_bolts_and_storms_own_are_left_out():
    found = read_components(add_acker(WORDS))
    assert {name: one.is_bolt for name, one in found.items()} == {
        "spout": False,
        "count": True,
        "split": True,
    }


def test_system_streams_are_not_counted_as_emitted():
    streams: list[JsonValue] = [
        {"stream": "default", "emitted": 300, "transferred": 600},
        {"stream": "__ack_ack", "emitted": 300, "transferred": 300},
    ]
    pi = read_components(PI | {"outputStats": streams})["pi"]
    assert pi.covered is not None
    assert pi.emitted_rate == pytest.approx(300 / pi.covered)
    assert read_components(add_acker(WORDS))["spout"].emitted_rate is None


@pytest.mark.parametrize(
    ("page", "is_bolt"),
    [
        ({"componentType": "SPOUT"}, False),
        ({"componentType": "bolt"}, True),
        ({"spoutSummary": []}, False),
        ({"executorStats": [{"completeLatency": "1.000"}]}, False),
        ({"executorStats": [{"executed": 3}]}, True),
    ],
)
def test_the_kind_of_a_component_shows_without_its_type(page: dict[str, JsonValue], *, is_bolt: bool):
    assert read_components({"id": "x", **page})["x"].is_bolt == is_bolt


def test_unknown_counts_stay_unknown():
    row: JsonValue = {"id": "[1-1]", "uptime": "2m 9s", "executed": None, "executeLatency": "x"}
    one = read_components({"id": "x", "window": ":all-time", "executorStats": [row]})["x"]
    assert (one.executed, one.executed_rate, one.latency, one.capacity) == (None, None, None, None)
    assert one.window == ALL_TIME


def test_the_name_of_an_instance_is_its_executor_and_its_worker():
    row: JsonObject = {"id": " [1-1]\n", "host": "a", "port": 1}
    page: JsonObject = {"id": "x", "executorStats": [row, {"id": "x" * 500}, {"id": "\n"}]}
    names = [name for name, _ in read_components(page)["x"].instances]
    assert names == ["[1-1]  a:1", "x" * 200, "executor"]


@pytest.mark.parametrize(
    ("change", "most"),
    [
        ({}, 8),
        ({"tasks": None}, 2),  # by [5-5] and [6-6]
        ({"tasks": 1}, None),  # fewer tasks than executors: one of the two is wrong
        ({"tasks": None, "executorStats": [{"id": "[5-5]"}, {"id": "x"}]}, None),
    ],
)
def test_tasks_bound_the_executors(change: JsonObject, most: int | None):
    assert read_components(make_pages()["score"] | change)["score"].max_parallelism == most
