"""app/engines/spouts_and_bolts/storm/fields.py: the rows of executors, and what their counts give."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.fields import (
    find_service_seconds,
    mean_latency,
    read_executors,
    read_milliseconds,
)
from tests.app.engines.spouts_and_bolts.storm.ui_pages import BOLTS, make_row, read_table

ROW = make_row(read_table("pi")[0])


@pytest.mark.parametrize("bolt", BOLTS)
def test_rate_times_latency_is_the_capacity_that_storm_printed(bolt: str):
    """The four numbers of every row of the real run agree but for their last digits."""
    for row in read_executors([make_row(one) for one in read_table(bolt)], 600.0, None):
        assert row.executed_rate is not None
        assert row.latency is not None
        assert row.executed_rate * row.latency == pytest.approx(row.capacity, rel=0.01, abs=0.0005)


def test_a_row_has_a_place_and_tasks():
    row = read_executors([ROW | {"id": "[63-65]"}], 600.0, None)[0]
    assert (row.id, row.place, row.tasks) == ("[63-65]", "10.3.0.25:6736", 3)


def test_an_executor_that_is_listed_twice_counts_once():
    assert len(read_executors([ROW, ROW], 600.0, None)) == 1


@pytest.mark.parametrize(
    ("change", "window", "covered"),
    [
        ({}, 600.0, 129.0),
        ({"uptimeSeconds": 7200}, 600.0, 600.0),
        ({"uptimeSeconds": 7200}, None, 7200.0),
        ({"uptimeSeconds": None, "uptime": None}, 600.0, 12740 * 0.009133 / 0.902),
        ({"uptimeSeconds": None, "uptime": None, "capacity": "0.000"}, 600.0, 301.0),
    ],
)
def test_counts_cover_the_uptime_else_what_capacity_says_else_the_topologys_uptime(
    change: dict[str, JsonValue], window: float | None, covered: float
):
    assert read_executors([ROW | change], window, 301.0)[0].covered == pytest.approx(covered)


def test_executed_0_is_a_rate_of_0_and_unknown_stays_unknown():
    nothing, unknown = read_executors(
        [ROW | {"id": "[1-1]", "executed": 0}, ROW | {"id": "[2-2]", "executed": None}], 600.0, None
    )
    assert (nothing.executed_rate, unknown.executed_rate) == (0.0, None)
    timeless = ROW | {"executed": 0, "uptime": None, "uptimeSeconds": None}
    assert read_executors([timeless], 600.0, None)[0].executed_rate == 0.0


def test_the_mean_latency_is_over_tuples_not_over_executors():
    rows = [
        ROW | {"id": "[1-1]", "executed": 900, "executeLatency": "1.000"},
        ROW | {"id": "[2-2]", "executed": 100, "executeLatency": "11.000"},
        ROW | {"id": "[3-3]", "executed": 0, "executeLatency": "0"},
    ]
    assert mean_latency(read_executors(rows, 600.0, None), {}) == pytest.approx(0.002)
    assert mean_latency(read_executors(rows[2:], 600.0, None), {}) is None


@pytest.mark.parametrize(
    ("executed", "latency", "seconds"),
    [
        (1000, "2.500", 0.0025),
        (60_000, "0.000", 0.001e-0 * 3 / 3000),  # 3,000 samples of 0 ms: the mean is below 3/3000 ms
        (20_000_000, "0.000", 0.0000005),  # what prints as 0.000 is below 0.0005 ms
        (400, "0.000", None),  # 20 samples say nothing
        (0, "0", None),
        (1000, None, None),
        (0, "5.000", 0.005),
    ],
)
def test_a_service_of_0_ms_is_bounded_by_its_samples(
    executed: int, latency: JsonValue, seconds: float | None
):
    found = find_service_seconds(float(executed), read_milliseconds(latency), 20.0)
    assert found == (None if seconds is None else pytest.approx(seconds))
