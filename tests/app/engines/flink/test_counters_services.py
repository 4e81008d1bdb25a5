"""app/engines/flink/counters.py: service rates from busy times."""

import pytest

from app.engines.flink.counters import VertexCounters, find_life_records, measure_service
from tests.app.engines.flink.recorded import load, read

QUIET = VertexCounters(records_in=800.0, busy_ms=8_000.0, idle_ms=2_000.0)
NOISY = VertexCounters(records_in=10.0, busy_ms=40.0, idle_ms=9_960.0)


def test_records_served_per_second_of_busy_time():
    service = measure_service(80.0, QUIET, QUIET, 2, 10.0)
    assert (service.rate, service.since_start) == (100.0, False)
    assert service.noise == pytest.approx(2.0 * 2.5 / 8_000.0)


def test_where_busy_time_errs_too_much_that_since_the_start_is_taken():
    life = VertexCounters(records_in=10_000.0, busy_ms=100_000.0, idle_ms=900_000.0)
    service = measure_service(1.0, NOISY, life, 2, 10.0)
    assert (service.rate, service.since_start) == (100.0, True)


def test_unless_it_errs_as_much():
    service = measure_service(1.0, NOISY, NOISY, 2, 10.0)
    assert (service.rate, service.since_start) == (250.0, False)


def test_busy_time_that_fell_says_nothing():
    fell = VertexCounters(records_in=10.0, busy_ms=-40.0, idle_ms=10_040.0)
    life = VertexCounters(records_in=1_000.0, busy_ms=10_000.0, idle_ms=900_000.0)
    assert measure_service(1.0, fell, life, 2, 10.0).rate == 100.0
    assert measure_service(1.0, fell, VertexCounters(), 2, 10.0).rate is None


@pytest.mark.parametrize("served", [None, 0.0])
def test_without_a_record_served_there_is_no_rate(served: float | None):
    assert measure_service(served, QUIET, QUIET, 2, 10.0).rate is None


def test_records_of_a_life_are_counted_as_those_of_the_interval():
    counted, life = (
        VertexCounters(records_in=0.0, records_out=50.0),
        VertexCounters(records_in=0.0, records_out=500.0),
    )
    assert find_life_records(25.0, counted, life) == 250.0
    assert find_life_records(25.0, VertexCounters(), VertexCounters()) is None


@pytest.mark.parametrize(
    ("operator", "truth"), [("parse", 100.0), ("score", 125.0), ("audit", 500.0), ("merge", 1000.0)]
)
def test_service_rates_of_a_busy_job_against_the_truth(operator: str, truth: float):
    """Exponential waits of 10, 8, 2 and 1 ms; each service takes some 0.1 ms more on the wire and the clock."""
    (measured,) = read(load("fork-overload")).loads
    assert measured.operators[operator].service_rate == pytest.approx(truth, rel=0.13)
    assert (measured.operators[operator].service_rate or 0.0) < truth * 1.03
