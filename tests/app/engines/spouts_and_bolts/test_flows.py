"""app/engines/spouts_and_bolts/flows.py: groupings, what was sent, executed and offered, entries and external rate."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.components import Component
from app.engines.spouts_and_bolts.flows import (
    ALL,
    ONE_COPY,
    QUEUEINGS,
    MeasuredInterval,
    StreamFlow,
    read_grouping,
)
from tests.app.engines.spouts_and_bolts.heron import composed
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    BOLTS,
    JsonObject,
    make_component_page,
    make_topology_page,
    measure,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import (
    make_executor,
    make_graph,
    make_input,
    make_pages,
    make_spout,
)

Interval = MeasuredInterval[Component]


@pytest.mark.parametrize(
    ("written", "grouping"),
    [
        ("shuffle", "shuffle"),
        (":fields", "fields"),
        ("LOCAL_OR_SHUFFLE", "local_or_shuffle"),
        ("localOrShuffle", "local_or_shuffle"),
        ("local-or-shuffle", "local_or_shuffle"),
        ("LOWEST", "global"),
        ("custom_serialized", "custom_serialized"),
        ("", None),
        (None, None),
    ],
)
def test_groupings_are_written_in_many_ways(written: str | None, grouping: str | None):
    assert read_grouping(written) == grouping


def test_all_alone_copies_tuples():
    assert set(QUEUEINGS) - ONE_COPY == {ALL}


def list_flows(*bodies: JsonValue) -> dict[tuple[str, str], StreamFlow]:
    """The flows of Storm's pages by source and target."""
    return {(flow.source, flow.target): flow for flow in measure(*bodies).interval.flows}


def edit_outputs(page: JsonObject, emitted: int, transferred: int | None) -> JsonObject:
    """The page with other counts of its stream."""
    return page | {"outputStats": [{"stream": "default", "emitted": emitted, "transferred": transferred}]}


def test_input_streams_show_who_feeds_whom_and_the_graph_how():
    alone = list_flows(*make_pages().values())
    assert set(alone) == {("spout", "parse"), ("parse", "score")}
    assert {flow.grouping for flow in alone.values()} == {None}
    wired = list_flows(*make_pages().values(), make_graph())
    assert wired["spout", "parse"] == alone["spout", "parse"]._replace(grouping="shuffle")
    assert wired["parse", "score"] == alone["parse", "score"]._replace(grouping="fields")


def test_rates_are_those_of_the_counts():
    flows = list_flows(*make_pages().values(), make_graph())
    assert flows["spout", "parse"][4:] == (100.0, 100.0)
    assert flows["parse", "score"][4:] == (200.0, 200.0)


def test_an_all_grouping_sends_a_copy_to_every_task():
    """Eight tasks of score: transferred is eight times emitted."""
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, 960_000)
    assert list_flows(*pages.values(), make_graph(score="all"))["parse", "score"].sent == 1600.0


@pytest.mark.parametrize("grouping", ["direct", "custom_serialized"])
def test_a_grouping_of_unknown_kind_sends_what_was_transferred_to_its_only_subscriber(grouping: str):
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, 360_000)
    assert list_flows(*pages.values(), make_graph(score=grouping))["parse", "score"].sent == 600.0


@pytest.mark.parametrize(
    ("transferred", "sent"),
    [
        (240_000, 200.0),
        (252_000, 200.0),  # each got 210/s, of which 10/s are less than 5%
        (229_000, 200.0),
        (253_000, None),
        (227_000, None),
        (500_000, None),
        (None, None),
    ],
)
def test_two_subscribers_of_unknown_grouping_get_each_tuple_once_where_the_counts_say_so(
    transferred: int | None, sent: float | None
):
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, transferred)
    second = pages["score"] | {"id": "store"}
    flows = list_flows(*pages.values(), second)
    assert (flows["parse", "score"].sent, flows["parse", "store"].sent) == (sent, sent)


def test_what_was_sent_is_unknown_where_the_source_has_no_page_of_its_own():
    pages = make_pages()
    page: JsonObject = {"id": "words-1-1446571009", "window": "600", "uptimeSeconds": 3600}
    page |= {
        "spouts": [],
        "bolts": [{"boltId": "parse", "emitted": 120_000, "transferred": 120_000, "executed": 60_000}],
    }
    flows = list_flows(page, pages["score"])
    assert flows["parse", "score"].sent is None  # parse may have inputs and outputs that no page shows
    with_graph = list_flows(page, pages["score"], make_graph())
    assert with_graph["parse", "score"].sent == 200.0


def test_bolts_without_a_page_may_subscribe_too():
    """Two copies of each tuple went out, and score got one: who got the other is not shown."""
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, 240_000)
    other: JsonObject = {"window": "600", "bolts": [{"boltId": "store", "executors": 1}]}
    flow = list_flows(*pages.values(), other)["parse", "score"]
    assert (flow.sent, flow.executed) == (None, 200.0)


def test_ticks_and_acks_are_no_edges():
    pages = make_pages()
    ticks: JsonValue = {"component": "__system", "stream": "__tick", "executed": 600}
    acks: JsonValue = {"component": "spout", "stream": "__ack_init", "executed": 600}
    pages["score"]["inputStats"] = [ticks, acks]
    assert set(list_flows(*pages.values())) == {("spout", "parse")}
    graph = make_graph()
    graph["score"] = {
        ":inputs": [make_input("spout", "fields", "__ack_init"), make_input("nobody", "fields")]
    }
    assert set(list_flows(*pages.values(), graph)) == {("spout", "parse")}


