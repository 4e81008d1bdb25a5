"""app/engines/spouts_and_bolts/storm/components.py: spouts and bolts out of pages of components and of the topology."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.components import Component, read_components
from app.engines.spouts_and_bolts.storm.fields import ALL_TIME
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    JsonObject,
    answer,
    make_component_page,
    make_topology_page,
    read_golden,
)

PI = make_component_page("pi")
WORDS = read_golden("wordcount-topology.json")


def read(*bodies: JsonValue) -> dict[str, Component]:
    return read_components(sort_answers(answer(*bodies)).samples[0])


def test_components_without_a_page_started_with_the_executors_of_the_others():
    """The topology has been up for an hour, its executors for 131 s at most: so do the counts of blob."""
    found = read(make_topology_page(uptime=3600), PI)
    assert found["blob"].covered == 131.0
    assert found["blob"].executed_rate == pytest.approx(37100 / 131)
    assert read(make_topology_page(uptime=120), PI)["blob"].covered == 120.0
    assert read(make_topology_page(uptime=3600))["blob"].covered == 600.0


def add_acker(page: JsonObject) -> JsonObject:
    """The page as asked with sys=true."""
    bolts = page["bolts"]
    assert isinstance(bolts, list)
    return {**page, "bolts": [{"boltId": "__acker", "executors": 3}, *bolts]}


def test_rates_are_over_the_uptime_of_each_executor():
    pi = read(make_topology_page(), PI)["pi"]
    assert pi.executed_rate == pytest.approx(12740 / 129 + 12280 / 129 + 12940 / 131 + 12920 / 128)
    assert (pi.kind, pi.processors, pi.tasks, len(pi.rows)) == ("bolt", 4, 4, 4)


def test_the_topologys_page_alone_gives_rates_over_its_uptime():
    pi = read(make_topology_page(uptime=150))["pi"]
    assert pi.executed_rate == pytest.approx(50880 / 150)
    assert (pi.covered, pi.rows, pi.inputs, pi.outputs) == (150.0, (), None, None)


def test_totals_of_the_components_page_stand_in_for_missing_executors():
    totals: list[JsonValue] = [
        {"window": ":all-time", "executed": 9999, "executeLatency": "5.000"},
        {"window": "600", "executed": 600, "executeLatency": "9.000", "emitted": 1200, "capacity": "0.500"},
    ]
    pi = read(make_topology_page(), PI | {"executorStats": [], "boltStats": totals})["pi"]
    assert (pi.executed, pi.latency, pi.capacity) == (600.0, 0.009, 0.5)
    assert pi.emitted_rate == pytest.approx(1200 / 301)


def test_counts_begin_with_the_workers_where_the_page_lists_all_of_them():
    """A rebalance starts workers anew while the topology's uptime goes on."""
    workers: list[JsonValue] = [
        {"uptimeSeconds": 100, "componentNumTasks": {"pi": 3}},
        {"uptime": "5m 0s", "componentNumTasks": {"pi": 1, "blob": 40}},
    ]
    page = make_topology_page(uptime=3000) | {"workers": workers, "workersTotal": 2}
    assert read(page)["pi"].covered == pytest.approx(150.0)
    assert read(page | {"workersTotal": 3})["pi"].covered == 600.0


def test_spouts_are_read_beside_bolts_and_storms_own_are_left_out():
    found = read(add_acker(WORDS))
    assert {name: one.kind for name, one in found.items()} == {
        "spout": "spout",
        "count": "bolt",
        "split": "bolt",
    }


def test_system_streams_are_not_counted_as_emitted():
    streams: list[JsonValue] = [
        {"stream": "default", "emitted": 300, "transferred": 600},
        {"stream": "__ack_ack", "emitted": 300, "transferred": 300},
    ]
    pi = read(PI | {"outputStats": streams})["pi"]
    assert pi.covered is not None
    assert pi.emitted_rate == pytest.approx(300 / pi.covered)
    assert read(add_acker(WORDS))["spout"].emitted_rate is None


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ({"componentType": "SPOUT"}, "spout"),
        ({"componentType": "bolt"}, "bolt"),
        ({"spoutSummary": []}, "spout"),
        ({"executorStats": [{"completeLatency": "1.000"}]}, "spout"),
        ({"executorStats": [{"executed": 3}]}, "bolt"),
    ],
)
def test_the_kind_of_a_component_shows_without_its_type(page: dict[str, JsonValue], kind: str):
    assert read({"id": "x", **page})["x"].kind == kind


def test_unknown_counts_stay_unknown():
    row: JsonValue = {"id": "[1-1]", "uptime": "2m 9s", "executed": None, "executeLatency": "x"}
    one = read({"id": "x", "window": ":all-time", "executorStats": [row]})["x"]
    assert (one.executed, one.executed_rate, one.latency, one.capacity) == (None, None, None, None)
    assert one.window == ALL_TIME
