"""app/engines/spouts_and_bolts/storm/graphs.py: the topology that the pages show."""

import pytest

from app.engines.spouts_and_bolts.storm.graphs import build_graph, count_tasks
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from app.engines.spouts_and_bolts.storm.samples import measure_sample
from app.load.bodies.topology import Graph
from tests.app.engines.spouts_and_bolts.storm.ui_pages import BOLTS, JsonObject, answer, make_component_page
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_graph, make_pages, make_spout


def build(*bodies: JsonObject) -> Graph:
    pages = sort_answers(answer(*bodies))
    found = measure_sample(pages.samples[0], pages.graph)
    graph = build_graph(found.components, found.flows, found.entries, found.external.rate)
    assert graph is not None
    return graph


def test_bolts_are_operators_and_spouts_are_not():
    graph = build(*make_pages().values(), make_graph())
    assert [operator.name for operator in graph.operators] == ["parse", "score"]
    assert [(entry.operator, entry.share) for entry in graph.entries] == [("parse", 1.0)]


def test_selectivity_is_what_was_sent_per_tuple_executed():
    edges = build(*make_pages().values(), make_graph()).edges
    assert [(edge.source, edge.target, edge.selectivity) for edge in edges] == [("parse", "score", 2.0)]


@pytest.mark.parametrize(
    ("grouping", "queueing", "most"),
    [
        ("shuffle", "round-robin", 8),
        ("local_or_shuffle", "round-robin", 8),
        ("SHUFFLE", "round-robin", 8),
        ("none", "random", 8),
        ("fields", "keyed", 8),
        ("all", "random", 8),
        ("global", "keyed", 1),
        ("direct", None, 8),
        ("custom_serialized", None, 8),
    ],
)
def test_groupings_make_queues(grouping: str, queueing: str | None, most: int):
    score = build(*make_pages().values(), make_graph(score=grouping)).operators[1]
    assert (score.queueing, score.max_parallelism) == (queueing, most)


def test_the_largest_stream_gives_the_queueing():
    pages = make_pages()
    pages["score"]["inputStats"] = [
        {"component": "parse", "stream": "default", "executed": 119_000},
        {"component": "spout", "stream": "errors", "executed": 1000},
    ]
    graph = make_graph()
    graph["score"] = {
        ":inputs": [
            {":component": "spout", ":stream": "errors", ":grouping": "shuffle"},
            {":component": "parse", ":stream": "default", ":grouping": "fields"},
        ]
    }
    assert build(*pages.values(), graph).operators[1].queueing == "keyed"


def test_tasks_bound_the_executors():
    pages = make_pages()
    score = pages["score"]
    assert count_tasks_of(score) == 8
    assert count_tasks_of({key: score[key] for key in score if key != "tasks"}) == 2  # by [5-5] and [6-6]
    assert count_tasks_of(score | {"tasks": 1}) is None  # fewer tasks than executors: one of the two is wrong


def count_tasks_of(page: JsonObject) -> int | None:
    pages = sort_answers(answer(page))
    return count_tasks(measure_sample(pages.samples[0], {}).components["score"])


def test_bolts_that_nobody_is_seen_to_feed_are_entries_with_their_share():
    graph = build(*[make_component_page(bolt) for bolt in BOLTS])
    assert not graph.edges
    assert sum(entry.share for entry in graph.entries) == pytest.approx(1.0)
    with_spout = build(make_spout(61_200), make_component_page("pi"))
    assert with_spout.entries[0].share == pytest.approx(393.6696143 / 102.0)


def test_an_entry_of_nothing_has_no_share():
    row: JsonObject = {"id": "[1-1]", "uptime": "1m 0s", "executed": 0}
    graph = build(make_component_page("blob"), make_component_page("pi") | {"executorStats": [row]})
    assert [entry.operator for entry in graph.entries] == ["blob"]
