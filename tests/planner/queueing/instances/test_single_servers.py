import numpy as np
import pytest

from planner.queueing.bursts.dispersion import NO_CURVE, CurveList
from planner.queueing.instances.key_shares import KeyShares
from planner.queueing.instances.single_servers import (
    Arrivals,
    find_shares,
    find_upstream,
    join_servers,
    number_curves,
    view_alike,
    view_keyed,
)
from planner.queueing.queueings import Inflow
from planner.values import IdcPoint, InstanceLoad

POINTS = (IdcPoint(1.0, 2.0), IdcPoint(2.0, 4.0))
INSTANCES = (InstanceLoad("0", 0.5, 3.0), InstanceLoad("1", 0.3, None, POINTS), InstanceLoad("2", 0.2))
TWO = np.ones(2)
ARRIVALS = Arrivals(
    10.0 * TWO, 2.0 * TWO, 5.0 * TWO, np.array([NO_CURVE, 0]), 1.0 * TWO, np.array([1.0, 2.0])
)


def test_alike_instances_are_one_queue_with_a_kth_of_the_load():
    found = view_alike(
        np.array([0, 1]), np.array([4.0, 4.0]), ARRIVALS, np.array([1.0, 0.0]), np.array([0.0, 1.0])
    )
    assert found.share.tolist() == [0.25, 0.25]
    assert found.part.tolist() == [1.0, 1.0]
    assert found.known.tolist() == pytest.approx([5.0 / 4.0, 2.0 + (5.0 - 2.0) / 4.0])
    seen = found.view.see(np.array([[6.0], [6.0]]), np.array([[1.0], [1.0]]))
    assert seen[:, 0].tolist() == pytest.approx([6.0 / 4.0, 2.0 + (6.0 - 2.0) / 4.0])


def test_measured_instances_see_what_was_measured_there():
    curves = np.array([NO_CURVE, 1, NO_CURVE])
    found = view_keyed(0, 3, KeyShares(INSTANCES), curves, ARRIVALS)
    assert found.share.tolist() == pytest.approx([0.5, 0.3, 0.2])
    assert found.known[0] == 3.0
    assert found.known[2] == pytest.approx(1.0 + 0.2 * 4.0)
    assert found.view.curve.tolist() == [NO_CURVE, 1, NO_CURVE]
    assert found.view.see(np.full((3, 1), 7.0), np.ones((3, 1)))[1, 0] == pytest.approx(7.0)


def test_other_numbers_see_their_share_of_all_arrivals():
    for found in (
        view_keyed(1, 5, KeyShares(INSTANCES), np.full(3, NO_CURVE), ARRIVALS),
        view_keyed(1, 3, KeyShares(INSTANCES), np.full(3, NO_CURVE), ARRIVALS, measured=False),
    ):
        assert found.known.tolist() == pytest.approx([2.0 + share * 3.0 for share in found.share])
        assert float(found.part.sum()) == pytest.approx(1.0)


def test_groups_join_in_order():
    one = view_alike(np.array([0]), np.array([2.0]), ARRIVALS, np.zeros(1), np.zeros(1))
    two = view_keyed(1, 3, KeyShares(INSTANCES), np.full(3, NO_CURVE), ARRIVALS)
    assert join_servers([one]) is one
    assert join_servers([one, two]).row.tolist() == [0, 1, 1, 1]


def test_curves_are_numbered_as_they_are_met():
    inflows = [Inflow("keyed", idc=POINTS, instances=INSTANCES), Inflow("random", instances=INSTANCES)]
    own, of_instances = number_curves(CurveList(), inflows, TWO)
    assert own.tolist() == [0, NO_CURVE]
    assert of_instances[0].tolist() == [NO_CURVE, 1, NO_CURVE]
    assert find_shares(inflows[0]) == KeyShares(INSTANCES)
    assert find_shares(inflows[1]) is None


def test_upstream_is_raised_alike_above_what_runs():
    capacity, running = np.array([12.0, 12.0, 12.0, np.inf]), np.array([3.0, 3.0, np.inf, 3.0])
    raised = find_upstream(capacity, running, np.array([2.0, 6.0, 6.0, 6.0]))
    assert raised.tolist() == [12.0, 24.0, 12.0, np.inf]
