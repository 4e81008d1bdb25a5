"""Arrays of queues: the same waits and gains as one operator at a time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log

from planner.errors import InvalidLoad
from planner.queueing.array_queues import (
    BLOCK,
    log_erlang_b,
    wait_in_services,
)
from planner.queueing.erlang import (
    closed_erlang_b,
    find_least_stable_counts,
    least_stable_processors,
    split_offered_load,
    split_offered_loads,
    wait_seconds,
)
from planner.queueing.stations import NO_BOUND, Stations
from tests.planner.queue_cases import CASES, Case, build_case, build_station, read_arrays, reference_b


@pytest.mark.parametrize("case", [case for case in CASES if case.processors > 1], ids=str)
def test_the_gain_before_is_the_gain_at_one_processor_fewer(case: Case):
    queues = read_arrays(build_station(case, 0.3, 2.0, "ggk-whitt"))
    floor = find_least_stable_counts(queues.high, queues.low)
    counts = floor + max(case.processors - int(floor[0]), 1)
    before = queues.look_at(counts - 1, floor).log_next[0]
    look = queues.look_at(counts, floor)
    assert look.log_last[0] == pytest.approx(before, rel=1e-12, abs=1e-11)
    assert look.slope[0] == pytest.approx(look.log_next[0] - before, rel=1e-6)


def test_a_load_past_a_billion_processors_is_refused():
    with pytest.raises(InvalidLoad, match="check the units"):
        least_stable_processors(2e9, 1.0)
    just_too_many = math.nextafter(1e9, math.inf)
    for load in (1e9, just_too_many):
        for service_rate in (1.0, 0.1, 3e-7):
            stations = Stations([load * service_rate], [service_rate], [1.0], [1.0], [1], [NO_BOUND])
            if load * service_rate / service_rate > 1e9:
                with pytest.raises(InvalidLoad):
                    least_stable_processors(load * service_rate, service_rate)
                with pytest.raises(InvalidLoad):
                    _ = stations.arrays
            else:
                assert least_stable_processors(load * service_rate, service_rate) >= 10**9
                _ = stations.arrays
    with pytest.raises(InvalidLoad, match="check the units"):
        _ = Stations([2e9], [1.0], [1.0], [1.0], [1], [NO_BOUND]).arrays


@given(st.floats(0.01, 0.999), st.integers(1, 2000), st.floats(0, 4), st.floats(0, 4))
def test_floats_and_arrays_agree_on_every_wait(utilisation: float, k: int, a: float, s: float):
    case = build_case(utilisation, k)
    size = 60
    arrival, service = [case.arrival_rate] * size, [case.service_rate] * size
    stations = Stations(arrival, service, [a] * size, [s] * size, [1] * size, [NO_BOUND] * size)
    waits = stations.queues.wait_seconds([k] * size)
    alone = wait_seconds(case.arrival_rate, case.service_rate, k, a, s, "ggk-whitt")
    assert waits == pytest.approx([alone] * size, rel=1e-11, abs=1e-280)


@given(st.lists(st.tuples(st.floats(1e-6, 1e8), st.floats(1e-200, 1e200)), min_size=1, max_size=9))
def test_offered_loads_have_the_bits_of_the_scalar_function(rows: list[tuple[float, float]]):
    rates = [(load * mu, mu) for load, mu in rows]
    high, low = split_offered_loads(np.array([a for a, _ in rates]), np.array([mu for _, mu in rates]))
    assert list(zip(high.tolist(), low.tolist(), strict=True)) == [
        split_offered_load(a, mu) for a, mu in rates
    ]


def test_rates_that_are_none_are_refused():
    with pytest.raises(ValueError, match="finite and above 0"):
        split_offered_loads(np.array([1.0, -1.0]), np.array([1.0, 1.0]))


def test_ln_b_agrees_with_forty_digits_for_every_size():
    known = [case for case in CASES if case.processors <= 10**6]
    k = np.array([float(case.processors) for case in known])
    pairs = [split_offered_load(case.arrival_rate, case.service_rate) for case in known]
    high, low = (np.array(column) for column in zip(*pairs, strict=True))
    found = log_erlang_b(k, high, (k - high) - low)
    for case, one in zip(known, found.tolist(), strict=True):
        assert one == pytest.approx(float(log(reference_b(case, case.processors))), rel=1e-11, abs=1e-11)
    assert np.exp(found[k == 1000.0]).tolist() == pytest.approx(
        [
            closed_erlang_b(1000, *pair)
            for pair, case in zip(pairs, known, strict=True)
            if case.processors == 1000
        ],
        rel=1e-11,
    )


def test_more_operators_than_a_block_are_evaluated_as_each_block_alone():
    size = BLOCK + 7
    rng = np.random.default_rng(5)
    load = rng.uniform(0.5, 50.0, size)
    ones = np.ones(size)
    stations = Stations(load, ones, rng.uniform(0.2, 2.0, size), ones, [1] * size, [NO_BOUND] * size)
    counts = load.astype(np.int64) + 3
    queues, floor = read_arrays(stations), np.ones(size, np.int64)
    whole, last = queues.look_at(counts, floor), slice(BLOCK, size)
    alone = queues.select(last).look_at(counts[last], floor[last])
    for name in ("log_last", "log_next", "slope", "wait_in_services", "log_b"):
        assert getattr(whole, name)[last].tolist() == getattr(alone, name).tolist()
    assert wait_in_services(queues, counts.astype(float)).tolist() == whole.wait_in_services.tolist()
