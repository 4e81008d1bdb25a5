"""What is simulated: order, links, and what is assumed or refused."""

import numpy as np
import pytest

from planner.errors import InvalidLoad, InvalidTopology, NoSteadyState, SimulationTooLarge
from planner.queueing.instances.key_shares import KeyShares
from planner.simulation.laws import ServiceLaw
from planner.simulation.system import OUTSIDE, Link, build_system, cumulate_shares, find_busiest
from planner.values import Edge, Entry, InstanceLoad, Load, Operator, OperatorLoad, ServiceBucket, Topology
from tests.planner.simulation.systems import build_mixed, build_one, load_one


def test_stations_come_after_those_that_feed_them():
    topology, load, processors = build_mixed()
    system = build_system(topology, load, processors, {}, {})
    assert sorted(system.order) == list(range(6))
    for link in system.links:
        assert link.source == OUTSIDE or system.order.index(link.source) < system.order.index(link.target)
    assert system.links[-2:] == (Link(OUTSIDE, 0, 1.0), Link(OUTSIDE, 1, 0.5))
    assert system.visits == pytest.approx((1.0, 1.1, 1.7, 3.05, 1.7, 2.615))


@pytest.mark.parametrize("loop", [0.5, 0.0])
def test_a_loop_has_no_order_but_one_that_carries_nothing_has(loop: float):
    topology = Topology((Operator("a"),), (Edge("a", "a", loop),), (Entry("a"),))
    assert bool(build_system(topology, load_one(1.0), {"a": 1}, {}, {}).order) is not bool(loop)


def test_a_loop_that_multiplies_tuples_is_refused():
    topology = Topology((Operator("a"),), (Edge("a", "a", 1.0),), (Entry("a"),))
    with pytest.raises(NoSteadyState):
        build_system(topology, load_one(1.0), {"a": 1}, {}, {})


def test_what_is_not_measured_is_assumed_and_said():
    topology = Topology((Operator("a"), Operator("b", queueing="keyed"), Operator("c")), (Edge("a", "b"),))
    instances = (InstanceLoad("b-1", 0.7), InstanceLoad("b-2", 0.3))
    load = Load(
        1.0,
        {
            "a": OperatorLoad(9.0),
            "b": OperatorLoad(9.0, instances=instances),
            "c": OperatorLoad(9.0, service_scv=1),
        },
    )
    system = build_system(topology, load, {"a": 2, "b": 3, "c": 1}, {"b": ServiceLaw("exponential", 0.1)}, {})
    said = {one.code: one.operators for one in system.diagnostics}
    assert said == {
        "entries-assumed": ("a", "c"),
        "queueing-assumed": ("a",),
        "shares-carried": ("b",),
        "scv-assumed": ("a",),
    }
    assert system.stations[1].key_ends == pytest.approx((1 / 3 + 0.2, (1 / 3 + 0.2 + 1.0) / 2, 1.0))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_shares_of_another_number_of_instances_keep_the_hottest_of_the_model(count: int):
    instances = tuple(InstanceLoad(str(place), share) for place, share in enumerate((0.4, 0.3, 0.2, 0.1)))
    ends = cumulate_shares(Operator("a"), OperatorLoad(1.0, instances=instances), count)
    shares = np.diff([0.0, *ends])
    assert len(ends) == count
    assert ends[-1] == pytest.approx(1.0)
    assert shares[0] == pytest.approx(KeyShares(instances).find_hottest(count))
    assert np.all(np.diff(shares[1:]) <= 1e-12)
    if count == 4:
        assert shares == pytest.approx([0.4, 0.3, 0.2, 0.1])


def test_shares_that_were_not_measured_are_even_and_said():
    system = build_system(build_one("keyed"), load_one(1.0), {"a": 4}, {}, {})
    assert system.stations[0].key_ends == pytest.approx((0.25, 0.5, 0.75, 1.0))
    assert [one.code for one in system.diagnostics] == ["shares-assumed"]


def test_nothing_is_said_of_what_is_given():
    instances = (InstanceLoad("a-1", 0.7), InstanceLoad("a-2", 0.3))
    load = Load(1.0, {"a": OperatorLoad(9.0, service_scv=0.5, instances=instances)})
    system = build_system(build_one("keyed"), load, {"a": 2}, {}, {"a": 3})
    assert system.diagnostics == ()
    assert system.stations[0].key_ends == pytest.approx((0.7, 1.0))
    assert system.stations[0].capacity == 3
    assert find_busiest(system.stations[0], 9.0) == pytest.approx(0.7)


def test_operators_that_no_tuple_reaches_are_said():
    topology = Topology((Operator("a"), Operator("b")), (), (Entry("a"),))
    load = Load(1.0, {"a": OperatorLoad(9.0, service_scv=1.0), "b": OperatorLoad(9.0, service_scv=1.0)})
    system = build_system(topology, load, {"a": 1, "b": 1}, {}, {})
    assert [(one.code, one.operators) for one in system.diagnostics] == [("unreachable", ("b",))]


def test_unknown_names_and_queueings_are_refused_with_their_place():
    load = Load(1.0, {"score": OperatorLoad(1.0)})
    with pytest.raises(InvalidLoad, match="Did you mean 'score'") as caught:
        build_system(Topology((Operator("score"),)), load, {"score": 1}, {}, {"scores": 4})
    assert caught.value.place == "/capacities/scores"
    unknown = build_one("lottery")
    with pytest.raises(InvalidTopology, match="lottery") as refused:
        build_system(unknown, load_one(1.0), {"a": 1}, {}, {})
    assert refused.value.place == "/topology/operators/0/queueing"


def test_too_many_processors_are_refused_before_their_shares_take_memory():
    with pytest.raises(SimulationTooLarge, match="2,000,000 processors"):
        build_system(build_one("keyed"), load_one(1.0), {"a": 2_000_000}, {}, {})


def test_a_measured_histogram_that_is_stretched_is_told_unless_another_law_is_given():
    topology = Topology((Operator("a"),))
    load = Load(
        1.0, {"a": OperatorLoad(9.0, service_histogram=(ServiceBucket(1.0, 5), ServiceBucket(2.0, 5)))}
    )
    said = [one.code for one in build_system(topology, load, {"a": 1}, {}, {}).diagnostics]
    assert said == ["histogram-disagrees"]
    assert not build_system(topology, load, {"a": 1}, {"a": ServiceLaw("exponential", 0.1)}, {}).diagnostics
