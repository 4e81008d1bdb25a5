"""The spread of waits: exact moments of M/G/1, and what each queueing draws."""

import numpy as np
import pytest
from scipy import stats

from planner.quantiles.draw import (
    LARGEST_SCV,
    LEAST_SCV,
    USUAL_LOAD,
    find_delay_scv,
    find_third_moment,
    make_delay_sampler,
)
from planner.simulation.laws import ServiceLaw, make_sampler
from planner.values import ServiceBucket

HISTOGRAM = ServiceLaw("histogram", buckets=(ServiceBucket(1.0, 3), ServiceBucket(2.0, 1)))


def find_exact_scv(first: float, second: float, third: float) -> float:
    """Of the waits above 0 in M/G/1, by Takács' moments of all waits: E[W²] = 2E[W]² + λE[S³]/(3(1 − ρ))."""
    rate = USUAL_LOAD / first
    mean = rate * second / (2.0 * (1.0 - USUAL_LOAD))
    square = 2.0 * mean * mean + rate * third / (3.0 * (1.0 - USUAL_LOAD))
    return square / USUAL_LOAD / (mean / USUAL_LOAD) ** 2 - 1.0


@pytest.mark.parametrize("scv", [0.0, 0.4, 1.0, 1.5])
def test_one_server_has_the_scv_of_m_g_1(scv: float):
    expected = find_exact_scv(1.0, 1.0 + scv, (1.0 + scv) * (1.0 + 2.0 * scv))
    assert find_delay_scv(ServiceLaw("gamma", 3.0, scv)) == pytest.approx(expected)


def test_a_histogram_has_the_moments_of_its_buckets():
    third = (3.0 * 0.25 + 1.0 * (2.0**4 - 1.0) / 4.0) / 4.0
    mean = (3.0 * 0.5 + 1.5) / 4.0
    assert find_third_moment(HISTOGRAM) == pytest.approx(third / mean**3)


@pytest.mark.parametrize("law", [ServiceLaw("gamma", 2.0, 0.6), ServiceLaw("lognormal", 2.0, 0.6), HISTOGRAM])
def test_third_moments_are_those_of_drawn_services(law: ServiceLaw):
    drawn = make_sampler(law)(np.random.default_rng(1), 400_000)
    assert find_third_moment(law) == pytest.approx(np.mean(drawn**3) / np.mean(drawn) ** 3, rel=0.02)


def test_the_scv_stays_within_what_was_compared_with_simulations():
    assert find_delay_scv(ServiceLaw("lognormal", 1.0, 50.0)) == LARGEST_SCV
    assert find_delay_scv(ServiceLaw("deterministic", 1.0)) > LEAST_SCV


@pytest.mark.parametrize(
    ("law", "queueing", "scv"),
    [
        (ServiceLaw("gamma", 3.0, 0.4), None, 1.0),
        (ServiceLaw("deterministic", 3.0), "shared", 1.0),
        (ServiceLaw("exponential", 3.0), "random", 1.0),
        (ServiceLaw("gamma", 3.0, 0.4), "round-robin", find_delay_scv(ServiceLaw("gamma", 3.0, 0.4))),
        (ServiceLaw("deterministic", 3.0), "keyed", find_delay_scv(ServiceLaw("deterministic", 3.0))),
    ],
)
def test_delays_are_gamma_with_mean_1_and_exponential_where_the_queue_is_shared(
    law: ServiceLaw, queueing: str | None, scv: float
):
    drawn = make_delay_sampler(law, queueing)(np.random.default_rng(2), 20_000)
    assert stats.kstest(drawn, stats.gamma(1.0 / scv, scale=scv).cdf).pvalue > 0.001
