"""Gains beside 40 digits, in whichever order they are asked for."""

import mpmath
import numpy as np
import pytest

from planner.queueing.array_queues import look_at
from planner.queueing.gain_curve import Curve
from planner.queueing.waiting_models import weigh_operator
from tests.planner.queue_cases import CASES, MODELS, SCVS, Case, build_station, reference_wait, relative_error


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_gain_agrees_with_forty_digits_on_floats_and_on_arrays(case: Case):
    k = case.processors
    for model in MODELS:
        for a, s in SCVS:
            here, there = (reference_wait(case, n, a, s, model) for n in (k, k + 1))
            reference = mpmath.mpf(case.arrival_rate) * (here - there)
            curve = Curve(case.arrival_rate, case.service_rate, weigh_operator(model, a, s), 1)
            assert relative_error(curve[k], reference) < 1e-11, (model, a, s)
            queues = build_station(case, a, s, model).arrays
            look = look_at(queues, np.array([k]), np.array([1]))
            assert float(abs(mpmath.mpf(float(look.log_next[0])) - mpmath.log(reference))) < 1e-11
            wait = float(look.wait_in_services[0]) / case.service_rate
            assert relative_error(wait, here) < 1e-11, (model, a, s)
