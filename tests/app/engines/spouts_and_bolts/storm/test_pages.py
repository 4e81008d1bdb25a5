"""app/engines/spouts_and_bolts/storm/pages.py: which page an answer is, and which pages are one sample."""

from datetime import timedelta

import pytest
from pydantic import JsonValue

from app.engines.answers import EngineAnswer
from app.engines.spouts_and_bolts.storm.pages import sort_answers
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    AT,
    answer,
    make_component_page,
    make_topology_page,
    read_golden,
)

TOPOLOGY = make_topology_page()
PI, BLOB = make_component_page("pi"), make_component_page("blob")
GRAPH = read_golden("wordcount-visualization.json")


@pytest.mark.parametrize(
    "sent",
    [
        [TOPOLOGY, PI, BLOB, GRAPH],
        [[TOPOLOGY, [PI, BLOB]], GRAPH],
        [{"topology": TOPOLOGY, "components": {"pi": PI, "blob": BLOB}, "visualization": GRAPH}],
        [GRAPH, BLOB, PI, TOPOLOGY],
    ],
)
def test_pages_come_in_any_order_and_in_lists_or_objects(sent: list[JsonValue]):
    found = sort_answers(answer(*sent))
    assert len(found.samples) == 1
    assert found.samples[0].topology is not None
    assert set(found.samples[0].components) == {"pi", "blob"}
    assert set(found.graph) == {"spout", "split", "count"}


def test_a_page_that_comes_again_begins_the_next_sample():
    later = AT + timedelta(seconds=15)
    pages = [*answer(TOPOLOGY, PI, at=later), *answer(TOPOLOGY, PI)]
    assert [sample.at for sample in sort_answers(pages).samples] == [AT, later]


def test_the_path_names_a_page_that_does_not():
    nameless = {key: value for key, value in PI.items() if key not in {"id", "topologyId", "window"}}
    path = "/api/v1/topology/linear-1/component/pi%202?window=600&sys=false"
    page = sort_answers([EngineAnswer(nameless, path, AT)]).samples[0].components["pi 2"]
    assert (page.window, page.topology_id) == (600.0, "linear-1")
    lost = sort_answers(answer(nameless))
    assert (lost.samples, lost.nameless) == ([], 1)


def test_the_topologys_page_says_the_window_of_component_pages_that_do_not():
    page = {key: value for key, value in PI.items() if key != "window"}
    assert sort_answers(answer(TOPOLOGY, page)).samples[0].components["pi"].window == 600.0
    assert sort_answers(answer(page)).samples[0].components["pi"].window is None


def test_pages_of_storm_itself_are_left_out():
    assert not sort_answers(answer(PI | {"id": "__acker"})).samples


@pytest.mark.parametrize("sent", [None, 3, "", [], {}, {"topologies": []}, [[[[TOPOLOGY]]]]])
def test_other_documents_are_no_pages(sent: JsonValue):
    assert not sort_answers(answer(sent)).samples
