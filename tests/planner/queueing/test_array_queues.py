"""Arrays of queues: the same waits and gains as one operator at a time."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.queueing.array_queues import find_least_stable_counts, look_at
from planner.queueing.stations import NO_BOUND, Stations
from planner.queueing.waiting import least_stable_processors, wait_seconds
from tests.planner.queue_cases import CASES, Case, build_case, build_station


@pytest.mark.parametrize("case", [case for case in CASES if case.processors > 1], ids=str)
def test_the_gain_before_is_the_gain_at_one_processor_fewer(case: Case):
    queues = build_station(case, 0.3, 2.0, "ggk-whitt").arrays
    floor = find_least_stable_counts(queues.high, queues.low)
    counts = floor + max(case.processors - int(floor[0]), 1)
    before = look_at(queues, counts - 1, floor).log_next[0]
    look = look_at(queues, counts, floor)
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
