"""Waiting models beside the papers, in 40 digits."""

import pytest

from planner.queueing.waiting import variability


def test_a_heavily_loaded_operator_varies_as_allen_and_cunneen_say():
    # Whitt's φ tends to 1 as ρ tends to 1
    assert variability("ggk-whitt", 0.5, 2.0, 1 - 1e-9, 7) == pytest.approx(1.25, rel=1e-8)
    assert variability("ggk", 0.5, 2.0, 0.5, 7) == 1.25
    assert variability("mmk", 0.5, 2.0, 0.5, 7) == 1.0
