"""The heap of services under way, and the draw from a histogram."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner.arrays import Counts, Floats
from planner.compiled import compiled
from planner.simulation.runs.event_state import draw_bucket, pop, push


@compiled
def sort_by_heap(values: Floats, times: Floats, places: Counts) -> Floats:
    """Adds all, then removes the first again and again."""
    found = np.empty(len(values))
    for size in range(len(values)):
        push(times, places, size, values[size], size)
    for taken in range(len(values)):
        found[taken] = values[places[0]]
        pop(times, places, len(values) - taken)
    return found


@compiled
def draw_all(tables: Floats, begin: int, end: int, parts: Floats) -> Floats:
    found = np.empty(len(parts))
    for place in range(len(parts)):
        found[place] = draw_bucket(tables, begin, end, parts[place])
    return found


@given(st.lists(st.floats(0.0, 1e6), max_size=60))
def test_the_heap_gives_the_next_finish_first(values: list[float]):
    found = sort_by_heap(np.array(values), np.empty(len(values)), np.empty(len(values), np.int64))
    assert found.tolist() == sorted(values)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9).filter(any))
def test_a_histogram_is_inverted_as_by_interpolation(counts: list[int]):
    bounds = np.arange(len(counts) + 1.0) ** 2
    reached = np.append(0.0, np.cumsum(counts)) / sum(counts)
    tables = np.column_stack(
        [np.append(9.0, bounds), np.append(0.5, reached)]
    )  # another table lies before it
    parts = np.linspace(0.001, 0.999, 57)
    parts = parts[~np.isin(np.round(parts, 9), np.round(reached, 9))]  # at a step both ends are right
    assert np.allclose(draw_all(tables, 1, len(tables), parts), np.interp(parts, reached, bounds))
