"""app/engines/spouts_and_bolts/storm/reader.py: what a rebalance needs to know."""

from app.engines.spouts_and_bolts.storm.reader import mark_sample
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    TOPOLOGY_ID,
    make_component_page,
    make_topology_page,
    measure,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_spout


def test_marks_hold_names_executors_and_tasks():
    page = make_topology_page() | {"stormVersion": "2.8.8"}
    marks = mark_sample(measure(page, make_component_page("pi"), make_spout()))
    assert (marks["topology_id"], marks["topology_name"]) == (TOPOLOGY_ID, "linear")
    assert (marks["storm_version"], marks["workers"], marks["status"]) == ("2.8.8", 20, "ACTIVE")
    assert marks["executors"] == marks["tasks"]
    assert marks["executors"] == {"parse": 1, "pi": 4, "fileWrite": 1, "blob": 40, "table": 27}
    assert marks["places"] == {
        "pi": {f"10.3.0.{host}": 1 for host in ("25:6736", "30:6720", "35:6741", "22:6711")}
    }
    assert marks["spouts"] == {"spout": {"executors": 2, "tasks": 2, "emitted_rate": 100.0}}


def test_component_pages_alone_name_the_topology():
    marks = mark_sample(measure(make_component_page("pi")))
    assert (marks["topology_id"], marks["topology_name"], marks["status"]) == (TOPOLOGY_ID, "linear", None)
