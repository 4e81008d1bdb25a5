"""app/engines/spouts_and_bolts/storm/fields.py: numbers, uptimes and windows as Storm's UI writes them."""

import pytest
from pydantic import JsonValue

from app.engines.spouts_and_bolts.storm.fields import (
    ALL_TIME,
    cover,
    is_system,
    read_decimal,
    read_milliseconds,
    read_uptime,
    read_window,
)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("9.133", 9.133),
        (9.133, 9.133),
        ("9,133", 9.133),
        ("0", 0.0),
        ("NaN", None),
        ("-1.000", None),
        (None, None),
    ],
)
def test_a_decimal_is_text_or_a_number_with_a_point_or_a_comma(written: JsonValue, number: float | None):
    assert read_decimal(written) == number


def test_latencies_are_milliseconds():
    assert read_milliseconds("9.133") == pytest.approx(0.009133)
    assert read_milliseconds("") is None


@pytest.mark.parametrize(
    ("page", "seconds"),
    [
        ({"uptime": "2m 9s"}, 129.0),
        ({"uptime": "1d 2h 3m 4s"}, 93784.0),
        ({"uptime": "9s"}, 9.0),
        ({"uptime": "129"}, 129.0),
        ({"uptimeSeconds": 129, "uptime": "5m 0s"}, 129.0),
        ({"uptimeSeconds": "129"}, 129.0),
        ({"uptimeSeconds": None, "uptime": "2m 9s"}, 129.0),
        ({"uptime": "2m ago"}, None),
        ({"uptime": ""}, None),
        ({}, None),
        ({"uptime": "9" * 400 + "s"}, None),
    ],
)
def test_an_uptime_is_text_or_seconds(page: dict[str, JsonValue], seconds: float | None):
    assert read_uptime(page) == seconds


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("600", 600.0),
        (600, 600.0),
        (":all-time", ALL_TIME),
        ("All time", ALL_TIME),
        ("0", None),
        ("x", None),
        (None, None),
    ],
)
def test_a_window_is_seconds_or_all_time(written: JsonValue, seconds: float | None):
    assert read_window(written) == seconds


@pytest.mark.parametrize(
    ("window", "uptime", "seconds"),
    [
        (600, 129, 129),
        (600, 7200, 600),
        (ALL_TIME, 7200, 7200),
        (None, 7200, 7200),
        (600, None, None),
        (600, 0, None),
    ],
)
def test_counts_cover_the_window_or_the_uptime_where_that_is_shorter(
    window: float | None, uptime: float | None, seconds: float | None
):
    assert cover(window, uptime) == seconds


def test_names_of_storm_itself_begin_with_two_underscores():
    assert [is_system(name) for name in ("__acker", "__tick", "pi", "_pi")] == [True, True, False, False]
