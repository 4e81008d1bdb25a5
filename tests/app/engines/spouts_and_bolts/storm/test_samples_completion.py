"""app/engines/spouts_and_bolts/storm/samples.py: the complete latency of spouts."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.components import Completion
from tests.app.engines.spouts_and_bolts.storm.ui_pages import JsonObject, measure, read_golden
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_spout


def complete(*bodies: JsonValue) -> Completion:
    return measure(*bodies).interval.completion


def make_page(**spout: JsonValue) -> JsonObject:
    row: JsonObject = {"spoutId": "a", **spout}
    return {"id": "x-1", "window": "600", "msgTimeout": 30, "spouts": [row], "bolts": []}


def test_the_mean_is_over_what_was_acknowledged():
    page = make_page(acked=100, completeLatency="10.000")
    spouts = page["spouts"]
    assert isinstance(spouts, list)
    spouts.append({"spoutId": "b", "acked": 300, "completeLatency": "30.000", "failed": 7})
    assert complete(page) == Completion(0.025, 7.0, 30.0)


def test_a_spouts_own_page_says_it_too():
    assert complete(make_spout()).seconds == pytest.approx(0.25)


def test_the_executors_of_a_spout_stand_in_for_its_totals():
    rows: list[JsonValue] = [
        {"id": "[1-1]", "acked": 100, "completeLatency": "10.000"},
        {"id": "[2-2]", "acked": 300, "completeLatency": "30.000"},
        {"id": "[3-3]", "acked": 0, "completeLatency": "0"},
    ]
    page: JsonObject = {"id": "a", "componentType": "spout", "executorStats": rows}
    assert complete(page).seconds == pytest.approx(0.025)


@pytest.mark.parametrize(
    "spout",
    [
        {"acked": 0, "completeLatency": "0.000"},
        {"acked": 500, "completeLatency": "0.000"},
        {"acked": None},
        {},
    ],
)
def test_nothing_acknowledged_and_a_latency_of_0_are_no_completion_time(spout: dict[str, JsonValue]):
    assert complete(make_page(**spout)).seconds is None


def test_the_row_of_the_window_stands_in_for_spouts():
    stats: list[JsonValue] = [
        {"window": ":all-time", "acked": 9, "completeLatency": "900.000"},
        {"window": "600", "acked": 5, "completeLatency": "40.000", "failed": 2},
    ]
    assert complete(make_page() | {"topologyStats": stats}) == Completion(0.04, 2.0, 30.0)


def test_acks_of_bolts_are_not_completions():
    """In Storm's own sample the topology acknowledges 213,460 tuples with a latency of 0.000: those of bolts."""
    assert complete(read_golden("wordcount-topology.json")).seconds is None
