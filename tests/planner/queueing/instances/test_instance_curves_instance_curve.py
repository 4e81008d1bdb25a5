import pytest

from planner.queueing.instances.instance_curves import FAR, DealtCurve
from planner.queueing.instances.key_shares import UNREACHABLE
from planner.queueing.queueings import Inflow
from planner.values import IdcPoint, InstanceLoad
from tests.planner.queueing.instances.instance_cases import build


def test_gains_are_differences_of_waiting_tuples():
    curve = build(Inflow("round-robin", 3.0), 7.5).curves[0]
    assert isinstance(curve, DealtCurve)
    assert curve.floor == 8
    for k in (8, 9, 31, 32, 33, 500):
        assert curve[k] == pytest.approx(15.0 * (curve.wait_seconds(k) - curve.wait_seconds(k + 1)), rel=1e-9)
        assert curve.waiting(k) == pytest.approx(15.0 * curve.wait_seconds(k))


def test_a_wait_has_the_same_bits_in_whichever_order_it_is_asked_for():
    inflow = Inflow("random", idc=(IdcPoint(0.5, 3.0), IdcPoint(5.0, 9.0)))
    forth, back = build(inflow, 7.5).curves[0], build(inflow, 7.5).curves[0]
    counts = [8, 9, 15, 16, 17, 40, 200]
    assert [forth.wait_seconds(k) for k in counts] == [back.wait_seconds(k) for k in counts[::-1]][::-1]


def test_the_floor_keeps_the_busiest_instance_up_and_min_processors():
    hot = Inflow("keyed", instances=(InstanceLoad("0", 0.7), InstanceLoad("1", 0.3)))
    assert build(hot, 1.5).curves[0].floor == 3
    assert build(hot, 100.0).curves[0].floor >= UNREACHABLE
    assert not build(hot, 100.0).curves[0].is_busy


def test_where_nothing_arrives_nothing_waits():
    curve = build(Inflow("random"), 0.0).curves[0]
    assert (curve.floor, curve.is_busy, curve.wait_seconds(1), curve[1]) == (1, False, 0.0, 0.0)


def test_queues_of_their_own_never_stop_gaining():
    assert build(Inflow("random"), 3.0).curves[0].find_vanishing() == FAR
    bursty = Inflow("shared", idc=(IdcPoint(0.5, 3.0), IdcPoint(5.0, 9.0)))
    assert build(bursty, 3.0).curves[0].find_vanishing() < 10**4
