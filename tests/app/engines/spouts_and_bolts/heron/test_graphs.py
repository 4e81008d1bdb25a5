"""app/engines/spouts_and_bolts/heron/graphs.py: the topology of the logical plan."""

import copy
from typing import Any

import pytest

from app.engines.spouts_and_bolts.heron.graphs import build_graph
from app.engines.spouts_and_bolts.heron.streams import find_arrivals, find_entries, find_external
from app.load.bodies.topology import Graph
from tests.app.engines.spouts_and_bolts.heron.composed import edit_grouping, make_documents, measure


def build(documents: dict[str, Any]) -> Graph:
    components = measure(documents)[0]
    arrivals = {name: find_arrivals(one, components, 10) for name, one in components.items() if one.is_bolt}
    entries = find_entries(components, arrivals)
    graph = build_graph(components, entries, find_external(components, entries)[0])
    assert graph is not None
    return graph


def test_bolts_edges_and_entries():
    graph = build(make_documents())
    assert [(one.name, one.queueing, one.max_parallelism) for one in graph.operators] == [
        ("split", "round-robin", None),
        ("count", "keyed", None),
    ]
    assert [(one.source, one.target, one.selectivity) for one in graph.edges] == [("split", "count", 5.0)]
    assert [(one.operator, one.share) for one in graph.entries] == [("split", 1.0)]


@pytest.mark.parametrize(
    ("grouping", "queueing", "most"),
    [("LOWEST", "keyed", 1), ("ALL", "random", 2), ("NONE", "random", None), ("CUSTOM", None, None)],
)
def test_groupings_make_queues_and_limits(grouping: str, queueing: str | None, most: int | None):
    count = build(edit_grouping(grouping)).operators[1]
    assert (count.queueing, count.max_parallelism) == (queueing, most)


def test_an_unmeasured_selectivity_is_1():
    documents = copy.deepcopy(make_documents())
    del documents["timeline-split"]
    assert build(documents).edges[0].selectivity == 1.0