@pytest.mark.parametrize(
    ("grouping", "sent"),
    [("FIELDS", 100.0), ("SHUFFLE", 100.0), ("LOWEST", 100.0), ("ALL", 200.0), ("CUSTOM", None)],
)
def test_herons_subscribers_get_every_tuple_once_and_under_all_once_for_each_instance(
    grouping: str, sent: float | None
):
    flows = composed.measure(composed.edit_grouping(grouping)).flows
    assert {flow.target: flow.sent for flow in flows} == {"split": 20.0, "count": sent}


def overload_storm() -> Interval:
    """parse executes 40 of 100 tuples per second, and score gets what parse sends."""
    pages = make_pages()
    pages["parse"]["executorStats"] = [make_executor(task, 12_000, "50.000", 24_000) for task in (3, 4)]
    return measure(*pages.values(), make_graph()).interval


def overload_heron() -> Interval:
    """split sends 100/s, and count executes half of it."""
    documents = composed.make_documents()
    composed.scale(documents, "timeline-count", "__execute-count/split/default", 0.5)
    return composed.measure(documents)


@pytest.mark.parametrize(
    ("interval", "bolt", "executed"), [(overload_storm(), "parse", 40.0), (overload_heron(), "count", 50.0)]
)
def test_the_offered_load_is_what_was_sent_not_what_was_executed(
    interval: Interval, bolt: str, executed: float
):
    assert interval.offered[bolt] == (100.0, True)
    assert interval.components[bolt].executed_rate == executed


@pytest.mark.parametrize(("emitted", "offered"), [(60_078, (100.0, False)), (60_082, (60_082 / 600, True))])
def test_a_difference_within_storms_sample_is_no_backlog(emitted: int, offered: tuple[float, bool]):
    """Four executors count to ± 20 tuples each: 60,078 sent and 60,000 executed are the same."""
    found = measure(*(make_pages() | {"spout": make_spout(emitted)}).values(), make_graph()).interval
    assert found.offered["parse"] == offered


@pytest.mark.parametrize(("factor", "is_sent"), [(1.09, False), (1.11, True)])
def test_one_export_of_heron_more_or_less_is_no_backlog(factor: float, *, is_sent: bool):
    documents = composed.make_documents()
    composed.scale(documents, "timeline-split", "__emit-count/default", factor)
    assert composed.measure(documents).offered["count"].is_sent == is_sent


def test_counts_of_different_times_are_not_compared():
    pages = make_pages() | {"spout": make_spout(90_000)}
    for row in pages["spout"]["executorStats"]:  # type: ignore[union-attr]
        row["uptimeSeconds"] = 300  # type: ignore[index,call-overload]
    assert measure(*pages.values(), make_graph()).interval.offered["parse"] == (100.0, False)


def test_counts_whose_time_is_contradicted_by_capacity_are_not_compared():
    """The topology has been up for 301 s, the executors of blob, by their capacity, for less."""
    graph: JsonObject = {bolt: {":type": "bolt", ":inputs": []} for bolt in BOLTS}
    graph["blob"] = {":type": "bolt", ":inputs": [make_input("fileWrite", "shuffle")]}
    assert measure(make_topology_page(301), graph).interval.offered["blob"] == (37100 / 301, False)
    page = make_topology_page(301)
    for row in page["bolts"]:  # type: ignore[union-attr]
        row["capacity"] = None  # type: ignore[index,call-overload]
    assert measure(page, graph).interval.offered["blob"] == (55300 / 301, True)


def test_ticks_are_offered_too():
    pages = make_pages() | {"spout": make_spout(90_000)}
    pages["parse"]["inputStats"] = [
        {"component": "spout", "stream": "default", "executed": 59_400},
        {"component": "__system", "stream": "__tick", "executed": 600},
    ]
    assert measure(*pages.values(), make_graph()).interval.offered["parse"].rate == pytest.approx(151.0)


@pytest.mark.parametrize(
    ("interval", "entries"),
    [
        (measure(*make_pages().values(), make_graph()).interval, {"parse": 100.0}),
        (composed.measure(composed.make_documents()), {"split": 20.0}),
    ],
)
def test_entries_are_the_bolts_that_spouts_feed(interval: Interval, entries: dict[str, float]):
    assert interval.entries == entries
    assert interval.external == (sum(entries.values()), True)


def test_without_edges_every_bolt_is_an_entry_with_the_rate_that_was_measured():
    found = measure(make_topology_page(), *[make_component_page(bolt) for bolt in BOLTS]).interval
    assert found.entries == {bolt: found.components[bolt].executed_rate for bolt in BOLTS}
    assert found.external.rate == pytest.approx(sum(rate or 0.0 for rate in found.entries.values()))
    assert not found.external.by_spouts


def test_a_bolt_of_heron_that_nobody_is_seen_to_feed_is_an_entry():
    """Without the spout's metrics and the plans, who feeds split is known by its name alone."""
    names = {"timeline-split", "timeline-count"}
    found = composed.measure({name: composed.load(name) for name in names})
    assert (found.entries, found.external) == ({"split": 20.0}, (20.0, False))


def test_spouts_that_show_no_tuple_while_bolts_work_do_not_make_the_external_rate_0():
    pages = make_pages() | {"spout": make_spout(0)}
    assert measure(*pages.values(), make_graph()).interval.external == (100.0, False)


def test_a_spout_whose_emitted_is_unknown_leaves_its_entry_to_what_was_executed():
    pages = make_pages()
    pages["spout"] = {key: pages["spout"][key] for key in ("id", "componentType", "window", "executors")}
    found = measure(*pages.values(), make_graph()).interval
    assert (found.entries, found.external) == ({"parse": 100.0}, (100.0, False))
