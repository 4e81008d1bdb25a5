"""The factor of one operator from its ratios of measured to modelled wait."""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.calibration.shrunk_ratio import LARGEST, PRIOR_SPREAD, SMALLEST, SeenWait, shrink_ratio

WAITS = st.floats(0.0, 1e6)
SEEN = st.lists(
    st.builds(SeenWait, st.just(0), WAITS, st.floats(1e-6, 1e3), st.floats(0.0, 100.0), st.floats(1e-3, 1e9)),
    min_size=1,
    max_size=6,
)


def see(*pairs: tuple[float, float], noise: float = 0.0) -> list[SeenWait]:
    return [SeenWait(place, m, w, noise, 100.0) for place, (m, w) in enumerate(pairs)]


@given(SEEN, st.integers(0, 5), WAITS)
def test_a_longer_measured_wait_never_lowers_the_factor(seen: Sequence[SeenWait], place: int, by: float):
    place %= len(seen)
    longer = list(seen)
    longer[place] = replace(seen[place], measured_seconds=seen[place].measured_seconds + by)
    before, after = shrink_ratio(seen), shrink_ratio(longer)
    assert after.factor >= before.factor * (1.0 - 1e-12)
    assert SMALLEST <= before.factor <= LARGEST
    assert after.shrinkage == before.shrinkage


@given(st.floats(0.126, 7.9), st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=5))
def test_without_noise_the_ratio_comes_back_whole(ratio: float, waits: list[float]):
    found = shrink_ratio(see(*[(ratio * wait, wait) for wait in waits]))
    assert found.factor == pytest.approx(ratio, rel=1e-9)
    assert found.ratio == pytest.approx(ratio, rel=1e-9)
    assert not found.is_bounded


def test_waits_are_pooled_by_tuples_so_that_calm_intervals_count_little():
    found = shrink_ratio(see((0.3, 0.1), (1.0, 1.0)))
    assert found.ratio == pytest.approx(1.3 / 1.1, rel=1e-12)


def test_noise_shrinks_towards_the_model_and_more_intervals_less():
    one, four = (shrink_ratio(see(*[(2.0, 1.0)] * count, noise=PRIOR_SPREAD**2)) for count in (1, 4))
    assert [one.shrinkage, four.shrinkage] == pytest.approx([0.5, 0.8])
    assert one.factor == pytest.approx(exp(0.5 * log(2.0)), rel=1e-12)


def test_bounds_are_said():
    for measured, factor in ((1e3, LARGEST), (0.0, SMALLEST)):
        found = shrink_ratio(see((measured, 1.0)))
        assert found.factor == pytest.approx(factor, rel=1e-12)
        assert found.is_bounded
        assert found.ratio == measured
    # One restart among many calm intervals does not carry the others away.
    assert shrink_ratio(see(*[(1.0, 1.0)] * 9, (500.0, 1.0))).factor == pytest.approx(1.7, rel=1e-12)


def test_the_scatter_is_that_of_the_intervals():
    assert shrink_ratio(see((1.0, 1.0))).scatter is None
    assert shrink_ratio(see((0.0, 1.0), (0.0, 1.0))).scatter is None
    assert shrink_ratio(see((0.8, 1.0), (1.2, 1.0))).scatter == pytest.approx(0.2, rel=1e-12)


def test_shrinking_beats_the_raw_ratio_and_the_model_where_the_prior_holds():
    """The posterior mean has the least mean square error of ln c by Bayes; drawn at random, here."""
    random = np.random.default_rng(3)
    noise = 0.09
    truth = random.normal(0.0, PRIOR_SPREAD, 2000)
    seen = np.exp(truth + random.normal(0.0, noise**0.5, 2000))
    factors = [shrink_ratio(see((one, 1.0), noise=noise)).factor for one in seen]
    errors = [
        float(np.mean((guess - truth) ** 2)) for guess in (np.log(factors), np.log(seen), np.zeros(2000))
    ]
    assert errors[0] < 0.75 * min(errors[1:])
