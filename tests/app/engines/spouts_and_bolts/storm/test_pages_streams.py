"""app/engines/spouts_and_bolts/storm/pages.py: counts by stream of all components."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.pages import is_stream_page, sort_answers
from app.engines.spouts_and_bolts.storm.reader import read
from tests.app.engines.spouts_and_bolts.storm.ui_pages import JsonObject, answer, read_golden

WORDS = read_golden("wordcount-topology.json")


def count(value: int, component: str | None = None, stream: str = "default") -> JsonValue:
    """One row of the page."""
    row: JsonObject = {"stream_id": stream, "value": value}
    return row if component is None else row | {"component_id": component}


def make_page() -> JsonObject:
    """The page of the documented word count."""
    acks = count(28_800, stream="__ack_init")
    return {
        "window": "600",
        "window-hint": "10m 0s",
        "spouts": [{"id": "spout", "emitted": [count(28_880), acks], "transferred": [count(28_880), acks]}],
        "bolts": [
            {
                "id": "split",
                "emitted": [count(184_500)],
                "transferred": [count(184_500)],
                "executed": [count(28_780, "spout")],
                "executed_ms_avg": [{"component_id": "spout", "stream_id": "default", "value": "0.024"}],
            },
            {"id": "count", "emitted": [], "transferred": [], "executed": [count(184_620, "split")]},
            {"id": "__acker", "emitted": [], "executed": [count(9, "spout", "__ack_init")]},
        ],
    }


def test_counts_of_a_stream_stand_beside_each_other():
    pages = sort_answers(answer(make_page())).samples[0].streams
    assert set(pages) == {"spout", "split", "count"}
    assert pages["split"].body["outputStats"] == [
        {"component": "", "stream": "default", "emitted": 184_500, "transferred": 184_500}
    ]
    assert pages["split"].body["inputStats"] == [
        {"component": "spout", "stream": "default", "executed": 28_780}
    ]


@pytest.mark.parametrize(
    ("page", "found"), [(make_page(), True), (WORDS, False), ({"bolts": []}, False), ({}, False)]
)
def test_the_topologys_page_is_no_page_of_streams(page: JsonObject, *, found: bool):
    assert is_stream_page(page) == found


def test_streams_beside_the_topologys_page_give_edges_and_what_was_sent():
    reading = read(answer(WORDS, make_page()))
    assert reading.topology is not None
    edges = [(edge.source, edge.target, edge.selectivity) for edge in reading.topology.edges]
    assert edges == [("split", "count", 184_500 / 600 / (28_780 / 600))]
    load = reading.loads[0]
    assert load.external_rate == pytest.approx(28_880 / 600)  # without __ack_init
    assert load.operators["split"].arrival_rate == pytest.approx(28_780 / 600)
    assert load.operators["count"].service_rate == pytest.approx(1000 / 0.048)
    assert {one.code for one in reading.diagnostics} >= {"grouping-unknown"}
