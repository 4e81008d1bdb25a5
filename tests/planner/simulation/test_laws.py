"""Laws of services: what they draw, what they say of themselves, and what they refuse."""

from math import inf, nan

import numpy as np
import pytest

from planner.errors import InvalidLoad
from planner.simulation.arrivals import make_random
from planner.simulation.laws import (
    ServiceLaw,
    assume_law,
    check_law,
    describe_stretched,
    find_mean,
    find_scv,
    find_stretch,
    make_sampler,
    simplify,
)
from planner.values import OperatorLoad, ServiceBucket

HISTOGRAM = (ServiceBucket(0.1, 0), ServiceBucket(0.2, 30), ServiceBucket(0.5, 60), ServiceBucket(2.0, 10))
LAWS = [
    ServiceLaw("exponential", 0.2),
    ServiceLaw("deterministic", 0.2),
    ServiceLaw("gamma", 0.2, 0.3),
    ServiceLaw("gamma", 0.2, 3.0),
    ServiceLaw("lognormal", 0.2, 1.5),
    ServiceLaw("histogram", buckets=HISTOGRAM),
    ServiceLaw("histogram", 0.2, buckets=HISTOGRAM),
]


@pytest.mark.parametrize("law", LAWS)
def test_what_is_drawn_has_the_mean_and_the_scv_of_its_law(law: ServiceLaw):
    drawn = make_sampler(law)(make_random(1, 1), 400_000)
    assert drawn.mean() == pytest.approx(find_mean(law), rel=0.01)
    assert drawn.var() / drawn.mean() ** 2 == pytest.approx(find_scv(law), rel=0.05, abs=1e-9)
    assert drawn.min() >= 0.0


def test_the_mean_and_scv_of_a_histogram_are_those_of_its_buckets():
    """Buckets: 30% uniform on (0.1, 0.2), 60% on (0.2, 0.5), 10% on (0.5, 2)."""
    law = ServiceLaw("histogram", buckets=HISTOGRAM)
    mean = 0.3 * 0.15 + 0.6 * 0.35 + 0.1 * 1.25
    second = 0.3 * (0.15**2 + 0.01 / 12) + 0.6 * (0.35**2 + 0.09 / 12) + 0.1 * (1.25**2 + 2.25 / 12)
    assert find_mean(law) == pytest.approx(mean)
    assert find_scv(law) == pytest.approx(second / mean**2 - 1.0)


def test_services_of_a_histogram_fall_into_its_buckets():
    drawn = make_sampler(ServiceLaw("histogram", buckets=HISTOGRAM))(make_random(2, 1), 100_000)
    counts, _ = np.histogram(drawn, [0.0, 0.1, 0.2, 0.5, 2.0])
    assert counts / 100_000 == pytest.approx([0.0, 0.3, 0.6, 0.1], abs=0.01)


def test_a_histogram_is_stretched_to_its_mean_and_keeps_its_shape():
    plain, stretched = (
        ServiceLaw("histogram", buckets=HISTOGRAM),
        ServiceLaw("histogram", 7.0, buckets=HISTOGRAM),
    )
    assert find_mean(stretched) == pytest.approx(7.0)
    assert find_scv(stretched) == pytest.approx(find_scv(plain))


@pytest.mark.parametrize(
    ("measured", "law"),
    [
        (OperatorLoad(4.0), ServiceLaw("exponential", 0.25)),
        (OperatorLoad(4.0, service_scv=0.0), ServiceLaw("deterministic", 0.25, 0.0)),
        (OperatorLoad(4.0, service_scv=0.4), ServiceLaw("gamma", 0.25, 0.4)),
        (
            OperatorLoad(4.0, service_scv=0.4, service_histogram=HISTOGRAM),
            ServiceLaw("histogram", 0.25, buckets=HISTOGRAM),
        ),
    ],
)
def test_a_measured_operator_has_the_law_of_what_was_measured(measured: OperatorLoad, law: ServiceLaw):
    assert assume_law(measured) == law


def test_a_lognormal_law_without_scatter_is_deterministic():
    assert simplify(ServiceLaw("lognormal", 0.5, 0.0)).kind == "deterministic"


@pytest.mark.parametrize(
    ("law", "pointer"),
    [
        (ServiceLaw("normal", 1.0), "/a/kind"),
        (ServiceLaw("exponential", 0.0), "/a/mean_seconds"),
        (ServiceLaw("exponential", -1.0), "/a/mean_seconds"),
        (ServiceLaw("gamma", inf), "/a/mean_seconds"),
        (ServiceLaw("gamma", 1.0, -0.1), "/a/scv"),
        (ServiceLaw("lognormal", 1.0, nan), "/a/scv"),
        (ServiceLaw("histogram"), "/a/buckets"),
        (ServiceLaw("histogram", buckets=(ServiceBucket(1.0, 0),)), "/a/buckets"),
        (ServiceLaw("histogram", -1.0, buckets=HISTOGRAM), "/a/mean_seconds"),
        (ServiceLaw("histogram", buckets=(ServiceBucket(0.0, 1),)), "/a/buckets/0/upper_seconds"),
        (
            ServiceLaw("histogram", buckets=(ServiceBucket(2.0, 1), ServiceBucket(1.0, 1))),
            "/a/buckets/1/upper_seconds",
        ),
        (
            ServiceLaw("histogram", buckets=(ServiceBucket(1.0, 1), ServiceBucket(inf, 1))),
            "/a/buckets/1/upper_seconds",
        ),
        (
            ServiceLaw("histogram", buckets=(ServiceBucket(1.0, 2), ServiceBucket(2.0, -1))),
            "/a/buckets/1/count",
        ),
    ],
)
def test_an_impossible_law_is_refused_with_the_place_to_change(law: ServiceLaw, pointer: str):
    with pytest.raises(InvalidLoad) as caught:
        check_law(law, "a", "/a")
    assert caught.value.place == f"/services{pointer}"


def test_a_histogram_of_another_mean_than_the_service_rate_says_is_told():
    mean = (30 * 0.15 + 60 * 0.35 + 10 * 1.25) / 100
    assert find_stretch(HISTOGRAM, 4.0) == pytest.approx(0.25 / mean)
    assert find_stretch((ServiceBucket(0.1, 0),), 4.0) == 1.0
    rates = {"near": 1.04 / mean, "far": 1.1 / mean, "slow": 0.9 / mean}
    loads = {name: OperatorLoad(rate, service_histogram=HISTOGRAM) for name, rate in rates.items()}
    (said,) = describe_stretched(loads | {"plain": OperatorLoad(4.0)})
    assert (said.code, said.operators) == ("histogram-disagrees", ("far", "slow"))
    assert "far (0.909 times), slow (1.11 times)" in said.detail
    assert (
        describe_stretched({"near": loads["near"], "unknown": OperatorLoad(service_histogram=HISTOGRAM)})
        == ()
    )
