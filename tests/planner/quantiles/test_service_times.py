"""Drawn services against the distributions that they are of."""

import numpy as np
import pytest
from scipy import stats

from planner.quantiles.service_times import average_buckets, make_sampler
from planner.values import OperatorLoad, ServiceBucket

DRAWN = 50_000


def draw(measured: OperatorLoad, seed: int = 1) -> np.ndarray:
    return make_sampler(measured)(np.random.default_rng(seed), DRAWN)


@pytest.mark.parametrize("scv", [0.2, 1.0, 3.0])
def test_services_are_gamma_on_mean_and_scv(scv: float):
    services = draw(OperatorLoad(4.0, service_scv=scv))
    law = stats.gamma(1.0 / scv, scale=0.25 * scv)
    assert stats.kstest(services, law.cdf).pvalue > 0.001


def test_without_an_scv_services_are_exponential_and_at_0_constant():
    assert stats.kstest(draw(OperatorLoad(4.0)), stats.expon(scale=0.25).cdf).pvalue > 0.001
    assert set(draw(OperatorLoad(4.0, service_scv=0.0)).tolist()) == {0.25}


def test_a_huge_scv_draws_finite_times():
    assert np.all(np.isfinite(draw(OperatorLoad(4.0, service_scv=1e6))))


def test_a_histogram_gives_back_the_parts_of_its_buckets():
    counts = (10, 0, 30, 60)
    uppers = (0.01, 0.02, 0.04, 0.08)
    buckets = tuple(ServiceBucket(upper, count) for upper, count in zip(uppers, counts, strict=True))
    unscaled = 100.0 / np.sum(
        np.array(counts) * average_buckets(np.array((0.005, *uppers[:-1])), np.array(uppers))
    )
    services = draw(OperatorLoad(unscaled, service_histogram=buckets))
    parts, _ = np.histogram(services, bins=[0.005, 0.01, 0.02, 0.04, 0.08])
    assert parts / DRAWN == pytest.approx([0.1, 0.0, 0.3, 0.6], abs=0.01)
    within = services[services > 0.04]
    assert stats.kstest(np.log(within / 0.04) / np.log(2.0), stats.uniform.cdf).pvalue > 0.001


def test_a_fine_histogram_of_a_lognormal_is_a_lognormal_again():
    """Eight buckets an octave, as the ingest keeps them."""
    law = stats.lognorm(0.8, scale=0.01)
    uppers = 0.0001 * 2.0 ** (np.arange(1, 121) / 8.0)
    counts = np.diff(np.concatenate(([0.0], law.cdf(uppers)))) * 1e6
    buckets = tuple(
        ServiceBucket(float(upper), int(count)) for upper, count in zip(uppers, counts, strict=True)
    )
    services = draw(OperatorLoad(1.0 / law.mean(), service_histogram=buckets))
    levels = (0.1, 0.5, 0.9, 0.99)
    assert np.quantile(services, levels) == pytest.approx(law.ppf(levels), rel=0.02)


def test_a_histogram_has_the_mean_of_the_service_rate():
    services = draw(OperatorLoad(2.0, service_histogram=(ServiceBucket(0.3, 5), ServiceBucket(0.6, 5))))
    assert np.mean(services) == pytest.approx(0.5, rel=0.01)


def test_a_single_bucket_is_spread_from_0():
    services = draw(OperatorLoad(2.0, service_histogram=(ServiceBucket(0.7, 5),)))
    assert stats.kstest(services, stats.uniform(0.0, 1.0).cdf).pvalue > 0.001
