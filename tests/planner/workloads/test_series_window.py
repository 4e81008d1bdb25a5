"""A window: as many steps as it counts, both ends included."""

from hypothesis import given
from hypothesis import strategies as st

from planner.workloads.series import Window


@given(st.integers(1, 50), st.integers(0, 50))
def test_a_window_has_as_many_steps_as_it_counts(first: int, more: int):
    window = Window(first, first + more)
    assert window.steps == len(range(window.first, window.last + 1))
    assert len({window, Window(first, first + more)}) == 1, "forecasts are kept by their window"
