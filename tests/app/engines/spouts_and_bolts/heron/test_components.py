"""app/engines/spouts_and_bolts/heron/components.py: spouts and bolts as measured."""

import copy

import pytest

from app.engines.spouts_and_bolts.flows import StreamFlow
from tests.app.engines.spouts_and_bolts.heron.composed import edit_grouping, make_documents, measure

SPLIT = "container_1_split_3"


def test_bolts_have_rates_latencies_and_inputs():
    count = measure(make_documents()).components["count"]
    assert dict(count.instances) == {"container_1_count_4": 60.0, "container_2_count_5": 40.0}
    assert (count.executed_rate, count.is_bolt) == (100.0, True)
    assert count.service_seconds == pytest.approx(0.007)  # 0.6 × 5 ms + 0.4 × 10 ms
    assert count.inputs == (StreamFlow("split", "default", "count", "fields"),)
    assert count.executed_from == {("split", "default"): 100.0}
    assert count.back_pressure == 0.0


def test_spouts_have_what_they_emit_and_complete():
    word = measure(make_documents()).components["word"]
    assert (word.is_bolt, word.emitted_rate, word.acked_rate, word.failed_rate) == (False, 20.0, 20.0, 0.0)
    assert word.complete_seconds == pytest.approx(0.08)


def test_tuples_are_counted_once_though_heron_counts_them_under_two_names():
    documents = copy.deepcopy(make_documents())
    series = documents["timeline-split"]["timeline"]
    for base in ("__execute-count", "__execute-latency"):
        series[f"{base}/default"] = series[f"{base}/word/default"]
    split = measure(documents).components["split"]
    assert split.executed_rate == 20.0
    assert split.service_seconds == pytest.approx(0.02)
    for base in ("__execute-count", "__execute-latency"):
        del series[f"{base}/word/default"]
    split = measure(documents).components["split"]
    assert split.executed_rate == 20.0
    assert split.service_seconds == pytest.approx(0.02)


def test_an_instance_without_counts_makes_the_rate_unknown_and_a_former_one_does_not_count():
    documents = copy.deepcopy(make_documents())
    documents["physicalplan"]["bolts"]["count"] = ["container_1_count_4", "container_3_count_6"]
    count = measure(documents).components["count"]
    assert dict(count.instances) == {"container_1_count_4": 60.0, "container_3_count_6": None}
    assert count.executed_rate is None


def test_copies_to_an_unknown_number_of_instances_are_not_0():
    documents = edit_grouping("ALL") | {"physicalplan": {"spouts": {}, "bolts": {}}}
    documents["timeline-count"]["timeline"] = {}
    found = measure(documents)
    assert (found.components["count"].tasks, found.offered["count"].rate) == (None, None)


def test_metrics_alone_name_components_and_instances():
    documents = {name: body for name, body in make_documents().items() if name.startswith("timeline")}
    components = measure(documents).components
    assert {name: one.is_bolt for name, one in components.items()} == {
        "word": False,
        "split": True,
        "count": True,
    }
    assert len(components["count"].instances) == 2


def test_back_pressure_is_milliseconds_per_second_of_the_instance_that_began_it():
    documents = copy.deepcopy(make_documents())
    held = documents["timeline-stmgr"]["timeline"][f"__time_spent_back_pressure_by_compid/{SPLIT}"]["stmgr-1"]
    held.update(dict.fromkeys(held, "15000.000000"))
    components = measure(documents).components
    assert (components["split"].back_pressure, components["count"].back_pressure) == (0.25, 0.0)
    assert components["word"].back_pressure is None


def test_names_of_counts_say_who_feeds_a_bolt_where_the_plan_is_missing():
    documents = {name: body for name, body in make_documents().items() if name != "logicalplan"}
    assert measure(documents).components["count"].inputs == (
        StreamFlow("split", "default", "count", "unknown"),
    )
