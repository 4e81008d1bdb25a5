from math import inf

import numpy as np
import pytest

from planner.queueing.gain_curves import ScalarQueues
from planner.queueing.mixed_queues import MixedQueues
from planner.queueing.queueings import ERLANG, Inflow
from planner.queueing.stations import NO_BOUND, Stations
from planner.values import IdcPoint, InstanceLoad

SIZE = 60
BURSTS = tuple([IdcPoint(0.2 * 2.0**i, 1.0 + 0.7 * i) for i in range(8)])


def draw_inflow(rng: np.random.Generator) -> Inflow:
    queueing = str(rng.choice(["shared", "round-robin", "random", "keyed"]))
    idc = BURSTS if rng.random() < 0.4 else ()
    if queueing == "shared" and not idc:
        return ERLANG
    shares = np.sort(rng.dirichlet(np.full(5, 8.0)))[::-1].tolist()
    instances = tuple([InstanceLoad(str(i), share, 2.0) for i, share in enumerate(shares)])
    return Inflow(queueing, float(rng.uniform(1, 9)), idc, instances if queueing == "keyed" else ())


@pytest.fixture(params=range(4))
def both(request: pytest.FixtureRequest) -> tuple[MixedQueues, ScalarQueues]:
    """The same operators in arrays and each by itself."""
    rng = np.random.default_rng(request.param)
    mu, load = rng.uniform(0.5, 4.0, SIZE), rng.uniform(0.05, 4.0, SIZE)
    a, s = (rng.choice([0.0, 0.5, 1.0, 3.0], SIZE).tolist() for _ in range(2))
    factors = rng.choice([1.0, 1.3], SIZE).tolist()
    inflows = [draw_inflow(rng) for _ in range(SIZE)]
    stations = Stations(
        (load * mu).tolist(), mu.tolist(), a, s, [1] * SIZE, [NO_BOUND] * SIZE, "ggk-whitt", inflows, factors
    )
    assert isinstance(stations.arrays, MixedQueues)
    return stations.arrays, ScalarQueues(stations.curves)


def test_waits_and_gains_are_those_of_each_by_itself(both: tuple[MixedQueues, ScalarQueues]):
    arrays, scalars = both
    floors = arrays.find_floors()
    assert floors.tolist() == [curve.floor for curve in scalars.curves]
    for more in (-1, 0, 1, 7):
        counts = np.minimum(np.maximum(floors + more, 1), 10**6)
        assert arrays.wait_seconds(counts).tolist() == pytest.approx(scalars.wait_seconds(counts), rel=1e-9)
    counts = np.minimum(floors + 2, 10**6)
    for here, expected in zip(arrays.find_gains(counts), scalars.find_gains(counts.tolist()), strict=True):
        assert here == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_looks_are_logarithms_of_gains(both: tuple[MixedQueues, ScalarQueues]):
    arrays, scalars = both
    assert arrays.is_busy.tolist() == [curve.is_busy for curve in scalars.curves]
    some = np.flatnonzero(arrays.is_busy)
    queues = arrays.select(some)
    floors = arrays.find_floors()[some]
    for counts in (floors, floors + 3):
        seen = queues.look_at(counts, floors)
        for place, i in enumerate(some):
            curve, k = scalars.curves[i], int(counts[place])
            assert np.exp(seen.log_next[place]) == pytest.approx(curve[k], rel=1e-6)
            last = curve[k - 1] if k > curve.floor else inf
            assert np.exp(seen.log_last[place]) == pytest.approx(last, rel=1e-6)
            assert seen.wait_in_services[place] == pytest.approx(
                curve.wait_seconds(k) * curve.service_rate, rel=1e-9
            )
        assert np.all(seen.slope < 0.0)


def test_guesses_spend_the_total_and_selections_repeat(both: tuple[MixedQueues, ScalarQueues]):
    arrays, _ = both
    assert float(arrays.guess_for_total(5000).sum()) == pytest.approx(5000.0)
    assert np.all(arrays.guess_for_waiting(3.0) > arrays.high)
    twice = arrays.select(np.array([3, 3, 0]))
    assert twice.high.tolist() == arrays.high[[3, 3, 0]].tolist()
    assert twice.service_rate.tolist() == arrays.service_rate[[3, 3, 0]].tolist()
    assert len(twice) == 3
    assert not arrays.is_always_falling
