"""Axes have round numbers and round times, some eight of them, that hold every value."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.rendering.axis_marks import DAY, list_between, list_marks, list_times, write_times


@given(st.floats(1e-12, 1e15))
def test_marks_begin_at_zero_and_hold_the_highest_value(highest: float):
    marks = list_marks(highest)
    assert marks[0] == 0.0
    assert marks[-1] >= highest * (1 - 1e-8)
    assert 2 <= len(marks) <= 6


def test_marks_of_nothing_and_of_counts():
    assert list_marks(0.0)[-1] >= 1.0
    assert list_marks(2.0, is_whole=True) == [0.0, 1.0, 2.0]


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_numbers_between_are_whole_and_lie_between(lowest: int, length: int):
    found = list_between(lowest, lowest + length)
    assert all(lowest <= one <= lowest + length and one == int(one) for one in found)
    assert len(found) <= 11


@given(st.integers(-62_135_596_800, 240_000_000_000), st.integers(1, 10_000_000_000))
def test_times_are_few_and_lie_between(first: int, length: int):
    found = list_times(first, first + length)
    assert len(found) <= 10
    assert all(first <= one <= first + length for one in found)
    assert len(write_times(found)) == len(found)


@pytest.mark.parametrize(
    ("begin", "length", "shown"),
    [
        (
            "2026-11-18T22:30",
            10_800.0,
            ["11-18 22:30", "23:00", "23:30", "11-19 00:00", "00:30", "01:00", "01:30"],
        ),
        ("2026-12-28T12:00", 7 * DAY, ["2026-12-29", "12-30", "12-31", "2027-01-01", "01-02"]),
        ("2026-11-18T00:00", 60.0, ["11-18 00:00", "00:00:15", "00:00:30", "00:00:45", "00:01"]),
    ],
)
def test_times_name_the_day_where_it_begins(begin: str, length: float, shown: list[str]):
    first = datetime.fromisoformat(begin).replace(tzinfo=UTC).timestamp()
    assert write_times(list_times(first, first + length))[: len(shown)] == shown
