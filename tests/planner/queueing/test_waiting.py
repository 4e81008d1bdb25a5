"""Mean waits beside an exact reference: rational sums and 40 digits of mpmath."""

import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing.gain_curve import Curve
from planner.queueing.waiting import (
    mmk_wait_seconds,
    wait_seconds,
    waiting_probability,
)
from planner.queueing.waiting_models import weigh_operator
from tests.planner.queue_cases import (
    CASES,
    MODELS,
    SCVS,
    Case,
    build_case,
    reference_wait,
    relative_error,
)

mpmath.mp.dps = 40


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_wait_agrees_with_forty_digits(case: Case):
    k = case.processors
    for model in MODELS:
        for a, s in SCVS:
            reference = reference_wait(case, k, a, s, model)
            wait = wait_seconds(case.arrival_rate, case.service_rate, k, a, s, model)
            assert relative_error(wait, reference) < 1e-11, (model, a, s)


def test_the_wait_stays_right_where_factorials_overflow():
    # an Erlang formula on int factorials answers 0.244 at k = 13 and NaN at k = 34
    for k, right in ((13, 0.135), (20, 0.064), (34, 0.022)):
        assert mmk_wait_seconds(0.8 * k, 1.0, k) == pytest.approx(right, abs=5e-4)


def test_one_processor_waits_as_long_as_a_single_server_queue():
    assert waiting_probability(0.7, 1.0, 1) == pytest.approx(0.7, rel=1e-15)
    assert mmk_wait_seconds(0.7, 1.0, 1) == pytest.approx(0.7 / 0.3, rel=1e-14)


def test_an_unstable_operator_waits_for_ever_and_an_idle_one_not_at_all():
    assert wait_seconds(3.0, 1.0, 3, 1.0, 1.0, "ggk-whitt") == math.inf
    assert wait_seconds(0.0, 1.0, 1, 1.0, 1.0, "ggk-whitt") == 0.0
    assert waiting_probability(3.0, 1.0, 3) == 1.0
    assert wait_seconds(3.0, 1.0, 4, 0.0, 0.0, "ggk-whitt") == 0.0


@given(st.floats(0.01, 0.999), st.integers(1, 500), st.floats(0, 4), st.floats(0, 4))
def test_one_more_processor_never_slows_an_operator(utilisation: float, k: int, a: float, s: float):
    case = build_case(utilisation, k)
    for model in MODELS:
        here, there = (wait_seconds(case.arrival_rate, case.service_rate, n, a, s, model) for n in (k, k + 1))
        assert there <= here
        curve = Curve(case.arrival_rate, case.service_rate, weigh_operator(model, a, s), 1)
        assert curve[k] >= curve[k + 1] >= 0.0
