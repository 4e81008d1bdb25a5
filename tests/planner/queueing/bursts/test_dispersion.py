from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr

from planner.queueing.bursts.dispersion import (
    NO_CURVE,
    CurveList,
    Dispersions,
    SeenCells,
    Servers,
    View,
    find_mean_backlog,
)
from planner.values import IdcPoint

LEVELS = st.lists(st.floats(0.0, 50.0), min_size=2, max_size=8)


def look(levels: list[float], mu: float = 1.0, first: float = 0.7) -> SeenCells:
    """Cells around 0.7/μ and octaves above, as a queue sees them that gets all arrivals."""
    curves = CurveList()
    curves.add([IdcPoint(first * 2.0**i, level) for i, level in enumerate(levels)], mu)
    one, zero = np.ones(1), np.zeros(1)
    return Dispersions.prepare(curves).look(View(np.array([0]), zero, one, zero, one, one, one))


def serve(rho: float, nu: float = 1.0, s: float = 1.0, upstream: float = np.inf) -> Servers:
    return Servers(np.array([nu]), np.array([s]), np.array([1.0 - rho]), np.array([upstream]))


def search_longest(seconds: np.ndarray, idc: np.ndarray, s: float, free: float, nu: float) -> float:
    """The longest wait of robust queueing: the largest √(2x(I + s)) − free·x over a dense grid of x.

    I is constant in cells around the measured lengths, whose bounds are the geometric means of neighbours.
    """
    bounds = np.sqrt(seconds[1:] * seconds[:-1]) * nu
    x = np.unique(np.concatenate([np.geomspace(1e-9, 1e8, 200_001), bounds, bounds * (1.0 + 1e-12)]))
    level = idc[np.searchsorted(bounds, x)]
    return max(float(np.max(np.sqrt(2.0 * x * (level + s)) - free * x)), 0.0)


@given(LEVELS, st.floats(0.01, 0.99), st.floats(1.0, 40.0), st.floats(0.0, 4.0))
def test_the_value_is_that_of_a_search(levels: list[float], rho: float, nu: float, s: float):
    lasting, _ = look(levels).find_lasting(serve(rho, nu, s))
    seconds = 0.7 * 2.0 ** np.arange(len(levels))
    value = search_longest(seconds, np.array(levels), s, 1.0 - rho, nu)
    assert lasting[0] == pytest.approx(max(2.0 * (1.0 - rho) * value - s, 0.0), rel=1e-5, abs=1e-5)


@given(st.floats(0.0, 50.0), st.floats(0.001, 0.999), st.floats(0.0, 4.0))
def test_where_it_is_constant_it_is_what_counts(level: float, rho: float, s: float):
    seen = look([level, level, level])
    assert seen.find_lasting(serve(rho, s=s))[0][0] == pytest.approx(level, abs=1e-9)
    assert seen.find_backlog(serve(rho, s=s))[0] == pytest.approx(0.0, abs=1e-7 / (1.0 - rho))


@given(LEVELS, st.floats(1.0, 30.0), st.floats(0.5, 3.0) | st.just(np.inf))
def test_waits_fall_with_each_processor_whatever_was_measured(
    levels: list[float], load: float, upstream: float
):
    seen, k = look(levels), int(load) + 1
    for find in ("lasting", "backlog"):
        waits = []
        for count in range(k, k + 30):
            servers = serve(load / count, float(count), upstream=upstream * load / count)
            if find == "backlog":
                waits.append(float(seen.find_backlog(servers)[0]) / count)
            else:
                variability = float(seen.find_lasting(servers)[0][0]) + 1.0
                waits.append(variability / (2.0 * (1.0 - load / count)) / count)
        floor = 0.5 / np.arange(k, k + 30) / (1.0 - load / np.arange(k, k + 30))  # a* is cut at 0
        free = np.array(waits) > floor * (1.0 + 1e-9) if find == "lasting" else np.ones(30, bool)
        assert np.all((np.diff(waits) <= 1e-9 * np.array(waits[:-1]) + 1e-12) | ~free[1:])


def test_long_bursts_are_a_backlog_of_half_their_dispersion():
    seen = look([1.0, 1.0, 30.0, 30.0, 30.0])
    assert seen.find_backlog(serve(0.999))[0] == pytest.approx(29.0 / (2.0 * 0.001), rel=1e-6)


def test_upstream_that_sends_no_more_than_is_served_builds_no_backlog_up():
    seen = look([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    free, bound = seen.find_lasting(serve(0.8))[0][0], seen.find_lasting(serve(0.8, upstream=0.85))[0][0]
    assert bound < free / 2.0
    assert seen.find_lasting(serve(0.8, upstream=49.0))[0][0] == pytest.approx(free)


@pytest.mark.parametrize("drift", [-2.0, -0.3, -1e-9, 0.0, 0.05, 1.5])
@pytest.mark.parametrize("x", [0.1, 5.0, 300.0])
def test_what_upstream_builds_up_is_the_mean_of_the_largest_value_of_a_brownian_motion(
    drift: float, x: float
):
    """E max = ∫ P(max > y) dy, P(max > y) = Φ((mx − y)/√(vx)) + e^(2my/v)·Φ(−(mx + y)/√(vx)) (Harrison 1985, 1.8)."""
    v = 1.7
    scatter = (v * x) ** 0.5

    def reach(y: float) -> float:
        return float(
            ndtr((drift * x - y) / scatter) + exp(2.0 * drift * y / v + log_ndtr(-(drift * x + y) / scatter))
        )

    expected, _ = quad(reach, 0.0, max(drift, 0.0) * x + 12.0 * scatter, limit=200)
    found = find_mean_backlog(np.array([drift]), np.array([v]), np.array([x]))
    assert found[0] == pytest.approx(expected, rel=1e-5)


@given(st.floats(0.1, 0.95), st.floats(0.01, 1.5), st.floats(2.0, 50.0))
def test_behind_a_bottleneck_arrivals_vary_no_less_than_within_one_service(
    rho: float, upstream: float, level: float
):
    seen = look([2.0, 2.0, level, level])
    assert seen.near[0, 0] == pytest.approx(2.0)
    assert seen.find_lasting(serve(rho, upstream=upstream))[0][0] >= 2.0 - 1e-9


def test_what_upstream_builds_up_at_its_ends():
    long, one = np.array([1e40]), np.ones(1)
    assert find_mean_backlog(-0.25 * one, one, long)[0] == pytest.approx(2.0)  # v/(2(1 − r))
    assert find_mean_backlog(one, 0.0 * one, 3.0 * one)[0] == pytest.approx(3.0)
    assert find_mean_backlog(-one, 0.0 * one, 3.0 * one)[0] == pytest.approx(0.0, abs=1e-9)


def test_short_lengths_say_nothing_and_points_in_between_are_filled_in():
    curves = CurveList()
    assert curves.add([IdcPoint(1.0, 2.0)], 1.0) == NO_CURVE
    assert curves.add([IdcPoint(0.01, 100.0), IdcPoint(0.7, 1.0), IdcPoint(0.7 * 16.0, 5.0)], 1.0) == 0
    prepared = Dispersions.prepare(curves)
    assert prepared.idc[0].tolist() == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0])
    assert prepared.low[0, 0] == 0.0
    assert prepared.near[0] == pytest.approx(np.interp(0.0, np.log([0.7, 11.2]), [1.0, 5.0]))
