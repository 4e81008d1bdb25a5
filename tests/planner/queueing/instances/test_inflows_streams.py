import numpy as np
import pytest

from planner.queueing.bursts.carried_bursts import round_rest
from planner.queueing.instances.inflows import (
    count_senders,
    find_batches,
    find_capacities,
    find_root_batches,
    find_stations,
    is_erlang,
    list_gains,
)
from planner.queueing.queueings import Stream
from planner.topology.flow import measure_flow
from planner.topology.network import index_topology
from planner.values import Edge, Entry, IdcPoint, Load, Operator, OperatorLoad, Topology

DIAMOND = Topology(
    (Operator("a"), Operator("b"), Operator("c"), Operator("d", queueing="keyed")),
    (Edge("a", "b", 0.5), Edge("a", "c", 2.5), Edge("b", "d"), Edge("c", "d")),
    (Entry("a"), Entry("d", 0.3)),
)
LOAD = Load(
    10.0,
    {
        "a": OperatorLoad(4.0, processors=5),
        "b": OperatorLoad(2.0, processors=4),
        "c": OperatorLoad(8.0),
        "d": OperatorLoad(100.0),
    },
)


def find_all():
    return find_stations(DIAMOND, LOAD, measure_flow(DIAMOND, LOAD).arrival_rates)


def test_each_stream_has_its_rate_and_its_senders():
    stations = find_all()
    assert stations["d"].arrival_rate == pytest.approx(33.0)
    assert [(one.source, one.rate, one.senders) for one in stations["d"].streams] == [
        ("b", pytest.approx(5.0), 4.0),
        ("c", pytest.approx(25.0), pytest.approx(25.0 / 8.0 / 0.75)),  # what usually runs
        (None, pytest.approx(3.0), 1.0),
    ]


def test_the_chance_of_measured_rates_is_no_stream_from_outside():
    """Else it could bring any burst, and the capacity upstream would bound nothing."""
    rates = measure_flow(DIAMOND, LOAD).arrival_rates
    for factor, outside in ((1.02, 0), (1.2, 1)):
        measured = [
            rate * (factor if operator.name == "c" else 1.0)
            for operator, rate in zip(DIAMOND.operators, rates, strict=True)
        ]
        stations = find_stations(DIAMOND, LOAD, measured)
        assert [stream.source for stream in stations["c"].streams].count(None) == outside
        assert [stream.source for stream in stations["a"].streams] == [None]


def test_senders_count_by_their_shares():
    assert count_senders([Stream("a", 1.0, 4.0), Stream("b", 3.0, 2.0)]) == pytest.approx(
        1.0 / (4 * (1 / 16) ** 2 + 2 * (3 / 8) ** 2)
    )
    assert count_senders([Stream(None, 5.0, 1.0)]) == count_senders([]) == 1.0


def test_only_more_than_one_tuple_at_a_time_is_a_batch():
    stations = find_all()
    assert find_batches(stations["c"]) == ((1.0, 2.5),)
    assert find_batches(stations["b"]) == find_batches(stations["d"]) == ()


def test_capacities_are_those_of_the_narrowest_upstream():
    capacities = find_capacities(find_all())
    assert capacities["a"] == np.inf
    assert capacities["b"] == pytest.approx(0.5 * 20.0)
    assert capacities["c"] == pytest.approx(2.5 * 20.0)
    assert capacities["d"] == np.inf  # the outside sends to it too


def test_tuples_of_one_root_are_as_counted_in_a_simulation():
    rng, roots = np.random.default_rng(4), 400_000
    c = 2 + (rng.random(roots) < 0.5)
    count = (rng.random(roots) < 0.5) + c + (rng.random(roots) < 0.3)
    assert find_root_batches(DIAMOND)["d"] == pytest.approx(
        float(np.mean(count**2) / np.mean(count)), rel=0.005
    )


def test_without_keys_no_root_is_followed():
    assert find_root_batches(Topology((Operator("a"),), (), (Entry("a"),))) == {}


def test_gains_and_rests():
    assert list_gains(index_topology(DIAMOND))[0].tolist() == [0.0, 0.5, 2.5, 0.0]
    assert round_rest(2.25) == pytest.approx(0.25 * 0.75 / 2.25)
    assert round_rest(3.0) == 0.0


def test_plain_is_what_has_one_queue_and_no_bursts():
    chain = Topology((Operator("a"), Operator("b", queueing="shared")), (Edge("a", "b"),), (Entry("a"),))
    plain = Load(1.0, {"a": OperatorLoad(2.0), "b": OperatorLoad(2.0)})
    bursty = OperatorLoad(2.0, arrival_idc=(IdcPoint(1.0, 2.0), IdcPoint(2.0, 3.0)))
    assert is_erlang(chain, plain)
    assert not is_erlang(chain, Load(1.0, {"a": bursty, "b": OperatorLoad(2.0)}))
    assert not is_erlang(DIAMOND, LOAD)
