"""Station by station: where the stretches of time end must not show."""

import numpy as np
import pytest

from planner.simulation.arrivals import make_random
from planner.simulation.results import VisitLog
from planner.simulation.runs import station_by_station
from planner.simulation.runs.station_by_station import Carrier, TupleStream
from planner.simulation.simulate import simulate_visits
from planner.simulation.system import Link
from tests.planner.simulation.systems import build_mixed, sort_log


def log_mixed(roots: int) -> VisitLog:
    topology, load, processors = build_mixed()
    return simulate_visits(topology, load, processors, roots=roots, seed=11)


@pytest.mark.parametrize("visits", [7, 500])
def test_short_stretches_of_time_give_what_one_long_one_gives(visits: int, monkeypatch: pytest.MonkeyPatch):
    roots = 3_000 if visits > 100 else 300
    whole = sort_log(log_mixed(roots))
    monkeypatch.setattr(station_by_station, "STRETCH_VISITS", visits)
    for column, same in zip(sort_log(log_mixed(roots)), whole, strict=True):
        assert np.array_equal(column, same)


@pytest.mark.parametrize("mean", [0.3, 1.0, 1.6, 3.0])
def test_a_link_carries_its_mean_of_tuples(mean: float):
    size = 50_000
    departures = TupleStream(np.linspace(0.0, 9.0, size), np.arange(size), np.zeros(size, np.int64))
    carried = Carrier(Link(0, 1, mean), make_random(1, 2), 1, None).carry(departures)
    counts = np.bincount(carried.root, minlength=size)
    assert counts.mean() == pytest.approx(mean, rel=0.02)
    assert set(np.unique(counts).tolist()) <= {int(mean), int(mean) + 1}
    assert np.all(np.diff(carried.time) >= 0.0)


def test_a_link_to_a_station_dealt_in_turn_chooses_the_instance():
    departures = TupleStream(np.linspace(0.0, 5.0, 6), np.arange(6), np.array([0, 0, 1, 0, 1, 1]))
    carrier = Carrier(Link(0, 1, 1.0), make_random(1, 2), 4, np.array([3, 1]))
    assert carrier.carry(departures).instance.tolist() == [3, 0, 1, 1, 2, 3]
    assert carrier.carry(departures).instance.tolist()[:1] == [2]
