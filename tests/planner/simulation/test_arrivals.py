"""When roots arrive: rates, bursts by their exact dispersion, counts of a series, and what is refused."""

from math import exp, inf

import numpy as np
import pytest

from planner.errors import InvalidLoad
from planner.simulation.arrivals import ArrivalLaw, check_arrivals, draw_arrivals, make_random

BURSTS = ArrivalLaw("mmpp", burst_ratio=4.0, burst_share=0.1, mean_burst_seconds=2.0)


def dispersion(law: ArrivalLaw, rate: float, window: float) -> float:
    """Var N(t)/E N(t) of a Poisson process of two rates (Fischer and Meier-Hellstern 1993, eq. 19)."""
    high, low = (
        law.burst_ratio * rate,
        rate * (1.0 - law.burst_ratio * law.burst_share) / (1.0 - law.burst_share),
    )
    leave_high = 1.0 / law.mean_burst_seconds
    leave_low = leave_high * law.burst_share / (1.0 - law.burst_share)
    both = leave_high + leave_low
    most = (
        2.0 * (high - low) ** 2 * leave_high * leave_low / (both**2 * (high * leave_low + low * leave_high))
    )
    return 1.0 + most * (1.0 - (1.0 - exp(-both * window)) / (both * window))


def count_by_window(times: np.ndarray, window: float) -> np.ndarray:
    return np.bincount((times / window).astype(np.int64))[:-1]


@pytest.mark.parametrize(
    "law", [ArrivalLaw(), ArrivalLaw("deterministic"), ArrivalLaw("gamma", scv=0.3), BURSTS]
)
def test_roots_arrive_in_order_and_at_the_mean_rate(law: ArrivalLaw):
    times = draw_arrivals(law, 5.0, 400_000, make_random(3, 0))
    assert len(times) == 400_000
    assert np.all(np.diff(times) >= 0.0)
    assert 400_000 / times[-1] == pytest.approx(5.0, rel=0.02)


@pytest.mark.parametrize("window", [0.2, 2.0, 20.0])
def test_bursts_scatter_as_a_markov_modulated_poisson_process(window: float):
    times = draw_arrivals(BURSTS, 5.0, 2_000_000, make_random(4, 0))
    counts = count_by_window(times, window)
    assert counts.var() / counts.mean() == pytest.approx(dispersion(BURSTS, 5.0, window), rel=0.06)


def test_bursts_are_as_likely_at_the_start_as_later():
    """The mean of 4,000 counts of the first second; their variance is that of the formula."""
    counts = [
        int(np.sum(draw_arrivals(BURSTS, 5.0, 60, make_random(seed, 0)) < 1.0)) for seed in range(4_000)
    ]
    deviation = (5.0 * dispersion(BURSTS, 5.0, 1.0) / 4_000) ** 0.5
    assert abs(np.mean(counts) - 5.0) < 3.0 * deviation


@pytest.mark.parametrize("scv", [0.3, 2.5])
def test_gamma_gaps_have_their_scv(scv: float):
    gaps = np.diff(draw_arrivals(ArrivalLaw("gamma", scv=scv), 5.0, 400_000, make_random(6, 0)))
    assert gaps.var() / gaps.mean() ** 2 == pytest.approx(scv, rel=0.03)
    with pytest.raises(InvalidLoad, match="scv is 0") as caught:
        check_arrivals(ArrivalLaw("gamma", scv=0.0), 5.0, 10)
    assert caught.value.pointer == "/scv"


def test_calm_arrivals_scatter_as_poisson():
    counts = count_by_window(draw_arrivals(ArrivalLaw(), 5.0, 400_000, make_random(5, 0)), 2.0)
    assert counts.var() / counts.mean() == pytest.approx(1.0, rel=0.03)


def test_bursts_that_hold_all_arrivals_leave_none_between_them():
    law = ArrivalLaw("mmpp", 10.0, 0.1, 1.0)
    times = draw_arrivals(law, 1.0, 100_000, make_random(6, 0))
    assert len(times) / times[-1] == pytest.approx(1.0, rel=0.05)
    gaps = np.diff(times)
    assert np.median(gaps) < 0.1 < gaps.mean()


def test_a_series_has_as_many_roots_in_each_interval_as_were_counted():
    law = ArrivalLaw("series", counts=(3, 0, 5, 2), interval_seconds=60.0)
    times = draw_arrivals(law, 0.0, 1_000, make_random(7, 0))
    assert np.all(np.diff(times) >= 0.0)
    assert np.histogram(times, [0.0, 60.0, 120.0, 180.0, 240.0])[0].tolist() == [3, 0, 5, 2]


@pytest.mark.parametrize("roots", [1, 3, 4, 8, 10])
def test_no_more_of_a_series_is_drawn_than_asked_for(roots: int):
    law = ArrivalLaw("series", counts=(3, 0, 5, 2), interval_seconds=60.0)
    times = draw_arrivals(law, 0.0, roots, make_random(7, 0))
    assert len(times) == roots
    assert np.sum(times < 60.0) == min(roots, 3)


@pytest.mark.parametrize(
    ("law", "place"),
    [
        (ArrivalLaw("constant"), "/arrivals/kind"),
        (ArrivalLaw("mmpp", 2.0, 0.0, 1.0), "/arrivals/burst_share"),
        (ArrivalLaw("mmpp", 2.0, 1.0, 1.0), "/arrivals/burst_share"),
        (ArrivalLaw("mmpp", 0.5, 0.1, 1.0), "/arrivals/burst_ratio"),
        (ArrivalLaw("mmpp", 11.0, 0.1, 1.0), "/arrivals/burst_ratio"),
        (ArrivalLaw("mmpp", 2.0, 0.1, 0.0), "/arrivals/mean_burst_seconds"),
        (ArrivalLaw("mmpp", 2.0, 0.1, 1e-12), "/arrivals/mean_burst_seconds"),
        (ArrivalLaw("mmpp", 2.0, 0.1, inf), "/arrivals/mean_burst_seconds"),
        (ArrivalLaw("series"), "/arrivals/counts"),
        (ArrivalLaw("series", counts=(0, 0)), "/arrivals/counts"),
        (ArrivalLaw("series", counts=(1, -1)), "/arrivals/counts/1"),
        (ArrivalLaw("series", counts=(1,), interval_seconds=0.0), "/arrivals/interval_seconds"),
    ],
)
def test_an_impossible_law_is_refused_with_the_place_to_change(law: ArrivalLaw, place: str):
    with pytest.raises(InvalidLoad) as caught:
        check_arrivals(law, 1.0, 1_000)
    assert caught.value.place == place


def test_a_rate_of_zero_is_refused_but_for_a_series_that_has_its_own():
    check_arrivals(ArrivalLaw("series", counts=(1,)), 0.0, 10)
    with pytest.raises(InvalidLoad) as caught:
        check_arrivals(ArrivalLaw(), 0.0, 10)
    assert caught.value.place == "/load/external_rate"


def test_the_part_of_an_enormous_interval_that_is_asked_for_is_drawn_alone():
    law = ArrivalLaw("series", counts=(10, 10**12), interval_seconds=2.0)
    times = draw_arrivals(law, 0.0, 10_010, make_random(1, 0))
    assert len(times) == 10_010
    assert np.all(np.diff(times) > 0.0)
    assert times[-1] - 2.0 == pytest.approx(2.0 * 10_000 / 10**12, rel=0.05)  # the 10,000th of 10^12
