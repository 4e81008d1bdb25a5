"""Schedules are stored as stretches, and nothing is lost by it."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.jobs.workers.backtest_worker import lengthen_schedule, shorten_schedule


@given(st.lists(st.integers(1, 3), min_size=1, max_size=50))
def test_a_schedule_comes_back_from_its_stretches(vms: list[int]):
    assert lengthen_schedule(shorten_schedule(np.array(vms, dtype=float))).tolist() == vms


@given(st.lists(st.integers(1, 3), min_size=1, max_size=50))
def test_stretches_are_as_long_as_they_can_be(vms: list[int]):
    stretches = shorten_schedule(np.array(vms, dtype=float))
    assert all(earlier[1] != later[1] for earlier, later in pairwise(stretches))
    assert all(steps > 0 for steps, _ in stretches)
