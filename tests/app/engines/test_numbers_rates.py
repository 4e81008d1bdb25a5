"""app/engines/numbers.py: what cannot be a rate stays unknown."""

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from app.engines import numbers


@pytest.mark.parametrize(
    ("count", "seconds", "rate"),
    [
        (10.0, 4.0, 2.5),
        (0.0, 4.0, 0.0),
        (None, 4.0, None),
        (10.0, None, None),
        (10.0, 0.0, None),
        (10.0, -1.0, None),
        (1e15, 0.001, None),
    ],
)
def test_a_rate_is_known_where_count_and_time_are(
    count: float | None, seconds: float | None, rate: float | None
):
    assert numbers.find_rate(count, seconds) == rate


def test_nothing_served_gives_no_service_rate():
    assert numbers.find_service_rate(0.0, 4.0) is None
    assert numbers.find_service_rate(10.0, 4.0) == 2.5


@pytest.mark.parametrize(
    ("before", "after", "growth"), [(1.0, 3.0, 2.0), (3.0, 1.0, None), (None, 1.0, None), (1.0, None, None)]
)
def test_a_counter_that_fell_was_reset(before: float | None, after: float | None, growth: float | None):
    assert numbers.find_growth(before, after) == growth


@pytest.mark.parametrize(("parts", "total"), [([1.0, 2.0], 3.0), ([1.0, None], None), ([], None)])
def test_a_sum_with_an_unknown_part_is_unknown(parts: list[float | None], total: float | None):
    assert numbers.add_known(parts) == total


@pytest.mark.parametrize("unknown", ["", "yesterday", None, 1795041254793, [], "2026-11-18T22:41:39"])
def test_what_is_no_time_with_its_zone_is_unknown(unknown: JsonValue):
    assert numbers.read_time(unknown) is None


def test_a_time_is_read_in_utc():
    assert numbers.read_time("2026-11-18T23:41:39.385+01:00") == datetime(
        2026, 11, 18, 22, 41, 39, 385000, UTC
    )
