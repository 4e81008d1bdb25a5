from math import exp

import pytest

from planner.allocation.theta_lines import draw_line, find_theta_for_total, find_theta_for_waiting
from planner.queueing.gain_curves import Curve
from planner.queueing.waiting_models import VariabilityWeights

CURVES = [Curve(rate, 1.0, VariabilityWeights(1.0, is_constant=True), 1) for rate in (3.5, 8.0, 20.0)]


def test_a_line_goes_through_the_gains_of_the_last_and_the_next_processor():
    curve = CURVES[1]
    k, log_gain, step, floor, ceiling = draw_line(curve, 12, 100)
    assert (k, floor, ceiling) == (12, curve.floor, 100)
    assert exp(log_gain) == pytest.approx(curve[12])
    assert exp(log_gain - 1.0 / step) == pytest.approx(curve[11])


def test_the_lines_lead_to_the_total():
    points = [draw_line(curve, k, 1000) for curve, k in zip(CURVES, (6, 11, 24), strict=True)]
    log_theta = find_theta_for_total(47)(points)
    wanted = [k + (log_theta - log_gain) * step for k, log_gain, step, _, _ in points]
    assert sum(wanted) + 1.5 == pytest.approx(47.0)


def test_the_lines_lead_to_fewer_waiting_tuples():
    counts = [5, 10, 22]
    points = [draw_line(curve, k, 1000) for curve, k in zip(CURVES, counts, strict=True)]
    waiting = sum(curve.waiting(k) for curve, k in zip(CURVES, counts, strict=True))
    strict, loose = (exp(find_theta_for_waiting(limit, CURVES)(points)) for limit in (waiting / 2, waiting))
    assert strict < loose
