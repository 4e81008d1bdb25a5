"""How long records wait in buffers, from the number of buffers that came: beside a sender that flushes."""

import copy
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from app.engines.answers import list_answers
from app.engines.flink.asking import list_looks
from app.engines.flink.buffers import OF_BUFFERS, find_scaled
from planner.situations.situation import estimate
from planner.values import Load, Operator, OperatorLoad, Topology
from tests.app.engines.flink.recorded import JOB, PARSE, STEADY, Json, codes, later, load, read

SECONDS, RECORDS, BUSY = 60.0, 9600, 0.4
"""What passes between the samples; parse has four subtasks and one sender, so a channel brings 40 records a second."""


def flush(timeout: float) -> tuple[int, float]:
    """The buffers that a sender makes of the records, and the mean wait of a record, with this buffer timeout."""
    rng = np.random.default_rng(1)
    buffers, waits = 0, 0.0
    for _ in range(4):
        times = rng.uniform(0.0, SECONDS, RECORDS // 4)
        ends = np.ceil(times / timeout)
        buffers += np.unique(ends).size
        waits += float((ends * timeout - times).sum())
    return buffers, waits / RECORDS


def take(buffers: int) -> Json:
    """Two samples of the job with the metrics of parse, and the cluster's settings."""
    job, begin = load("job"), datetime(2026, 11, 20, tzinfo=UTC)
    listed = [load("jobmanager-config")]
    for place, document in enumerate((job, later(job, SECONDS, **STEADY))):
        at = (begin + timedelta(seconds=place * SECONDS)).isoformat()
        growth = (buffers, 0, RECORDS, 4e3 * BUSY * SECONDS, 4e3 * (1.0 - BUSY) * SECONDS, 0)
        values = [
            {"id": name, "sum": 1000.0 + place * by} for name, by in zip(OF_BUFFERS, growth, strict=True)
        ]
        path = f"/jobs/{JOB}/vertices/{PARSE}/subtasks/metrics?get={','.join(OF_BUFFERS)}"
        listed += [
            {"path": f"/jobs/{JOB}", "at": at, "body": document},
            {"path": path, "at": at, "body": values},
        ]
    answers = [
        one if "body" in one else {"path": "", "at": None, "body": one} for one in copy.deepcopy(listed[1:])
    ]
    return {"answers": [*answers, {"path": "/jobmanager/config", "at": answers[0]["at"], "body": listed[0]}]}


@pytest.mark.parametrize("timeout", [0.1, 0.2, 0.3])
def test_records_wait_half_of_the_timeout_that_buffers_show_and_half_of_those_that_come_with_them(
    timeout: float,
):
    buffers, wait = flush(timeout)
    reading = read(take(buffers))
    assert reading.loads[-1].operators["parse"].exchange_seconds == pytest.approx(
        wait * (1.0 + BUSY), rel=0.1
    )
    assert "exchange-delay" in codes(reading)
    assert "buffer-timeout" not in codes(reading), "what the job has set is seen"


def test_records_that_come_one_by_one_are_sent_at_once():
    reading = read(take(round(0.97 * RECORDS)))
    assert reading.loads[-1].operators["parse"].exchange_seconds == 0.0
    assert not {"exchange-delay", "buffer-timeout"} & codes(reading)


def test_records_that_share_a_buffer_because_their_taker_is_busy_show_no_timeout():
    reading = read(take(round(0.5 * RECORDS)))
    assert reading.loads[-1].operators["parse"].exchange_seconds is None
    assert "buffer-timeout" in codes(reading)


def test_without_buffers_the_setting_of_the_cluster_is_said():
    reading = read(take(0))
    assert reading.loads[-1].operators["parse"].exchange_seconds is None
    assert "buffer-timeout" in codes(reading)


def test_a_look_asks_nothing_of_buffers():
    assert list_looks(list_answers(take(100))) == []


@pytest.mark.parametrize("scaled", [0.5, 3.0, 40.0])
def test_buffers_per_record_tell_records_per_flush(scaled: float):
    assert find_scaled((1.0 - np.exp(-scaled)) / scaled) == pytest.approx(scaled)


def test_the_way_is_a_part_of_the_expected_time():
    def find_seconds(exchange: float, delay: float) -> float:
        operator = Operator("a", delay_seconds=delay)
        measured = OperatorLoad(10.0, processors=2, exchange_seconds=exchange)
        found = estimate(Topology((operator,)), Load(9.0, {"a": measured})).expected_sojourn_seconds
        assert found is not None
        return found

    assert find_seconds(0.05, 0.0) == pytest.approx(find_seconds(0.0, 0.0) + 0.05)
    assert find_seconds(0.05, 0.2) == pytest.approx(find_seconds(0.0, 0.0) + 0.25)
