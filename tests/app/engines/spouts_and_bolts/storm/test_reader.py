"""app/engines/spouts_and_bolts/storm/reader.py: Storm's pages as topologies and loads."""

from datetime import timedelta
from typing import Any

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer, list_answers
from app.engines.spouts_and_bolts.storm.reader import read
from planner.situations.situation import estimate
from tests.app.engines.mutating import check_reading
from tests.app.engines.spouts_and_bolts.storm.test_pages_streams import make_page
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    AT,
    BOLTS,
    TOPOLOGY_ID,
    answer,
    make_component_page,
    make_topology_page,
    read_golden,
)
from tests.app.engines.spouts_and_bolts.storm.wired_pages import make_graph, make_pages, make_spout

WORDS = read_golden("wordcount-topology.json")
GRAPH = read_golden("wordcount-visualization.json")
STREAMS = make_page()
COMPONENTS = [make_component_page(bolt) for bolt in BOLTS]
SAMPLE: Any = [make_topology_page(), *[make_component_page(bolt) for bolt in ("pi", "parse", "fileWrite")]]
WIRED: Any = [*make_pages().values(), make_graph()]


@pytest.mark.parametrize(
    "sent",
    [
        [make_topology_page(), *COMPONENTS],
        COMPONENTS,
        {"answers": [{"path": "", "at": "2026-11-18T12:00:00Z", "body": body} for body in COMPONENTS]},
        {"answers": [{"body": COMPONENTS}]},
        {"topology": make_topology_page(), "components": COMPONENTS},
    ],
)
def test_the_real_run_is_read_in_every_shape(sent: Any):
    """Rates, service times and utilisations of all bolts agree with what Storm printed."""
    answers = [one if one.at else one._replace(at=AT) for one in list_answers(sent)]
    reading = read(answers)
    check_reading(reading)
    load = reading.loads[0]
    utilisations = {
        name: one.arrival_rate / one.service_rate / one.processors
        for name, one in load.operators.items()
        if one.arrival_rate and one.service_rate and one.processors
    }
    expected = {"parse": 0.183, "pi": 0.9035, "fileWrite": 0.003, "blob": 0.9036, "table": 0.913}
    assert utilisations == pytest.approx(expected, rel=0.01, abs=0.0005)
    assert load.operators["pi"].arrival_rate == pytest.approx(393.67, abs=0.01)
    assert load.operators["pi"].service_rate == pytest.approx(1000 / 9.1813, rel=1e-3)
    assert reading.marks["topology_id"] == TOPOLOGY_ID


@pytest.mark.parametrize("sent", [[WORDS], [WORDS, GRAPH], COMPONENTS, WIRED])
def test_what_is_read_can_be_estimated(sent: Any):
    reading = read(answer(*sent))
    assert reading.topology is not None
    load = reading.loads[0]
    counts = {name: one.processors or 1 for name, one in load.operators.items()}
    found = estimate(reading.topology.to_values(), load.to_values(), counts)
    assert found.expected_sojourn_seconds is not None


def test_the_wired_topology_has_its_flow_and_its_time():
    reading = read(answer(*WIRED))
    load = reading.loads[0]
    assert (load.external_rate, load.window_seconds, load.measured_completion_seconds) == (100.0, 600.0, 0.25)
    rates = {name: (one.arrival_rate, one.service_rate) for name, one in load.operators.items()}
    assert rates == {"parse": (100.0, 100.0), "score": (200.0, 200.0)}


def test_two_samples_are_two_loads():
    """As the bridge posts them: the previous sample and this one, 15 s apart."""
    later = AT + timedelta(seconds=15)
    reading = read([*answer(*WIRED), *answer(*WIRED, at=later)])
    assert [load.observed_at for load in reading.loads] == [
        AT - timedelta(seconds=600),
        later - timedelta(seconds=600),
    ]
    assert len(read([*answer(*WIRED), *answer(*WIRED)]).loads) == 1


def test_a_page_that_comes_again_alone_is_no_sample():
    """The topology is that of the newest complete sample."""
    later = AT + timedelta(seconds=15)
    reading = read([*answer(*COMPONENTS), *answer(make_component_page("pi"), at=later)])
    assert reading.topology is not None
    assert {operator.name for operator in reading.topology.operators} == set(BOLTS)
    assert len(reading.loads) == 1
    assert "samples-left-out" in {one.code for one in reading.diagnostics}


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ([], "no page of Storm's UI"),
        ([{"topologies": [{"id": "a-1"}]}], "no page of Storm's UI"),
        ([{"spouts": [], "bolts": []}], "name no bolt"),
        ([{"bolts": [{"boltId": "a"}], "uptimeSeconds": 60}], "no rate can be computed"),
        ([{"bolts": [{"boltId": "a", "executed": 5}]}], "no rate can be computed"),
        ([make_spout()], "name no bolt"),
        ([make_topology_page(), make_topology_page() | {"id": "other-1"}], "to several topologies"),
    ],
)
def test_pages_that_say_too_little_are_refused_with_what_to_send(sent: Any, told: str):
    with pytest.raises(UnreadableAnswer) as caught:
        read(answer(*sent))
    assert told in caught.value.detail


def test_pages_without_any_time_are_refused():
    with pytest.raises(UnreadableAnswer) as caught:
        read([EngineAnswer(make_component_page("pi"), pointer="#/0")])
    assert 'give "at"' in caught.value.detail
    assert caught.value.pointer == "#/0"
