"""app/engines/spouts_and_bolts/storm/rates.py: the offered load of bolts, and the external rate."""

import pytest

from app.engines.spouts_and_bolts.storm.pages import sort_answers
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample, measure_sample
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    BOLTS,
    JsonObject,
    answer,
    make_component_page,
    make_topology_page,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import (
    make_executor,
    make_graph,
    make_input,
    make_pages,
    make_spout,
)


def measure(*bodies: JsonObject) -> MeasuredSample:
    pages = sort_answers(answer(*bodies))
    return measure_sample(pages.samples[0], pages.graph)


def test_the_offered_load_is_what_was_sent_not_what_was_executed():
    """parse executes 40 of 100 tuples per second: its arrival rate is 100, and score gets what parse sends."""
    pages = make_pages()
    pages["parse"]["executorStats"] = [make_executor(task, 12_000, "50.000", 24_000) for task in (3, 4)]
    found = measure(*pages.values(), make_graph())
    assert found.offered["parse"] == (100.0, "sent")
    assert found.components["parse"].executed_rate == 40.0


def test_a_difference_within_the_sample_is_no_backlog():
    """Four executors count to ± 20 tuples each: 60,040 sent and 60,000 executed are the same."""
    found = measure(*(make_pages() | {"spout": make_spout(60_040)}).values(), make_graph())
    assert found.offered["parse"] == (100.0, "executed")


def test_counts_of_different_times_are_not_compared():
    pages = make_pages() | {"spout": make_spout(90_000)}
    for row in pages["spout"]["executorStats"]:  # type: ignore[union-attr]
        row["uptimeSeconds"] = 300  # type: ignore[index,call-overload]
    assert measure(*pages.values(), make_graph()).offered["parse"] == (100.0, "executed")


def test_counts_whose_time_is_contradicted_by_capacity_are_not_compared():
    """The topology has been up for 301 s, the executors of blob, by their capacity, for less."""
    graph: JsonObject = {bolt: {":type": "bolt", ":inputs": []} for bolt in BOLTS}
    graph["blob"] = {":type": "bolt", ":inputs": [make_input("fileWrite", "shuffle")]}
    assert measure(make_topology_page(301), graph).offered["blob"] == (37100 / 301, "executed")
    page = make_topology_page(301)
    for row in page["bolts"]:  # type: ignore[union-attr]
        row["capacity"] = None  # type: ignore[index,call-overload]
    assert measure(page, graph).offered["blob"] == (55300 / 301, "sent")


def test_ticks_are_offered_too():
    pages = make_pages() | {"spout": make_spout(90_000)}
    pages["parse"]["inputStats"] = [
        {"component": "spout", "stream": "default", "executed": 59_400},
        {"component": "__system", "stream": "__tick", "executed": 600},
    ]
    assert measure(*pages.values(), make_graph()).offered["parse"].rate == pytest.approx(151.0)


def test_entries_are_the_bolts_that_spouts_feed():
    found = measure(*make_pages().values(), make_graph())
    assert (found.entries, found.external) == ({"parse": 100.0}, (100.0, "spouts"))


def test_without_edges_every_bolt_is_an_entry_with_the_rate_that_was_measured():
    found = measure(make_topology_page(), *[make_component_page(bolt) for bolt in BOLTS])
    assert found.entries == {bolt: found.components[bolt].executed_rate for bolt in BOLTS}
    assert found.external.basis == "entries"
    assert found.external.rate == pytest.approx(sum(rate or 0.0 for rate in found.entries.values()))


def test_spouts_that_show_no_tuple_while_bolts_work_do_not_make_the_external_rate_0():
    pages = make_pages() | {"spout": make_spout(0)}
    assert measure(*pages.values(), make_graph()).external == (100.0, "entries")


def test_a_spout_whose_emitted_is_unknown_leaves_its_entry_to_what_was_executed():
    pages = make_pages()
    pages["spout"] = {key: pages["spout"][key] for key in ("id", "componentType", "window", "executors")}
    found = measure(*pages.values(), make_graph())
    assert (found.entries, found.external) == ({"parse": 100.0}, (100.0, "entries"))
