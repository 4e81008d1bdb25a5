"""app/engines/spouts_and_bolts/storm/flows.py: what was sent on each stream, and what was executed of it."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.components import read_components
from app.engines.spouts_and_bolts.storm.flows import StreamFlow, measure_flows, read_wiring
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from tests.app.engines.spouts_and_bolts.storm.ui_pages import JsonObject, answer
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_graph, make_input, make_pages


def measure(*bodies: JsonValue) -> dict[tuple[str, str], StreamFlow]:
    """The flows by source and target."""
    pages = sort_answers(answer(*bodies))
    components = read_components(pages.samples[0])
    flows = measure_flows(components, read_wiring(components, pages.graph))
    return {(flow.link.source, flow.link.target): flow for flow in flows}


def edit_outputs(page: JsonObject, emitted: int, transferred: int) -> JsonObject:
    """The page with other counts of its stream."""
    return page | {"outputStats": [{"stream": "default", "emitted": emitted, "transferred": transferred}]}


def test_input_streams_show_who_feeds_whom_and_the_graph_how():
    alone = measure(*make_pages().values())
    assert set(alone) == {("spout", "parse"), ("parse", "score")}
    assert {flow.link.grouping for flow in alone.values()} == {None}
    wired = measure(*make_pages().values(), make_graph())
    assert wired["spout", "parse"] == alone["spout", "parse"]._replace(link=wired["spout", "parse"].link)
    assert {pair[1]: flow.link.grouping for pair, flow in wired.items()} == {
        "parse": "shuffle",
        "score": "fields",
    }


def test_rates_are_those_of_the_counts():
    flows = measure(*make_pages().values(), make_graph())
    assert [flows["spout", "parse"].sent, flows["spout", "parse"].executed] == [100.0, 100.0]
    assert [flows["parse", "score"].sent, flows["parse", "score"].executed] == [200.0, 200.0]


def test_an_all_grouping_sends_a_copy_to_every_task():
    """Eight tasks of score: transferred is eight times emitted."""
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, 960_000)
    assert measure(*pages.values(), make_graph(score="all"))["parse", "score"].sent == 1600.0


@pytest.mark.parametrize("grouping", ["direct", "custom_serialized"])
def test_a_grouping_of_unknown_kind_sends_what_was_transferred_to_its_only_subscriber(grouping: str):
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, 360_000)
    assert measure(*pages.values(), make_graph(score=grouping))["parse", "score"].sent == 600.0


@pytest.mark.parametrize(("transferred", "sent"), [(240_000, 200.0), (500_000, None)])
def test_two_subscribers_of_unknown_grouping_get_each_tuple_once_where_the_counts_say_so(
    transferred: int, sent: float | None
):
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, transferred)
    second = pages["score"] | {"id": "store"}
    flows = measure(*pages.values(), second)
    assert (flows["parse", "score"].sent, flows["parse", "store"].sent) == (sent, sent)


def test_what_was_sent_is_unknown_where_the_source_has_no_page_of_its_own():
    pages = make_pages()
    page: JsonObject = {"id": "words-1-1446571009", "window": "600", "uptimeSeconds": 3600}
    page |= {
        "spouts": [],
        "bolts": [{"boltId": "parse", "emitted": 120_000, "transferred": 120_000, "executed": 60_000}],
    }
    flows = measure(page, pages["score"])
    assert flows["parse", "score"].sent is None  # parse may have inputs and outputs that no page shows
    with_graph = measure(page, pages["score"], make_graph())
    assert with_graph["parse", "score"].sent == 200.0


def test_bolts_without_a_page_may_subscribe_too():
    """Two copies of each tuple went out, and score got one: who got the other is not shown."""
    pages = make_pages()
    pages["parse"] = edit_outputs(pages["parse"], 120_000, 240_000)
    other: JsonObject = {"window": "600", "bolts": [{"boltId": "store", "executors": 1}]}
    flow = measure(*pages.values(), other)["parse", "score"]
    assert (flow.sent, flow.executed) == (None, 200.0)


def test_ticks_and_acks_are_no_edges():
    pages = make_pages()
    ticks: JsonValue = {"component": "__system", "stream": "__tick", "executed": 600}
    acks: JsonValue = {"component": "spout", "stream": "__ack_init", "executed": 600}
    pages["score"]["inputStats"] = [ticks, acks]
    assert set(measure(*pages.values())) == {("spout", "parse")}
    graph = make_graph()
    graph["score"] = {
        ":inputs": [make_input("spout", "fields", "__ack_init"), make_input("nobody", "fields")]
    }
    assert set(measure(*pages.values(), graph)) == {("spout", "parse")}
