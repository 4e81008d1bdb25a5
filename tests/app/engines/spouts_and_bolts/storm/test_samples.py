"""app/engines/spouts_and_bolts/storm/samples.py: the time, the length and the sampling of one sample."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.graph_and_load import build_load
from tests.app.engines.spouts_and_bolts.storm.ui_pages import (
    AT,
    BOLTS,
    JsonObject,
    make_component_page,
    make_topology_page,
    measure,
)


@pytest.mark.parametrize(("uptime", "seconds"), [(301, 301.0), (7200, 600.0)])
def test_the_interval_ends_when_the_page_came_and_is_as_long_as_its_counts(uptime: int, seconds: float):
    load = build_load(measure(make_topology_page(uptime)).interval)
    assert load is not None
    assert load.observed_at == AT - timedelta(seconds=seconds)
    assert load.window_seconds == seconds


def test_counts_of_executors_that_started_late_make_a_shorter_interval():
    bolts = [make_component_page(bolt) for bolt in BOLTS]
    assert measure(make_topology_page(uptime=3600), *bolts).interval.seconds == 301.0


def test_component_pages_alone_have_the_length_of_the_longest():
    found = measure(make_component_page("pi"), make_component_page("table"))
    assert found.interval.seconds == found.interval.components["table"].covered


def test_the_topologys_id_and_its_uptime_are_a_clock():
    page = make_topology_page()
    launch = datetime.fromtimestamp(1446571009, UTC)
    assert measure(page, at=None).interval.begins_at == launch
    assert measure(page | {"id": "linear-1"}, at=None).interval.begins_at is None
    assert measure(page | {"uptimeSeconds": 1e15}, at=None).interval.begins_at is None
    assert build_load(measure(page | {"id": "linear-1"}, at=None).interval) is None


@pytest.mark.parametrize(
    ("rate", "step"), [(0.05, 20.0), ("0.1", 10.0), (1.0, 1.0), (0, 20.0), (None, 20.0), (2, 20.0)]
)
def test_one_sampled_tuple_stands_for_several(rate: JsonValue, step: float):
    configuration: JsonObject = {"topology.stats.sample.rate": rate}
    page = make_topology_page() | {"configuration": configuration}
    assert measure(page).step == step
