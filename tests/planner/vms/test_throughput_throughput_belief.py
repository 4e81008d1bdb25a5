"""The belief in τ(m): exact where it is Gaussian, right in two moments where it is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import truncnorm

from planner.vms.throughput import SCATTER, CapacityBelief, MstSample, believe_before, find_scatter
from tests.planner.imai import mst_samples, training_samples


def test_learning_one_by_one_is_conditioning_on_all_at_once() -> None:
    samples = training_samples("grep")
    belief = CapacityBelief(samples, 40)
    logs = np.log([s.throughput for s in samples])
    means, covariance = believe_before(float(logs.mean()), 40)
    at = np.array([s.vms - 1 for s in samples])
    noise = np.diag(belief.scatter[at] ** 2)
    gain = np.linalg.solve(covariance[np.ix_(at, at)] + noise, covariance[at]).T
    assert belief.means == pytest.approx(means + gain @ (logs - means[at]), rel=1e-6)
    assert belief.covariance == pytest.approx(covariance - gain @ covariance[at], abs=1e-6)


@given(vms=st.integers(1, 60), share=st.floats(0.6, 1.4))
def test_a_bound_moves_the_belief_to_the_moments_of_the_truncated_normal(vms: int, share: float) -> None:
    belief = CapacityBelief(training_samples("rcount"), 60)
    mean, variance = float(belief.means[vms - 1]), float(belief.covariance[vms - 1, vms - 1])
    total = np.sqrt(variance + belief.scatter[vms - 1] ** 2)
    bound = mean + np.log(share)
    reference = truncnorm((bound - mean) / total, np.inf, loc=mean, scale=total)
    belief.learn_bound(vms, float(np.exp(bound)))
    pull = variance / total**2
    assert belief.means[vms - 1] == pytest.approx(mean + pull * (reference.mean() - mean), abs=1e-5)
    left = variance - pull**2 * (total**2 - reference.var())
    assert belief.covariance[vms - 1, vms - 1] == pytest.approx(left, abs=1e-5)


def test_it_is_surest_where_samples_are_and_least_far_beyond_them() -> None:
    belief = CapacityBelief(training_samples("grep"), 128)
    spread = np.sqrt(np.diag(belief.covariance))
    assert spread[23] < 0.05 < spread[47] < spread[127]
    assert (belief.deviations >= belief.scatter).all()


@pytest.mark.parametrize("app", ["grep", "rcount"])
def test_what_was_never_measured_lies_within_three_deviations(app: str) -> None:
    """On the applications that its priors were not made from."""
    belief = CapacityBelief(training_samples(app), 128)
    spread = np.sqrt(np.diag(belief.covariance))
    for sample in mst_samples(app):
        distance = abs(np.log(sample.throughput) - belief.means[sample.vms - 1])
        assert distance < 3.0 * np.hypot(spread[sample.vms - 1], belief.scatter[sample.vms - 1]) + 0.1


def test_scatter_is_that_of_the_replicates_when_they_are_many() -> None:
    deviations = {2: 0.03, 6: 0.09}
    random = np.random.default_rng(1)
    samples = [
        MstSample(m, float(np.exp(x))) for m, s in deviations.items() for x in random.normal(0.0, s, 1000)
    ]
    found = find_scatter(samples, 20)
    assert {m: found[m - 1] for m in deviations} == pytest.approx(deviations, rel=0.05)
    assert found[3] ** 2 == pytest.approx((found[1] ** 2 + found[5] ** 2) / 2), "halfway between them"
    pooled = np.sqrt((0.03**2 + 0.09**2) / 2)
    assert found[11:] == pytest.approx(pooled, rel=0.05), "where nothing was measured"


@given(st.lists(st.tuples(st.integers(1, 200), st.floats(1e-3, 1e3)), min_size=1, max_size=12))
def test_scatter_is_what_is_usual_until_replicates_say_otherwise(given: list[tuple[int, float]]) -> None:
    once = [MstSample(m, x) for m, x in dict(given).items()]
    assert find_scatter(once, 128) == pytest.approx(SCATTER)
    twice = [*once, *(MstSample(sample.vms, sample.throughput * 1.5) for sample in once)]
    assert (find_scatter(twice, 128) > SCATTER).all()
