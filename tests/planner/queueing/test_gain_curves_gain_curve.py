"""Gains beside 40 digits, in whichever order they are asked for."""

import random
from math import inf

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.queueing.erlang import wait_seconds
from planner.queueing.gain_curves import LEAST_GAIN, Curve, ScalarQueues
from planner.queueing.waiting_models import weigh_operator
from tests.planner.queue_cases import (
    CASES,
    MODELS,
    SCVS,
    Case,
    build_station,
    read_arrays,
    reference_wait,
    relative_error,
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_gain_agrees_with_forty_digits_on_floats_and_on_arrays(case: Case):
    k = case.processors
    for model in MODELS:
        for a, s in SCVS:
            here, there = (reference_wait(case, n, a, s, model) for n in (k, k + 1))
            reference = mpmath.mpf(case.arrival_rate) * (here - there)
            curve = Curve(case.arrival_rate, case.service_rate, weigh_operator(model, a, s), 1)
            assert relative_error(curve[k], reference) < 1e-11, (model, a, s)
            queues = read_arrays(build_station(case, a, s, model))
            look = queues.look_at(np.array([k]), np.array([1]))
            assert float(abs(mpmath.mpf(float(look.log_next[0])) - mpmath.log(reference))) < 1e-11
            wait = float(look.wait_in_services[0]) / case.service_rate
            assert relative_error(wait, here) < 1e-11, (model, a, s)


@settings(max_examples=50)
@given(st.floats(0.05, 400.0), st.floats(0.1, 3.0), st.floats(0.0, 3.0), st.integers(0, 2**32 - 1))
def test_gains_and_waits_have_the_same_bits_in_whichever_order_they_are_asked_for(
    load: float, a: float, s: float, seed: int
):
    weights = weigh_operator("ggk-whitt", a, s)
    first, other = Curve(load, 1.0, weights, 1), Curve(load, 1.0, weights, 1)
    counts = list(range(first.floor, first.floor + 70))
    gains = [first[k] for k in counts]
    shuffled = random.Random(seed).sample(counts, len(counts))
    found = {k: (other[k], other.wait_seconds(k)) for k in shuffled}
    assert [found[k][0] for k in counts] == gains
    assert [found[k][1] for k in counts] == [wait_seconds(load, 1.0, k, a, s, "ggk-whitt") for k in counts]


def test_the_waits_of_all_processors_add_up_to_the_gains():
    curve = Curve(33.0, 1.0, weigh_operator("ggk-whitt", 0.4, 1.9), 1)
    gains = [curve[k] for k in range(curve.floor, curve.floor + 200)]
    assert sum(gains) == pytest.approx(curve.waiting(curve.floor), rel=1e-12)


def test_an_operator_without_load_or_variability_is_not_busy_and_gains_nothing():
    idle = Curve(0.0, 2.0, weigh_operator("ggk", 1.0, 1.0), 3)
    calm = Curve(2.5, 1.0, weigh_operator("ggk-whitt", 0.0, 0.0), 1)
    assert (idle.is_busy, idle.floor, idle[3], idle.wait_seconds(3)) == (False, 3, 0.0, 0.0)
    assert (calm.is_busy, calm.floor, calm[3], calm.wait_seconds(3)) == (False, 3, 0.0, 0.0)
    assert Curve(2.5, 1.0, weigh_operator("mmk", 1.0, 1.0), 1).wait_seconds(2) == inf


@pytest.mark.parametrize("load", [1e-3, 0.9, 30.0, 1e4, 1e8])
def test_the_gain_vanishes_near_the_count_that_is_found(load: float):
    curve = Curve(load, 1.0, weigh_operator("mmk", 1.0, 1.0), 1)
    k = curve.find_vanishing()
    assert curve[k] >= 0.0
    assert curve[k] < 1e-250
    assert curve[max(curve.floor, k - int((k - load) * 0.1) - 3)] > LEAST_GAIN


def test_an_unstable_operator_gains_nothing_and_one_fewer_is_out_of_the_question():
    queues = ScalarQueues([Curve(2.5, 1.0, weigh_operator("mmk", 1.0, 1.0), 1)])
    assert queues.find_gains([2]) == ([inf], [0.0], [inf])
    full = ScalarQueues([Curve(2.0, 1.0, weigh_operator("mmk", 1.0, 1.0), 1)])
    assert full.find_gains([2]) == ([inf], [0.0], [inf])
    waits, following, previous = queues.find_gains([4])
    assert previous[0] > following[0] > 0.0
    assert previous[0] == pytest.approx(2.5 * (wait_seconds(2.5, 1.0, 3, 1, 1, "mmk") - waits[0]), rel=1e-11)
