"""app/engines/spouts_and_bolts/storm/diagnostics.py: what is missing, coarse or contradictory."""

from typing import Any

import pytest

from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    BOLTS,
    diagnose,
    make_component_page,
    make_topology_page,
    read_golden,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_graph, make_pages, make_spout


def test_the_real_run_is_told_what_is_odd_in_it():
    assert set(diagnose(make_topology_page(), *[make_component_page(bolt) for bolt in BOLTS])) == {
        "capacity-above-one",
        "executors-idle",
        "executors-slow",
        "latency-coarse",
        "edges-unknown",
        "external-rate-by-entries",
        "tasks-limit-executors",
        "executors-left-out",
    }


def test_storms_own_sample_is_read_with_what_it_lacks():
    said = diagnose(read_golden("wordcount-topology.json"), read_golden("wordcount-visualization.json"))
    assert set(said) == {
        "latency-coarse",
        "tasks-limit-executors",
        "spouts-left-out",
        "executors-left-out",
        "completion-not-measured",
    }
    assert "3 of 28 executors" in said["executors-left-out"].detail


@pytest.mark.parametrize("executors", [None, -3, "NaN"])
def test_an_unknown_number_of_executors_is_never_0(executors: Any):
    page: Any = read_golden("wordcount-topology.json")
    for row in (*page["bolts"], *page["spouts"]):
        row["executors"] = executors
    said = diagnose(page, read_golden("wordcount-visualization.json"))
    assert said["processors-unknown"].operators == ("count", "split")
    assert "spout with an unknown number of executors" in said["spouts-left-out"].detail
    assert "executors-left-out" not in said


def test_as_many_executors_as_tasks_cannot_become_more():
    assert "tasks-limit-executors" not in diagnose(*make_pages().values(), make_graph())
    assert diagnose(make_component_page("pi"))["tasks-limit-executors"].operators == ("pi",)
    page = {key: value for key, value in make_component_page("pi").items() if key != "tasks"}
    assert "tasks-unknown" not in diagnose(page)  # the executors' ids count their tasks
    assert "tasks-unknown" in diagnose(page | {"executorStats": [{"executed": 1, "uptime": "9s"}]})


def test_the_completion_time_says_what_it_is():
    said = diagnose(make_spout(), *[page for name, page in make_pages().items() if name != "spout"])
    assert "completion-by-acks" in said
    failed = make_topology_page() | {"spouts": [{"spoutId": "a", "failed": 40, "emitted": 100}]}
    assert "40 tuples failed or timed out (after 30 s)" in diagnose(failed)["tuples-failed"].detail


@pytest.mark.parametrize("status", ["INACTIVE", "REBALANCING", "KILLED"])
def test_a_topology_that_does_not_run_is_said(status: str):
    assert status in diagnose(make_topology_page() | {"status": status})["topology-not-active"].detail


def test_pages_without_a_name_and_with_system_streams_are_said():
    page = make_topology_page()
    bolts = page["bolts"]
    assert isinstance(bolts, list)
    bolts.append({"boltId": "__acker", "executors": 1})
    said = diagnose(page, {"executorStats": []})
    assert {"pages-left-out", "system-streams-counted"} <= set(said)


def test_executors_that_started_within_the_window_are_said():
    said = diagnose(make_topology_page(uptime=3600), make_component_page("pi"))["executors-restarted"]
    assert said.operators == ("parse", "fileWrite", "blob", "table")
    assert (
        "2.18 min ago, in a rebalance or after a crash, while the topology has been up for 1 h" in said.detail
    )
    assert "executors-restarted" not in diagnose(make_topology_page(uptime=3600))
    long = make_topology_page(uptime=7200)
    assert "executors-restarted" not in diagnose(
        long, *make_pages().values()
    )  # an hour is longer than the window


def test_a_time_by_storms_own_clock_is_said():
    assert "time-by-uptime" in diagnose(make_topology_page(), at=None)
    assert "time-by-uptime" not in diagnose(make_topology_page())
