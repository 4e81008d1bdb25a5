"""What an interval lacks is filled in from the others."""

from planner.calibration.modelled_waits import MOST_LOOKED_AT, Interval, fill_in, limit_intervals
from planner.values import IdcPoint, InstanceLoad, Load, Operator, OperatorLoad, Topology

BURSTS = (IdcPoint(0.1, 1.5), IdcPoint(1.0, 4.0))
HOT = (InstanceLoad("a-1", 0.7), InstanceLoad("a-2", 0.3))


def test_only_gaps_are_filled():
    smoothed = Load(10.0, {"a": OperatorLoad(5.0, 9.0, 2.0, 3.0, 2, BURSTS, HOT, wait_factor=1.5)})
    bare = fill_in(Load(8.0, {"a": OperatorLoad(processors=2)}), smoothed).operators["a"]
    assert bare == OperatorLoad(5.0, None, 2.0, 3.0, 2, BURSTS, HOT, wait_factor=1.5)
    own = OperatorLoad(6.0, 8.0, 0.5, 0.25, 3, measured_wait_seconds=0.1)
    kept = fill_in(Load(8.0, {"a": own}), smoothed).operators["a"]
    # Shares of two instances say nothing of three.
    assert kept == own._replace(arrival_idc=BURSTS, wait_factor=1.5)
    assert fill_in(Load(8.0, {}), smoothed).operators["a"].service_rate == 5.0


def test_of_a_large_topology_only_the_newest_intervals_are_looked_at():
    topology = Topology(tuple([Operator(f"o{place}") for place in range(MOST_LOOKED_AT // 3)]))
    intervals = [Interval(Load(float(place), {})) for place in range(5)]
    assert [one.load.external_rate for one in limit_intervals(topology, intervals)] == [2.0, 3.0, 4.0]
    assert [one.load.external_rate for one in limit_intervals(topology, intervals, 1)] == [4.0]
