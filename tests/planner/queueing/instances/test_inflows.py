from math import inf

import pytest

from planner.queueing.instances.inflows import find_inflows
from planner.queueing.queueings import ERLANG, EmittedBatch, Inflow
from planner.values import Edge, Entry, IdcPoint, InstanceLoad, Load, Operator, OperatorLoad, Topology

BURSTS = tuple([IdcPoint(2.0**i, 1.0 + i) for i in range(8)])
INSTANCES = (InstanceLoad("0", 0.6), InstanceLoad("1", 0.4))


def ask(
    queueings: tuple[str | None, str | None],
    *,
    bursty: bool,
    is_open: bool = False,
    level: float | None = None,
) -> list[Inflow] | None:
    topology = Topology(
        (Operator("a", queueing=queueings[0]), Operator("b", queueing=queueings[1])),
        (Edge("a", "b", 2.0),),
        (Entry("a"),),
    )
    points = BURSTS if level is None else (IdcPoint(1.0, 1.0), IdcPoint(2.0, level))
    first = OperatorLoad(4.0, processors=4, arrival_idc=points if bursty else ())
    load = Load(10.0, {"a": first, "b": OperatorLoad(8.0, processors=3, instances=INSTANCES)})
    return find_inflows(topology, load, [10.0, 20.0], is_open=is_open)


def test_one_queue_each_and_no_bursts_need_no_inflows():
    assert ask((None, "shared"), bursty=False) is None


def test_shared_operators_beside_others_are_plain():
    found = ask(("shared", "keyed"), bursty=False)
    assert found is not None
    assert found[0] == ERLANG
    assert found[1].root_batch == pytest.approx(2.0)
    expected = Inflow("keyed", 4.0, (), INSTANCES, 32.0, (EmittedBatch(1.0, 2.0),), running=3)
    assert found[1] == expected._replace(root_batch=found[1].root_batch)


def test_only_keyed_operators_have_instances_and_batches_of_roots():
    found = ask(("round-robin", "random"), bursty=False)
    assert found is not None
    assert (found[1].instances, found[1].root_batch) == ((), 1.0)
    assert found[0].senders == 1.0


def test_bursts_of_the_source_are_carried_on_and_open_ones_are_not_held_back():
    found, opened = (ask((None, None), bursty=True, is_open=is_open) for is_open in (False, True))
    assert found is not None
    assert opened is not None
    assert found[0].idc == opened[0].idc == BURSTS
    assert (found[1].capacity, opened[1].capacity) == (32.0, inf)
    for held, free in zip(found[1].idc, opened[1].idc, strict=True):
        assert held.idc <= free.idc + 1e-9
    assert opened[1].idc[-1].idc == pytest.approx(2.0 * 8.0)  # each tuple becomes two


def test_where_no_bursts_come_from_outside_no_capacity_bounds_those_inside():
    for level, capacity in ((1.9, inf), (2.1, 32.0)):
        found = ask((None, None), bursty=True, level=level)
        assert found is not None
        assert found[1].capacity == capacity
