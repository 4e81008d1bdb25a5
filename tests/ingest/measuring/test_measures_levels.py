"""Levels beside a count of the services under way in every nanosecond of short windows."""

from itertools import groupby

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.measuring.measures import Events, join_events, measure_levels, sort_events

WINDOW_NS = 12
Event = tuple[int, int, bool]
EVENTS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 40), st.booleans()), max_size=25)


def make(events: list[Event]) -> Events:
    operator, at, is_start = np.array(events, dtype=np.int64).reshape(-1, 3).T
    return Events(operator, at, is_start.astype(bool))


def count(events: list[Event], slice_ns: int) -> list[tuple[int, ...]]:
    """Per operator and slice: window, first time, most above the beginning, change, integral to the window's end."""
    rows: list[tuple[int, ...]] = []
    for (operator, number), found in groupby(sorted(events), key=lambda e: (e[0], e[1] // slice_ns)):
        changes = [(at, 1 if is_start else -1) for _, at, is_start in found]
        window, first = number * slice_ns // WINDOW_NS, min(at for at, _ in changes)
        end = (window + 1) * WINDOW_NS
        level = {t: sum(change for at, change in changes if at <= t) for t in range(window * WINDOW_NS, end)}
        inside = [level[t] for t in level if t // slice_ns == number or t == window * WINDOW_NS]
        rows.append((operator, window, first, max(inside), sum(c for _, c in changes), sum(level.values())))
    return rows


@settings(max_examples=100, deadline=None)
@given(EVENTS, st.sampled_from([WINDOW_NS, 4]))
@example([(0, 12, False), (0, 12, False), (0, 12, True)], WINDOW_NS)
@example([(0, 24, False), (0, 30, True)], WINDOW_NS)
def test_levels_are_those_counted_at_every_time(events: list[Event], slice_ns: int):
    found = make(events)
    levels = measure_levels(found, found.at_ns // slice_ns, WINDOW_NS)
    assert list(zip(*(column.tolist() for column in levels.values()), strict=True)) == count(events, slice_ns)


def test_a_finish_and_a_start_at_one_time_do_not_overlap():
    events = [(0, 1, True), (0, 5, False), (0, 5, True), (0, 9, False)]
    found = make(events)
    assert measure_levels(found, found.at_ns * 0, WINDOW_NS)["most"].tolist() == [1]


@pytest.mark.parametrize("apart", [1, 1 << 40])
def test_events_are_sorted_by_operator_window_and_time_whatever_their_distance(apart: int):
    """Windows far from each other do not fit into the one integer by which others are sorted."""
    random = np.random.default_rng(81)
    window, offset = random.integers(0, 5, 200) * apart, random.integers(0, 1 << 20, 200)
    events = Events(random.integers(0, 1 << 10, 200), window, random.random(200) < 0.5)
    order = sort_events(events, window, offset)
    rows = [
        *zip(
            events.operator.tolist(), window.tolist(), offset.tolist(), events.is_start.tolist(), strict=True
        )
    ]
    assert [rows[place] for place in order] == sorted(rows)


def test_events_are_joined_and_chosen():
    joined = join_events([make([(0, 1, True)]), make([]), make([(1, 7, False), (1, 8, True)])])
    later = joined.where(joined.at_ns > 5)
    assert [column.tolist() for column in later] == [[1, 1], [7, 8], [False, True]]
