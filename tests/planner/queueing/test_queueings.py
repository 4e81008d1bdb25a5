from math import expm1

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing.queueings import (
    QUEUEINGS,
    EmittedBatch,
    Inflow,
    deal_in_turn,
    find_rounding,
    forget_variability,
)
from planner.queueing.waiting_models import FLOATS
from planner.values import IdcPoint, InstanceLoad

SCVS, COUNTS, SENDERS = st.floats(0.0, 20.0), st.integers(1, 1000), st.floats(1.0, 1e4)


def test_every_queueing_has_a_sentence():
    assert set(QUEUEINGS) == {"shared", "round-robin", "random", "keyed"}


@given(SCVS, COUNTS, SENDERS, st.floats(1e-3, 1e3))
def test_dealing_in_turn_is_never_rougher_than_at_random(a: float, k: int, v: float, load: float):
    assert deal_in_turn(a, k, v, load, FLOATS) <= a / k + (1.0 - 1.0 / k) + 1e-12


@given(SCVS, COUNTS, st.floats(1e-3, 1e3))
def test_one_sender_leaves_a_kth_of_the_variability(a: float, k: int, load: float):
    assert deal_in_turn(a, k, 1.0, load, FLOATS) == pytest.approx(a / k)


@given(SCVS, SENDERS, st.floats(1e-3, 1e3))
def test_one_instance_sees_all(a: float, v: float, load: float):
    assert deal_in_turn(a, 1, v, load, FLOATS) == a


def test_many_senders_deal_as_at_random_and_few_by_the_variance_of_a_place_in_the_round():
    assert find_rounding(4.0, 1e9, 3.0, FLOATS) == pytest.approx(0.75, rel=1e-6)
    k, v, tuples = 5.0, 4.0, 1e6  # over long times the variance of a difference of two places stays
    variance = v * (k * k - 1.0) / 6.0 / k**2 * (1.0 - 1.0 / v) ** 2
    assert find_rounding(k, v, tuples, FLOATS) * tuples / k == pytest.approx(variance)
    y = 6.0 * 7.0 / (v * (k + 1.0))
    assert find_rounding(k, v, 7.0, FLOATS) == pytest.approx(0.75**2 * 0.8 * -expm1(-y) / y)


def test_a_model_without_scvs_keeps_queueing_and_shares_alone():
    points = (IdcPoint(1.0, 2.0), IdcPoint(2.0, 3.0))
    inflow = Inflow(
        "keyed", 3.0, points, (InstanceLoad("0", 1.0, 5.0, points),), 9.0, (EmittedBatch(1.0, 3.0),), 2.0
    )
    assert forget_variability(inflow) == Inflow("keyed", 3.0, instances=(InstanceLoad("0", 1.0),))
