"""Lists of several intervals as one: nothing is lost or made up, and the order of intervals does not matter."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.topology.shapes import merge_histograms, merge_instances, merge_points
from planner.topology.smoothing import average_evenly, smooth_ewma, smooth_window
from planner.values import IdcPoint, InstanceLoad, Load, OperatorLoad, ServiceBucket

rates = st.just(0.0) | st.floats(1e-15, 1e6)
BOUNDS = [0.001 * 1.25**step for step in range(12)]

points = st.dictionaries(st.sampled_from([0.5, 1.0, 2.0, 4.0]), st.floats(0.0, 1e6), min_size=2).map(
    lambda found: tuple(IdcPoint(length, found[length]) for length in sorted(found))
)
histograms = st.dictionaries(st.sampled_from(BOUNDS), st.integers(0, 10**6), min_size=1).map(
    lambda found: tuple(ServiceBucket(bound, found[bound]) for bound in sorted(found))
)


@st.composite
def instances(draw: st.DrawFn) -> tuple[InstanceLoad, ...]:
    parts = draw(st.dictionaries(st.sampled_from("abcd"), st.floats(0.01, 1.0), min_size=1))
    total = sum(parts.values())
    scvs = st.none() | st.floats(0.0, 100.0)
    found = [
        InstanceLoad(name, part / total, draw(scvs), draw(st.just(()) | points))
        for name, part in parts.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.share, one.instance)))


@st.composite
def operators(draw: st.DrawFn) -> OperatorLoad:
    return OperatorLoad(
        service_rate=10.0,
        arrival_rate=draw(st.none() | rates),
        arrival_idc=draw(st.just(()) | points),
        instances=draw(st.just(()) | instances()),
        service_histogram=draw(st.just(()) | histograms),
        measured_wait_seconds=draw(st.none() | st.floats(0.0, 1e6)),
    )


@st.composite
def loads(draw: st.DrawFn) -> Load:
    return Load(draw(rates), {"a": draw(operators())}, None, draw(st.none() | st.floats(0.0, 1e6)))


def assert_close(one: OperatorLoad, other: OperatorLoad) -> None:
    """Equal but for the last digits and, where shares are equal but for those, the order of instances."""
    for found, expected in ((one.arrival_idc, other.arrival_idc), *pair_instances(one, other)):
        assert [point.window_seconds for point in found] == [point.window_seconds for point in expected]
        assert [point.idc for point in found] == pytest.approx([point.idc for point in expected])
    assert one.measured_wait_seconds == pytest.approx(other.measured_wait_seconds)


def pair_instances(
    one: OperatorLoad, other: OperatorLoad
) -> list[tuple[tuple[IdcPoint, ...], tuple[IdcPoint, ...]]]:
    by_name = {instance.instance: instance for instance in other.instances}
    assert {instance.instance for instance in one.instances} == by_name.keys()
    for instance in one.instances:
        assert instance.share == pytest.approx(by_name[instance.instance].share)
        assert instance.arrival_scv == pytest.approx(by_name[instance.instance].arrival_scv)
    return [(instance.arrival_idc, by_name[instance.instance].arrival_idc) for instance in one.instances]


@given(load=loads(), count=st.integers(1, 5), alpha=st.floats(0.0, 0.99))
def test_equal_intervals_are_smoothed_to_what_each_of_them_says(load: Load, count: int, alpha: float) -> None:
    for smoothed, times in (
        (smooth_window([load] * count, count)[0], count),
        (smooth_ewma([load] * count, alpha)[0], 0),
    ):
        assert_close(smoothed.operators["a"], load.operators["a"])
        assert smoothed.measured_completion_seconds == pytest.approx(load.measured_completion_seconds)
        histogram = load.operators["a"].service_histogram
        if times and any(bucket.services for bucket in histogram):
            expected = tuple(bucket._replace(services=times * bucket.services) for bucket in histogram)
            assert smoothed.operators["a"].service_histogram == expected


@given(intervals=st.lists(loads(), min_size=1, max_size=6), seed=st.integers(0, 9))
def test_the_order_of_the_intervals_of_a_window_does_not_matter(intervals: list[Load], seed: int) -> None:
    mixed = random.Random(seed).sample(intervals, len(intervals))
    one, other = (smooth_window(found, 6)[0] for found in (intervals, mixed))
    assert_close(one.operators["a"], other.operators["a"])
    assert one.operators["a"].service_histogram == other.operators["a"].service_histogram
    assert one.measured_completion_seconds == pytest.approx(other.measured_completion_seconds)


@given(measured=st.lists(instances(), min_size=1, max_size=5))
def test_shares_add_up_to_one_and_lie_between_the_least_and_the_largest(
    measured: list[tuple[InstanceLoad, ...]],
) -> None:
    merged = merge_instances(measured, average_evenly)
    assert sum(one.share for one in merged) == pytest.approx(1.0)
    assert [one.share for one in merged] == sorted((one.share for one in merged), reverse=True)
    for one in merged:
        seen = [find_share(found, one.instance) for found in measured]
        assert min(seen) - 1e-12 <= one.share <= max(seen) + 1e-12


def find_share(measured: Sequence[InstanceLoad], name: str) -> float:
    return sum(one.share for one in measured if one.instance == name)


@given(measured=st.lists(histograms, min_size=1, max_size=5))
def test_no_service_of_a_window_is_lost(measured: list[tuple[ServiceBucket, ...]]) -> None:
    counted: Counter[float] = Counter()
    for histogram in measured:
        counted.update(dict(histogram))
    merged = merge_histograms(measured, [1.0] * len(measured))
    assert dict(merged) == (dict(counted) if counted.total() else {})
    assert [bucket.upper_seconds for bucket in merged] == sorted(bucket.upper_seconds for bucket in merged)


def test_an_instance_that_is_missing_has_no_share_only_where_others_have_one() -> None:
    both = (InstanceLoad("a", 0.5, 2.0), InstanceLoad("b", 0.5))
    one = (InstanceLoad("a", 1.0),)
    short = (InstanceLoad("a", 0.66), InstanceLoad("b", 0.33))
    assert merge_instances([short], average_evenly)[0].share == pytest.approx(2 / 3)
    assert merge_instances([both, one, ()], average_evenly) == (
        InstanceLoad("a", 0.75, 2.0),
        InstanceLoad("b", 0.25),
    )


def test_an_index_is_averaged_over_the_intervals_that_have_its_length() -> None:
    merged = merge_points(
        [(IdcPoint(1.0, 2.0), IdcPoint(2.0, 3.0)), (IdcPoint(2.0, 5.0), IdcPoint(4.0, 7.0))], average_evenly
    )
    assert merged == (IdcPoint(1.0, 2.0), IdcPoint(2.0, 4.0), IdcPoint(4.0, 7.0))


def test_old_services_fade_with_their_interval() -> None:
    old, new = (
        Load(1.0, {"a": OperatorLoad(service_histogram=(ServiceBucket(bound, 100),))}) for bound in (1.0, 2.0)
    )
    smoothed, _ = smooth_ewma([old, *[new] * 3], 0.5)
    assert smoothed.operators["a"].service_histogram == (ServiceBucket(1.0, 25), ServiceBucket(2.0, 175))
    newest, _ = smooth_ewma([old, new], 0.0)
    assert newest.operators["a"].service_histogram == (ServiceBucket(2.0, 100),)


def test_a_smoothed_wait_is_that_of_a_tuple_and_not_of_an_interval() -> None:
    busy = OperatorLoad(arrival_rate=90.0, measured_wait_seconds=1.0)
    calm = OperatorLoad(arrival_rate=10.0, measured_wait_seconds=0.0)
    silent = OperatorLoad(arrival_rate=50.0)
    intervals = [Load(rate, {"a": one}) for rate, one in ((90.0, busy), (10.0, calm), (50.0, silent))]
    smoothed, said = smooth_window(intervals, 3)
    assert smoothed.operators["a"].measured_wait_seconds == pytest.approx(0.9)
    assert [one.code for one in said] == ["intervals-missing"]
    assert "only 2 of the 3 intervals" in said[0].detail
    unknown = [Load(30.0, {"a": busy._replace(arrival_rate=None)}), Load(10.0, {"a": calm})]
    assert smooth_window(unknown, 2)[0].operators["a"].measured_wait_seconds == pytest.approx(0.75)
    still = [Load(0.0, {"a": OperatorLoad(measured_wait_seconds=wait)}) for wait in (1.0, 2.0)]
    assert smooth_window(still, 2)[0].operators["a"].measured_wait_seconds == pytest.approx(1.5)
