"""app/engines/spouts_and_bolts/heron/reader.py: Heron's plans and metrics as topology and loads."""

from datetime import timedelta
from typing import Any

import pytest

from app.engines.answers import EngineAnswer, UnreadableAnswer
from app.engines.spouts_and_bolts.heron.reader import read
from planner.situations.situation import estimate
from tests.app.engines.mutating import check_reading
from tests.app.engines.spouts_and_bolts.heron.composed import AT, diagnose, load, make_answers, make_documents


def test_a_sample_is_a_topology_and_a_load():
    reading = read(make_answers(make_documents()))
    check_reading(reading)
    found = reading.loads[0]
    assert (found.external_rate, found.window_seconds, found.measured_completion_seconds) == (
        20.0,
        600.0,
        0.08,
    )
    assert found.observed_at == AT - timedelta(seconds=620)  # the newest minute is 20 s old
    assert reading.topology is not None
    counts = {name: one.processors or 1 for name, one in found.operators.items()}
    assert counts == {"split": 1, "count": 2}
    assert estimate(reading.topology.to_values(), found.to_values(), counts).stable
    assert reading.marks == {
        "cluster": "local",
        "role": "ads",
        "environ": "default",
        "topology": "words",
        "instances": {"split": 1, "count": 2},
        "spouts": {"word": 2},
    }


def test_timelines_need_no_time_of_the_answer():
    assert read(make_answers(make_documents(), at=None)).loads == read(make_answers(make_documents())).loads


def test_the_same_sample_sent_twice_is_one_load():
    later = make_answers(make_documents(), at=AT + timedelta(seconds=15))
    assert len(read([*make_answers(make_documents()), *later]).loads) == 1


def test_metrics_of_an_interval_are_read_too():
    reading = read([EngineAnswer(load("metrics-count"), at=AT)])
    check_reading(reading)
    count = reading.loads[0].operators["count"]
    assert count.arrival_rate == pytest.approx(103.0)
    assert count.processors == 2
    assert count.service_rate == pytest.approx(200.0)  # the other instance's mean is -nan


@pytest.mark.parametrize(
    ("documents", "told"),
    [
        ([], "no metrics of Heron's tracker"),
        ([load("logicalplan")], "no metrics of Heron's tracker"),
        ([load("metrics-all-time")], "only between two samples"),
        ([{"component": "a", "timeline": {}}], "no complete minute"),
        ([load("timeline-word")], "name no bolt"),
        ([{"status": "failure", "result": {}}], "no metrics of Heron's tracker"),
    ],
)
def test_answers_that_say_too_little_are_refused_with_what_to_send(documents: list[Any], told: str):
    with pytest.raises(UnreadableAnswer) as caught:
        read([EngineAnswer(one, at=AT) for one in documents])
    assert told in caught.value.detail


def test_full_queues_that_stop_the_spouts_are_said():
    documents = make_documents()
    metric = "__time_spent_back_pressure_by_compid/container_1_split_3"
    held = documents["timeline-stmgr"]["timeline"][metric]["stmgr-1"]
    held.update(dict.fromkeys(held, "15000.000000"))
    said = diagnose(documents)["spouts-held-back"]
    assert (said.operators, "split for 25% of the time" in said.detail) == (("split",), True)
    held.update(dict.fromkeys(held, "600.000000"))
    assert "spouts-held-back" not in diagnose(documents)  # 1% of the time


def test_an_interval_without_buckets_has_an_error_that_is_said():
    said = diagnose({"metrics-count": load("metrics-count")})["interval-approximate"]
    assert "An interval of 10 min holds" in said.detail
    assert "by up to 10%" in said.detail


def test_the_completion_time_is_that_of_acknowledged_tuples():
    documents = make_documents()
    assert read(make_answers(documents)).loads[0].measured_completion_seconds == pytest.approx(0.08)
    del documents["timeline-word"]["timeline"]["__ack-count/default"]
    assert read(make_answers(documents)).loads[0].measured_completion_seconds is None
