from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing.erlang import STABILITY_MARGIN
from planner.queueing.instances.key_shares import (
    ASSIGNMENTS,
    CONTIGUOUS,
    MOST_GROUPS,
    UNREACHABLE,
    KeyGroups,
    KeyShares,
)
from planner.queueing.queueings import Inflow
from planner.values import InstanceLoad
from tests.planner.queueing.instances.instance_cases import build


def name(shares: list[float]) -> KeyShares:
    ordered = sorted(shares, reverse=True)
    return KeyShares(tuple([InstanceLoad(str(i), share) for i, share in enumerate(ordered)]))


WEIGHTS = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=100)


@given(WEIGHTS, st.integers(1, 300))
def test_shares_add_up_and_the_hottest_is_the_largest(weights: list[float], k: int):
    known = name(weights)
    shares, numbers = known.spread(k)
    assert float(np.sum(shares * numbers)) == pytest.approx(1.0, rel=1e-6)
    assert float(np.sum(numbers)) == pytest.approx(k)
    assert shares[0] == known.find_hottest(k)
    assert np.all(shares <= shares[0] * (1.0 + 1e-9))
    assert len(shares) <= MOST_GROUPS


@given(WEIGHTS)
def test_as_many_instances_as_measured_have_the_measured_shares(weights: list[float]):
    known = name(weights)
    assert known.find_hottest(len(weights)) == pytest.approx(
        1.0 if len(weights) == 1 else max(weights) / sum(weights)
    )


@given(WEIGHTS, st.integers(1, 300))
def test_the_hottest_share_falls_with_each_instance_and_never_below_the_hot_key(weights: list[float], k: int):
    known = name(weights)
    fair = 1.0 / len(weights)
    assert known.find_hottest(k + 1) <= known.find_hottest(k) * (1.0 + 1e-12)
    assert known.find_hottest(k) >= max(weights) / sum(weights) - fair - 1e-12


@given(WEIGHTS, st.floats(0.01, 40.0))
def test_the_floor_is_the_first_count_whose_hottest_instance_keeps_up(weights: list[float], offered: float):
    known = name(weights)
    floor = known.find_least_stable(offered)
    if floor < UNREACHABLE:
        keeps_up = 1.0 - STABILITY_MARGIN
        assert floor == next(k for k in range(1, floor + 1) if known.find_hottest(k) * offered < keeps_up)
    else:
        assert known.find_hottest(10**9) * offered >= 1.0 - 1e-8


def test_a_hottest_instance_that_is_busy_all_the_time_but_for_rounding_does_not_keep_up():
    """The floor had 6 instances, at which the wait was infinite: greedy then never ended."""
    known, offered = name([0.3, 0.26, 0.24, 0.2]), 4.0 * 1.5 / 1.3
    assert 1.0 - STABILITY_MARGIN <= known.find_hottest(6) * offered < 1.0
    floor = known.find_least_stable(offered)
    assert floor == 7
    inflow = Inflow("keyed", instances=known.instances)
    assert build(inflow, offered).curves[0].floor == floor
    assert build(inflow, offered).curves[0].wait_seconds(floor) < inf


def test_two_instances_of_four_take_over_an_average_one_each():
    known = name([0.4, 0.3, 0.2, 0.1])
    assert known.find_hottest(2) == pytest.approx(0.4 + 0.2)
    assert known.find_hottest(8) == pytest.approx(0.125 + 0.15)


def test_a_key_that_no_instance_carries_has_no_floor():
    assert name([0.8, 0.1, 0.1]).find_least_stable(3.0) == UNREACHABLE


@given(
    number=st.integers(1, 60),
    k=st.integers(1, 80),
    rule=st.sampled_from(list(ASSIGNMENTS)),
    even=st.booleans(),
)
def test_whole_groups_are_dealt_by_the_rule_of_the_engine(number: int, k: int, rule: str, *, even: bool):
    weights = [1.0] * number if even else [1.0 / (place + 1.0) for place in range(number)]
    held = [0.0] * k
    for group, weight in enumerate(weights):
        held[group * k // number if rule == CONTIGUOUS else group % k] += weight / sum(weights)
    known = KeyShares((), KeyGroups(number, rule, () if even else tuple(weights)))
    shares, numbers = known.spread(k)
    assert known.find_hottest(k) == pytest.approx(max(held))
    assert shares[0] == pytest.approx(max(held))
    assert float(np.sum(shares * numbers)) == pytest.approx(1.0)
    assert float(np.sum(numbers)) == sum(one > 0.0 for one in held)
    waiting = float(np.sum(numbers * shares**2))
    assert waiting == pytest.approx(sum(one * one for one in held), rel=1e-2)


def test_the_names_of_instances_tell_their_order():
    """Of five groups dealt to two instances, score-2 holds three, and score-10 two."""
    instances = (InstanceLoad("score-10", 0.7), InstanceLoad("score-2", 0.3))
    known = KeyShares(instances, KeyGroups(5))
    assert known.weights is not None
    assert known.weights.tolist() == pytest.approx([0.1, 0.1, 0.1, 0.35, 0.35])


def test_fewest_instances_with_whole_groups_are_found_where_more_do_not_keep_up():
    weights = (1.0, 4.0, 4.0, 1.0)  # contiguous: 2 instances 5 + 5; 3 instances 5 + 4 + 1
    known = KeyShares((), KeyGroups(4, CONTIGUOUS, weights))
    assert known.find_least_stable(1.9) == 2
    assert known.find_least_stable(2.1) == 4
    assert known.find_least_stable(2.6) == UNREACHABLE
    assert known.find_next_useful(2) == 4


@given(number=st.integers(1, 40), most=st.integers(1, 60), is_weighted=st.booleans())
def test_the_best_number_of_instances_is_the_fewest_of_which_the_busiest_gets_least(
    number: int, most: int, *, is_weighted: bool
):
    weights = tuple(float(1 + group % 5) for group in range(number)) if is_weighted else ()
    shares = KeyShares((), KeyGroups(number, weights=weights))
    tried = {k: shares.find_hottest(k) for k in range(1, min(most, number) + 1)}
    best = shares.find_best(most)
    assert best == min(tried, key=lambda k: (tried[k], k))
    assert shares.clip_idle(most) == max(tried)
