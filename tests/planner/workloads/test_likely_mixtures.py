"""Mixtures of past errors: the right past, the same answers again, and nothing of what comes later."""

import numpy as np
import pytest

from planner.arrays import Floats
from planner.workloads.likely_mixtures import MIXTURES, LikelyMixture, LikelyMixtures
from planner.workloads.rate_distribution import RateDistribution
from planner.workloads.series import Window

WINDOW = Window(2, 11)


def noisy_rates(days: int) -> Floats:
    """Days of five-minute steps, whose afternoons are wild and whose last two hours are calm."""
    random = np.random.default_rng(3)
    scale = np.where(np.arange(288 * days) % 288 < 144, 0.02, 0.3)
    scale[-24:] = 0.001
    return 100.0 * np.exp(scale * random.standard_normal(288 * days))


def test_the_weights_of_a_mixture_sum_to_one() -> None:
    assert MIXTURES.sum(axis=1) == pytest.approx(1.0)
    assert MIXTURES[0].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_a_component_is_as_wide_as_the_errors_of_its_own_past() -> None:
    rates = noisy_rates(5)
    usual, last_day, same_hours, last_hour = LikelyMixture(WINDOW, 288).likely_rates(rates)
    assert (usual == RateDistribution(WINDOW, 288).likely_rates(rates)).all()
    widths = [np.subtract(*np.quantile(one, [0.9, 0.1])) for one in (last_day, same_hours, last_hour)]
    assert widths[2] < 0.6 * min(widths[:2])
    assert all((np.diff(one) >= 0.0).all() for one in (last_day, same_hours, last_hour))


def test_a_component_without_errors_is_the_usual_one() -> None:
    components = LikelyMixture(WINDOW, 288).likely_rates(noisy_rates(2)[:11])
    assert all((one == components[0]).all() for one in components)


def test_a_window_that_is_asked_about_again_has_the_same_answer_and_others_their_own() -> None:
    rates, shared = noisy_rates(3), LikelyMixtures(288)
    for window in (WINDOW, Window(5, 7)):
        alone = LikelyMixture(window, 288).likely_rates(rates)
        assert all((one == other).all() for one, other in zip(shared(rates, window), alone, strict=True))
        assert shared(rates, window) is shared(rates, window)


def test_rates_that_come_one_block_at_a_time_are_learned_as_those_that_come_together() -> None:
    rates = noisy_rates(3)
    together, in_blocks = LikelyMixture(WINDOW, 288), LikelyMixture(WINDOW, 288)
    for known in range(10, len(rates), 10):
        in_blocks.distribution.observe(rates[:known])
    for one, other in zip(in_blocks.likely_rates(rates)[1:], together.likely_rates(rates)[1:], strict=True):
        assert one == pytest.approx(other, rel=0.05)
