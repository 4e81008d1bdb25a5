"""The index of dispersion from counts: beside its formulas, and E[T] of nine queues in line beside simulation."""

import numpy as np
import pytest
from numpy.typing import NDArray

from planner.queueing.bursts.counted_bursts import (
    Span,
    WindowLevel,
    compare_windows,
    find_idc,
    grow,
    measure_levels,
    unfold,
)
from tests.planner.queueing.bursts.queues_in_line import (
    RATE,
    count,
    draw_arrivals,
    estimate_line,
    simulate,
)


def test_windows_are_compared_with_the_line_between_their_neighbours():
    rng = np.random.default_rng(3)
    run = np.column_stack([rng.uniform(0.8, 1.2, 40), rng.poisson(50.0, 40)]).astype(float)
    sums = np.vstack([np.zeros(2), np.cumsum(run, axis=0)])
    left = chance = 0.0
    for first in range(40 - 6 + 1):
        windows = [run[first + 2 * place : first + 2 * place + 2].sum(axis=0) for place in range(3)]
        (d0, n0), (d1, n1), (d2, n2) = windows
        at = (d1 + d2) / (d0 + 2.0 * d1 + d2)
        left += (n1 / d1 - at * n0 / d0 - (1.0 - at) * n2 / d2) ** 2
        chance += (n0 + n1 + n2) / (d0 + d1 + d2) * (1.0 / d1 + at**2 / d0 + (1.0 - at) ** 2 / d2)
    squares, by_chance = compare_windows(sums, 2)
    assert (squares.sum(), by_chance) == pytest.approx((left, chance), rel=1e-12)


def test_a_stream_that_grows_along_a_line_has_no_bursts():
    (first, *_) = measure_levels([[Span(1.0, 100.0 + place) for place in range(100)]])
    assert first.dispersion == pytest.approx(0.0, abs=1e-12)


def test_levels_unfold_to_the_curve_that_they_are_made_of():
    def idc(t: float) -> float:
        return 1.0 + 7.0 * float(grow(np.array([3.0 * t]))[0])

    seconds = [2.0**place for place in range(12)]
    levels = [
        WindowLevel(w, (15.0 * idc(w) - 12.0 * idc(2.0 * w) + 3.0 * idc(3.0 * w)) / 6.0, 1e9) for w in seconds
    ]
    assert unfold(levels) == pytest.approx([idc(w) for w in seconds], rel=0.005)


def test_fewer_than_thirty_windows_and_an_empty_stream_show_nothing():
    assert find_idc([[Span(1.0, 5.0)] * 29]) == ()
    assert find_idc([[Span(1.0, 0.0)] * 100]) == ()
    assert find_idc([]) == ()


def test_rates_that_are_no_counts_show_nothing():
    assert find_idc([[Span(1.0, 50.5)] * 100]) == ()
    assert find_idc([[Span(1.0, 50.001)] * 100])[-1].idc < 0.5


def count_poisson(rates: NDArray[np.float64], seed: int) -> list[Span]:
    """Independent arrivals at these rates, counted in spans of a second."""
    return [Span(1.0, float(n)) for n in np.random.default_rng(seed).poisson(rates)]


@pytest.mark.parametrize("length", [40, 120, 240])
def test_a_burst_that_came_once_or_a_step_is_no_burstiness(length: int):
    once, step = np.full(length, 60.0), np.full(length, 60.0)
    once[length // 3], step[length // 2 :] = 160.0, 95.0
    for rates in (once, step):
        found = [find_idc([count_poisson(rates, seed)]) for seed in range(20)]
        assert sum([max(point.idc for point in points) > 1.2 for points in found]) <= 2


def test_bursts_that_come_again_are_burstiness():
    rates = np.full(120, 60.0)
    rates[::20] = 160.0
    assert find_idc([count_poisson(rates, 1)])[-1].idc > 3.0


def test_a_gap_between_runs_is_no_burst():
    rng = np.random.default_rng(5)
    slow, fast = ([Span(1.0, float(n)) for n in rng.poisson(rate, 400)] for rate in (20.0, 200.0))
    assert all(point.idc == pytest.approx(1.0, abs=0.3) for point in find_idc([slow, fast]))


@pytest.mark.parametrize(
    ("kind", "scv", "most"),
    [("hyperexponential", 8.0, 0.15), ("deterministic", 0.0, 0.12), ("poisson", 1.0, 0.03)],
)
def test_nine_queues_in_line_take_as_long_as_counters_and_a_stated_scv_say(
    kind: str, scv: float, most: float
):
    rng = np.random.default_rng(11)
    arrivals = draw_arrivals(kind, 400_000, rng)
    true = simulate(arrivals, rng)
    counted = find_idc([count(arrivals, 500.0, 900, 1.0)], [count(arrivals, 500.0, 200, 15.0)])
    assert counted[0].window_seconds * RATE == pytest.approx(0.5, rel=0.5)
    assert estimate_line(counted) == pytest.approx(true, rel=most)
    assert estimate_line(arrival_scv=scv) == pytest.approx(true, rel=most)
