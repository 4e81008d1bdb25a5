"""Intervals around a rescale: services, keys and waits are those of the processors that run now, rates of all."""

import pytest

from planner.situations.situation import estimate
from planner.topology.smoothing import (
    find_rescales,
    is_running,
    is_settled,
    pick_alike,
    smooth_ewma,
    smooth_window,
)
from planner.values import InstanceLoad, Load, Operator, OperatorLoad, ServiceBucket, Topology


def measure(instances: int, service_rate: float, rate: float, wait: float | None = 0.2) -> Load:
    """An interval in which keys spread evenly over so many instances."""
    shares = tuple(InstanceLoad(f"score-{i}", 1.0 / instances) for i in range(instances))
    one = OperatorLoad(
        service_rate,
        rate,
        processors=instances,
        instances=shares,
        service_histogram=(ServiceBucket(1.0 / service_rate, 10),),
        measured_wait_seconds=wait,
    )
    return Load(rate, {"score": one}, measured_sojourn_seconds=wait)


@pytest.mark.parametrize(("before", "after"), [(4, 8), (16, 53), (8, 4)])
def test_after_a_rescale_even_keys_stay_even(before: int, after: int) -> None:
    intervals = [measure(before, 25.0, 60.0)] * 2 + [measure(after, 25.0, 90.0)]
    for load, said in (smooth_window(intervals, 3), smooth_ewma(intervals, 0.7)):
        found = load.operators["score"]
        assert [one.share for one in found.instances] == pytest.approx([1.0 / after] * after)
        assert found.arrival_rate is not None
        assert 60.0 < found.arrival_rate < 90.0, "rates follow what came in all intervals"
        assert [(one.code, one.operators) for one in said] == [("intervals-rescaled", ("score",))]
        assert "changed within the 3 intervals at score" in said[0].detail
    topology = Topology((Operator("score", queueing="keyed"),))
    smoothed = smooth_window(intervals, 3)[0]
    even = Load(smoothed.external_rate, {"score": smoothed.operators["score"]._replace(instances=())})
    assert estimate(topology, smoothed).expected_sojourn_seconds == pytest.approx(
        estimate(topology, even).expected_sojourn_seconds
    )


def test_services_and_waits_are_those_of_the_processors_that_run() -> None:
    intervals = [measure(4, 25.0, 60.0, 3.0), measure(8, 20.0, 60.0, 0.5), measure(8, 22.0, 60.0, 0.3)]
    load, _ = smooth_window(intervals, 3)
    found = load.operators["score"]
    assert found.service_rate == pytest.approx(21.0)
    assert sum(bucket.services for bucket in found.service_histogram) == 20
    assert found.measured_wait_seconds == pytest.approx(0.4)
    assert load.measured_sojourn_seconds == pytest.approx(0.4)


def test_what_is_not_measured_since_a_rescale_comes_from_before_it_but_no_wait_does() -> None:
    silent = Load(50.0, {"score": OperatorLoad(processors=8)})
    load, _ = smooth_window([measure(2, 30.0, 60.0), measure(4, 25.0, 60.0), silent], 3)
    found = load.operators["score"]
    assert (found.processors, found.service_rate, len(found.instances)) == (8, 25.0, 4)
    assert found.measured_wait_seconds is None
    assert load.measured_sojourn_seconds is None


def test_an_interval_that_does_not_tell_its_processors_counts_as_one_with_those_that_run() -> None:
    known, unknown = OperatorLoad(1.0, processors=3), OperatorLoad(2.0)
    assert is_running(unknown, 3)
    assert not is_running(known, 4)
    older = OperatorLoad(9.0, processors=2)
    assert pick_alike([older, unknown, known], lambda one: one.service_rate is not None) == [unknown, known]
    newest = {"a": known, "b": OperatorLoad()}
    assert is_settled(Load(1.0, {"a": known, "b": older}), newest)
    assert not is_settled(Load(1.0, {"a": older}), newest)
    assert find_rescales([Load(1.0, {"a": known}), Load(1.0, {})], newest) == ()
